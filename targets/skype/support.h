// The servers behind skype_support: offline messages in memory, and the list of hosts.
#ifndef TARGETS_SKYPE_SUPPORT_H_
#define TARGETS_SKYPE_SUPPORT_H_

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "targets/skype/skype.grpc.pb.h"

namespace skype {

// Thread-safe. Keeps at most 100 messages for one receiver and 10,000 receivers.
class OfflineMessagesService final : public v1::OfflineMessages::Service {
 public:
  grpc::Status Poll(grpc::ServerContext*, const v1::PollRequest* request, v1::PollReply* reply) override;
  grpc::Status Leave(grpc::ServerContext*, const v1::LeaveRequest* request, v1::LeaveReply* reply) override;
  uint64_t polls() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<std::string>> boxes_;
  uint64_t polls_ = 0;
};

// Thread-safe. Keeps at most 10,000 hosts; an address that registers again keeps its place.
class BootstrapService final : public v1::Bootstrap::Service {
 public:
  grpc::Status Register(grpc::ServerContext*, const v1::Host* host, v1::RegisterReply*) override;
  grpc::Status Hosts(grpc::ServerContext*, const v1::HostsRequest*, v1::HostsReply* reply) override;
  size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::vector<v1::Host> hosts_;
  std::set<std::string> addresses_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_SUPPORT_H_

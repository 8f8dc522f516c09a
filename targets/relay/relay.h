// The data plane of one agent: its links on one loop.
//
//   Relay relay({.loop = &loop, .clock = &clock, .lease = &lease});
//   RETURN_IF_ERROR(relay.AddLink("im/0", std::move(listener), upstream));
//   HostServer server({..., .seams = [&](auto& object) { return relay.SeamsOf(object); },
//                      .stats = [&](auto* stats) { relay.AddStats(stats); }});
//   loop.Run();
#ifndef TARGETS_RELAY_RELAY_H_
#define TARGETS_RELAY_RELAY_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/fault.h"
#include "faults/core/unique_fd.h"
#include "faults/host.pb.h"
#include "targets/host/address.h"
#include "targets/relay/core.h"
#include "targets/relay/link.h"

namespace squall {

// One thread: the loop's.
class Relay {
 public:
  struct Options {
    EventLoop* loop = nullptr;  // none of these is owned
    const Clock* clock = nullptr;
    const LeasePage* lease = nullptr;
    RelayLimits limits;
  };
  explicit Relay(const Options& options);
  ~Relay();

  // AlreadyExists: there is a link of that name; the listener is closed then, the first goes on.
  absl::Status AddLink(const std::string& name, UniqueFd listener, const SocketAddress& upstream);
  absl::StatusOr<Seams> SeamsOf(const std::string& link);  // NotFound
  Link* FindLink(const std::string& name);                 // null
  void AddStats(host::v1::HostStats* stats);
  // No new connections from now on; `idle` runs when the last open one has ended, at once if there is none.
  void Wind(std::function<void()> idle);
  size_t open() const;

 private:
  void KeepTrim();

  RelayCore core_;
  std::map<std::string, std::unique_ptr<Link>> links_;
  EventLoop::TimerId trim_;
};

}  // namespace squall

#endif  // TARGETS_RELAY_RELAY_H_

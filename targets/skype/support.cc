#include "targets/skype/support.h"

#include <algorithm>

namespace skype {
namespace {
constexpr size_t kMaxHosts = 10000, kMaxBoxes = 10000, kMaxMessages = 100;
}  // namespace

grpc::Status OfflineMessagesService::Poll(grpc::ServerContext*, const v1::PollRequest* request, v1::PollReply* reply) {
  std::lock_guard lock(mutex_);
  ++polls_;
  const auto box = boxes_.find(request->client());
  if (box == boxes_.end()) return grpc::Status::OK;
  for (const std::string& text : box->second) reply->add_messages(text);
  boxes_.erase(box);
  return grpc::Status::OK;
}

grpc::Status OfflineMessagesService::Leave(grpc::ServerContext*, const v1::LeaveRequest* request,
                                           v1::LeaveReply* reply) {
  std::lock_guard lock(mutex_);
  if (request->to().empty()) return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "to: missing");
  if (!boxes_.contains(request->to()) && boxes_.size() >= kMaxBoxes) return grpc::Status::OK;
  std::deque<std::string>& box = boxes_[request->to()];
  if (box.size() >= kMaxMessages) return grpc::Status::OK;
  box.push_back(request->text());
  reply->set_kept(true);
  return grpc::Status::OK;
}

uint64_t OfflineMessagesService::polls() const {
  std::lock_guard lock(mutex_);
  return polls_;
}

grpc::Status BootstrapService::Register(grpc::ServerContext*, const v1::Host* host, v1::RegisterReply*) {
  std::lock_guard lock(mutex_);
  if (host->address().empty()) return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "address: missing");
  if (addresses_.contains(host->address())) {
    // The same place, perhaps newer software.
    *std::find_if(hosts_.begin(), hosts_.end(), [&](const v1::Host& h) { return h.address() == host->address(); }) =
        *host;
    return grpc::Status::OK;
  }
  if (hosts_.size() >= kMaxHosts) return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "the list is full");
  addresses_.insert(host->address());
  hosts_.push_back(*host);
  return grpc::Status::OK;
}

grpc::Status BootstrapService::Hosts(grpc::ServerContext*, const v1::HostsRequest*, v1::HostsReply* reply) {
  std::lock_guard lock(mutex_);
  for (const v1::Host& host : hosts_) *reply->add_hosts() = host;
  return grpc::Status::OK;
}

size_t BootstrapService::size() const {
  std::lock_guard lock(mutex_);
  return hosts_.size();
}

}  // namespace skype

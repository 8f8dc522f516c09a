#include "targets/host/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "targets/guardian/protocol.h"

namespace squall {
namespace {
constexpr size_t kRemembered = 4096;  // ended instances
constexpr size_t kUnsentMost = 4096;  // replies for an agent that does not read; over it the channel is given up
constexpr int kRequestsAtOnce = 64;
constexpr int kSeriesAPacket = 400;  // about 40 KiB
}  // namespace

HostServer::HostServer(Options options) : options_(std::move(options)), control_(options_.control_fd) {
  options_.loop->Watch(control_.get(), EPOLLIN, [this](uint32_t events) { OnControl(events); });
  stats_timer_ = options_.loop->At(0, [this] { SendStats(); });
}

HostServer::~HostServer() {
  LiftAll("end");
  if (tick_) options_.loop->Cancel(*tick_);
  if (stats_timer_) options_.loop->Cancel(*stats_timer_);
  if (control_.valid()) options_.loop->Unwatch(control_.get());
}

void HostServer::OnControl(uint32_t events) {
  EndLapsed();
  if (events & EPOLLOUT) Flush();
  for (int i = 0; i < kRequestsAtOnce && control_.valid(); ++i) {
    host::v1::HostRequest request;
    const absl::Status got = ReceivePacket(control_.get(), &request);
    if (got.ok()) {
      Handle(request);
    } else if (ChannelClosed(got)) {
      Gone();
      return;
    } else if (WouldBlock(got)) {
      return;
    } else if (got.code() != absl::StatusCode::kDataLoss) {
      Gone();  // a channel that cannot be read cannot lift anything any more
      return;
    }
  }
}

void HostServer::Handle(const host::v1::HostRequest& request) {
  host::v1::HostMessage message;
  host::v1::HostReply* reply = message.mutable_reply();
  reply->set_id(request.id());
  absl::Status status;
  switch (request.request_case()) {
    case host::v1::HostRequest::kArm:
      status = Arm(request.arm(), reply);
      break;
    case host::v1::HostRequest::kLift:
      status = Lift(request.lift().instance(), reply);
      break;
    case host::v1::HostRequest::kWitness:
      status = Witness(request.witness().instance(), reply);
      break;
    case host::v1::HostRequest::kStartLoad:
      status = options_.start_load ? options_.start_load(request.start_load())
                                   : absl::UnimplementedError("this host drives no load");
      break;
    case host::v1::HostRequest::REQUEST_NOT_SET:
      status = absl::InvalidArgumentError("an empty request");
      break;
  }
  if (reply->at_ns() == 0) reply->set_at_ns(options_.clock->Now());
  reply->set_code(static_cast<int32_t>(status.code()));
  reply->set_error(std::string(status.message()));
  Send(message);
}

absl::Status HostServer::Arm(const host::v1::ArmFault& request, host::v1::HostReply* reply) {
  const std::string& id = request.instance();
  if (id.empty()) return absl::InvalidArgumentError("instance: must not be empty");
  if (const auto found = armed_.find(id); found != armed_.end()) {
    reply->set_at_ns(found->second.at_ns);
    *reply->mutable_witness() = found->second.fault.Observe();
    return absl::OkStatus();
  }
  if (ended_.contains(id)) return absl::FailedPreconditionError(absl::StrCat("fault ", id, " has been lifted already"));
  const int64_t now = options_.clock->Now();
  if (request.deadline_ns() <= now) return absl::InvalidArgumentError("deadline_ns: has passed");
  if (request.deadline_ns() > now + kMaxFaultNs) return absl::InvalidArgumentError("deadline_ns: over 15 min from now");
  if (!options_.lease->Live(now)) return absl::FailedPreconditionError("the lease has lapsed");
  ASSIGN_OR_RETURN(const std::unique_ptr<FaultKind> kind, options_.make(request.fault()));
  ASSIGN_OR_RETURN(const Seams seams, options_.seams(request.object()));
  ArmContext context;
  context.clock = options_.clock;
  context.deadline_ns = request.deadline_ns();
  context.seed = request.seed();
  context.site = request.site();
  ASSIGN_OR_RETURN(ArmedFault fault, kind->Arm(seams, context));
  reply->set_at_ns(options_.clock->Now());
  *reply->mutable_witness() = fault.Observe();
  armed_.emplace(id, Armed{std::move(fault), request.deadline_ns(), reply->at_ns()});
  KeepTicking();
  return absl::OkStatus();
}

absl::Status HostServer::Lift(const std::string& instance, host::v1::HostReply* reply) {
  if (instance.empty()) return absl::InvalidArgumentError("instance: must not be empty");
  if (armed_.contains(instance)) {
    RETURN_IF_ERROR(End(instance));
  } else if (!ended_.contains(instance)) {
    Remember(instance, {{}, options_.clock->Now()});  // its arming may still be on the way, and must find this
  }
  const Ended& ended = ended_.at(instance);
  reply->set_at_ns(ended.at_ns);
  *reply->mutable_witness() = ended.witness;
  return absl::OkStatus();
}

absl::Status HostServer::Witness(const std::string& instance, host::v1::HostReply* reply) const {
  if (const auto armed = armed_.find(instance); armed != armed_.end()) {
    *reply->mutable_witness() = armed->second.fault.Observe();
    return absl::OkStatus();
  }
  const auto ended = ended_.find(instance);
  if (ended == ended_.end()) return absl::NotFoundError(absl::StrCat("no fault ", instance, " here"));
  reply->set_at_ns(ended->second.at_ns);
  *reply->mutable_witness() = ended->second.witness;
  return absl::OkStatus();
}

absl::Status HostServer::End(const std::string& instance) {
  const auto found = armed_.find(instance);
  RETURN_IF_ERROR(found->second.fault.Lift());
  Remember(instance, {found->second.fault.Observe(), options_.clock->Now()});
  armed_.erase(found);
  return absl::OkStatus();
}

void HostServer::Remember(const std::string& instance, Ended ended) {
  if (!ended_.emplace(instance, std::move(ended)).second) return;
  ended_order_.push_back(instance);
  if (ended_order_.size() <= kRemembered) return;
  ended_.erase(ended_order_.front());
  ended_order_.pop_front();
}

void HostServer::EndAndTell(const std::string& instance, const std::string& why) {
  if (!End(instance).ok()) return;  // the next tick tries again
  const Ended& ended = ended_.at(instance);
  host::v1::HostMessage message;
  message.mutable_ended()->set_instance(instance);
  message.mutable_ended()->set_at_ns(ended.at_ns);
  message.mutable_ended()->set_why(why);
  *message.mutable_ended()->mutable_witness() = ended.witness;
  Send(message);
}

void HostServer::LiftAll(const std::string& why) {
  std::vector<std::string> ids;
  for (const auto& [id, armed] : armed_) ids.push_back(id);
  for (const std::string& id : ids) EndAndTell(id, why);
}

void HostServer::EndLapsed() {
  if (armed_.empty()) return;
  const int64_t now = options_.clock->Now();
  if (!options_.lease->Live(now)) return LiftAll("lease");
  std::vector<std::string> over;
  for (const auto& [id, armed] : armed_) {
    if (armed.deadline_ns <= now) over.push_back(id);
  }
  for (const std::string& id : over) EndAndTell(id, "deadline");
}

void HostServer::KeepTicking() {
  if (tick_ || armed_.empty()) return;
  tick_ = options_.loop->After(kFaultCheckNs, [this] { Tick(); });
}

void HostServer::Tick() {
  tick_.reset();
  EndLapsed();
  if (!control_.valid() && !armed_.empty()) LiftAll("channel");  // those whose lift failed before
  KeepTicking();
}

void HostServer::SendStats() {
  stats_timer_ = options_.loop->After(kHostStatsNs, [this] { SendStats(); });
  if (!options_.stats || !control_.valid()) return;
  host::v1::HostStats all;
  options_.stats(&all);
  all.set_at_ns(options_.clock->Now());
  for (int first = 0; first < all.series_size(); first += kSeriesAPacket) {
    if (!unsent_.empty()) return;  // replies go first
    host::v1::HostMessage message;
    message.mutable_stats()->set_at_ns(all.at_ns());
    for (int i = first; i < std::min(first + kSeriesAPacket, all.series_size()); ++i) {
      message.mutable_stats()->add_series()->Swap(all.mutable_series(i));
    }
    (void)SendPacket(control_.get(), message);  // no room: these figures are dropped
  }
}

void HostServer::Send(const host::v1::HostMessage& message) {
  if (!control_.valid()) return;
  unsent_.push_back(message);
  Flush();
}

void HostServer::Flush() {
  while (!unsent_.empty()) {
    const absl::Status sent = SendPacket(control_.get(), unsent_.front());
    if (WouldBlock(sent) && unsent_.size() <= kUnsentMost) break;
    if (WouldBlock(sent) || ChannelClosed(sent)) {
      // The read side notices the end; an agent that never reads its replies is as good as gone.
      unsent_.clear();
      shutdown(control_.get(), SHUT_RDWR);
      break;
    }
    unsent_.pop_front();
  }
  const bool waiting = !unsent_.empty();
  if (waiting == writing_) return;
  writing_ = waiting;
  options_.loop->Watch(control_.get(), waiting ? EPOLLIN | EPOLLOUT : EPOLLIN,
                       [this](uint32_t events) { OnControl(events); });
}

void HostServer::Gone() {
  options_.loop->Unwatch(control_.get());
  control_.reset();
  unsent_.clear();
  options_.loop->Cancel(*stats_timer_);
  stats_timer_.reset();
  LiftAll("channel");
  if (options_.gone) options_.gone();
}

}  // namespace squall

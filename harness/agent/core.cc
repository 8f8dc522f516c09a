#include "harness/agent/core.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/catalog.h"
#include "faults/core/status_macros.h"

namespace squall {

using agent::v1::FaultEdge;
using agent::v1::FromAgent;
using agent::v1::ToAgent;

namespace {
constexpr int64_t kBeatEvery = 50 * kMillisecond;
// Points of the relay, the load driver and the guardian carry their own time and take a moment to come.
constexpr int64_t kWatermarkLag = 60 * kMillisecond;
constexpr int64_t kSampleEvery = 250 * kMillisecond;
constexpr size_t kMaxPoints = 400'000;
constexpr size_t kMaxAnswers = 1024;
}  // namespace

AgentCore::AgentCore(Options options) : options_(std::move(options)), book_(options_.name, kMaxPoints) {
  World::Options world;
  world.loop = options_.loop;
  world.clock = options_.clock;
  world.guardian_fd = options_.guardian_fd;
  world.agent = options_.name;
  world.relay_binary = options_.relay_binary;
  world.load_binary = options_.load_binary;
  world.directory = options_.directory;
  world.book = &book_;
  world.guardian_gone = options_.guardian_gone;
  world.edge = [this](const agent::v1::TargetEdge& edge) {
    FromAgent message;
    *message.mutable_target() = edge;
    Send(std::move(message));
    const bool ended = edge.edge() == agent::v1::TargetEdge::EXITED && edge.cause() != "by us";
    if (ended && options_.own_ended) options_.own_ended(edge.signal() != 0 ? 128 + edge.signal() : edge.code());
  };
  world.fault_ended = [this](const host::v1::HostFaultEnded& ended) {
    armory_->OnEnded(ended.instance(), ended.why(), ended.witness());
  };
  world.host_lost = [this](faults::v1::Seam lost) {
    armory_->OnHostLost([lost](const faults::v1::Fault& fault) {
      const auto seam = SeamOf(fault);
      return seam.ok() && *seam == lost;
    });
  };
  world.target_exited = [this](const std::string& target) { armory_->OnTargetExited(target); };
  world.hurt = [this](const std::string& target) { return Hurt(target); };
  world_ = std::make_unique<World>(std::move(world));
  armory_ =
      std::make_unique<Armory>(options_.loop, options_.clock, world_.get(),
                               [this](const Armory::Origin& origin, const FaultEdge& edge) { OnEdge(origin, edge); });
  Beat();
}

AgentCore::~AgentCore() {
  options_.loop->Cancel(beat_);
  armory_.reset();  // lifts what is armed, while the world is there
}

absl::Status AgentCore::StartOwn(const TargetSpec& spec, const std::vector<StaticLink>& links) {
  return world_->StartOwn(spec, links);
}

agent::v1::Register AgentCore::Registration() const {
  agent::v1::Register registration;
  registration.set_agent(options_.name);
  registration.set_role(options_.role);
  for (const auto& label : options_.labels) *registration.add_labels() = label;
  registration.add_capabilities("process");
  if (!options_.relay_binary.empty()) registration.add_capabilities("link");
  if (!options_.load_binary.empty()) registration.add_capabilities("load");
  registration.set_protocol_min(1);
  registration.set_protocol_max(1);
  registration.set_version(options_.version);
  registration.set_test_mode(options_.test_mode);
  return registration;
}

void AgentCore::SetSink(std::function<void(FromAgent)> sink) {
  sink_ = std::move(sink);
  if (sink_) book_.ForgetDefinitions();
}

void AgentCore::Send(FromAgent message) {
  if (sink_) sink_(std::move(message));
}

void AgentCore::Ack(uint64_t seq, const absl::Status& status) {
  FromAgent message;
  message.mutable_ack()->set_seq(seq);
  message.mutable_ack()->set_code(static_cast<int>(status.code()));
  message.mutable_ack()->set_error(std::string(status.message()));
  answers_[seq] = message.ack();
  if (answers_.size() > kMaxAnswers) answers_.erase(answers_.begin());
  Send(std::move(message));
}

void AgentCore::OnCommand(const ToAgent& command) {
  if (command.has_welcome()) return;
  if (command.has_ping()) {
    FromAgent message;
    message.mutable_pong()->set_controller_ns(command.ping().controller_ns());
    message.mutable_pong()->set_agent_ns(options_.clock->Now());
    return Send(std::move(message));
  }
  if (command.epoch() < epoch_) {
    return Ack(command.seq(), absl::FailedPreconditionError(
                                  absl::StrCat("epoch ", command.epoch(), " is over: ", epoch_, " was seen")));
  }
  epoch_ = command.epoch();
  if (command.run_id() == run_id_) {
    if (const auto answered = answers_.find(command.seq()); answered != answers_.end()) {
      FromAgent message;
      *message.mutable_ack() = answered->second;
      return Send(std::move(message));
    }
  }
  Ack(command.seq(), Dispatch(command));
}

absl::Status AgentCore::Dispatch(const ToAgent& command) {
  if (command.has_open_run()) return OpenRun(command);
  if (command.run_id() != run_id_) {
    return absl::FailedPreconditionError(absl::StrCat("run ", command.run_id(), " is not open here"));
  }
  switch (command.command_case()) {
    case ToAgent::kBegin: {
      const auto& sent = command.begin().addresses();
      return world_->Begin({sent.begin(), sent.end()});
    }
    case ToAgent::kPrepare:
      return armory_->Prepare(owner(), seed_, command.prepare());
    case ToAgent::kRelease:
      return armory_->Release(owner(), command.release());
    case ToAgent::kLift:
      return armory_->Lift(owner(), command.lift().action());
    case ToAgent::kRenew: {
      const absl::Status renewed = armory_->Renew(owner(), command.renew().until_ns());
      if (renewed.ok()) run_lease_until_ = std::max(run_lease_until_, command.renew().until_ns());
      UpdateLease();
      return renewed;
    }
    case ToAgent::kHalt:
      armory_->Halt(owner(), "halted");
      return absl::OkStatus();
    case ToAgent::kCloseRun:
      return CloseRun(command.close_run());
    default:
      return absl::InvalidArgumentError("unknown command");
  }
}

absl::Status AgentCore::OpenRun(const ToAgent& command) {
  if (!run_id_.empty() && run_id_ != command.run_id()) {
    if (options_.clock->Now() < run_lease_until_) {
      return absl::FailedPreconditionError(absl::StrCat("run ", run_id_, " is open here"));
    }
    armory_->Halt(owner(), "lease");  // its controller went away without a word
  }
  if (run_id_ == command.run_id()) return absl::AlreadyExistsError("this run is open already");
  const auto& open = command.open_run();
  if (open.lease_ns() < 200 * kMillisecond || open.lease_ns() > 60 * kSecond) {
    return absl::InvalidArgumentError("lease must be in [200 ms, 60 s]");
  }
  run_id_ = command.run_id();
  seed_ = open.seed();
  answers_.clear();
  run_lease_until_ = options_.clock->Now() + open.lease_ns();
  RETURN_IF_ERROR(armory_->Renew(owner(), run_lease_until_));
  UpdateLease();
  world_->Open(open, [this, run = run_id_](absl::Status opened) {
    if (run != run_id_) return;
    if (opened.ok()) return SendOpened();
    FromAgent message;  // an Opened without targets would look like an answer: say what failed
    message.mutable_target()->set_edge(agent::v1::TargetEdge::FAILED);
    message.mutable_target()->set_at_ns(options_.clock->Now());
    message.mutable_target()->set_cause(std::string(opened.message()));
    Send(std::move(message));
  });
  return absl::OkStatus();
}

void AgentCore::SendOpened() {
  FromAgent message;
  for (auto& target : world_->Targets()) *message.mutable_opened()->add_targets() = std::move(target);
  for (const auto& [name, address] : world_->Addresses())
    (*message.mutable_opened()->mutable_addresses())[name] = address;
  Send(std::move(message));
}

absl::Status AgentCore::CloseRun(const agent::v1::CloseRun& request) {
  armory_->Halt(owner(), "lifted");
  Flush(kWatermarkLag);
  const bool keep = request.keep_targets() && !options_.test_mode;
  world_->Close(keep, [this] {
    Flush(0);
    SendClosed();
    armory_->Forget(owner());
    run_id_.clear();
    run_lease_until_ = 0;
  });
  return absl::OkStatus();
}

void AgentCore::SendClosed() {
  FromAgent message;
  auto* closed = message.mutable_closed();
  closed->set_targets_cpu_s(world_->TargetsCpuSeconds());
  closed->set_relay_cpu_s(world_->RelayCpuSeconds());
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  closed->set_agent_cpu_s(used.ru_utime.tv_sec + used.ru_stime.tv_sec +
                          (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
  closed->set_agent_max_rss_mib(used.ru_maxrss / 1024.0);
  closed->set_relay_added_latency_us(world_->relay_added_latency_us());
  for (const std::string& note : world_->TakeNotes()) closed->add_notes(note);
  Send(std::move(message));
}

void AgentCore::OnEdge(const Armory::Origin& origin, const FaultEdge& edge) {
  const auto seam = SeamOf(origin.fault);
  if (edge.edge() == FaultEdge::ARMED && seam.ok() && *seam == faults::v1::SEAM_PROCESS) {
    hurt_[edge.instance()] = origin.target;
  } else {
    hurt_.erase(edge.instance());
  }
  if (edge.edge() == FaultEdge::FAILED) last_failure_ = edge.why();
  if (origin.owner != owner()) return;
  FromAgent message;
  *message.mutable_edge() = edge;
  Send(std::move(message));
}

bool AgentCore::Hurt(const std::string& target) const {
  return std::any_of(hurt_.begin(), hurt_.end(), [&](const auto& entry) { return entry.second == target; });
}

void AgentCore::Beat() {
  const int64_t now = options_.clock->Now();
  if (now >= next_sample_ns_) {
    next_sample_ns_ = now + kSampleEvery;
    world_->Sample();
    CheckHaltFile();
  }
  UpdateLease();
  Flush(kWatermarkLag);
  beat_ = options_.loop->After(kBeatEvery, [this] { Beat(); });
}

// The page follows the run's lease; for faults armed by hand the agent itself renews it while it lives.
void AgentCore::UpdateLease() {
  const int64_t now = options_.clock->Now();
  int64_t until = run_lease_until_;
  const int64_t armed_until = armory_ == nullptr ? 0 : armory_->ArmedUntil();
  const bool by_hand = armory_ != nullptr && now < armed_until && run_lease_until_ <= now;
  if (by_hand) until = std::max(until, std::min(armed_until + kSecond, now + options_.local_lease_ns));
  options_.lease->Extend(until);
}

void AgentCore::Flush(int64_t lag_ns) {
  if (!sink_ || run_id_.empty()) return;
  FromAgent message;
  *message.mutable_batch() = book_.Take(options_.clock->Now() - lag_ns);
  Send(std::move(message));
}

void AgentCore::CheckHaltFile() {
  if (options_.halt_file.empty()) return;
  struct stat info{};
  const bool there = stat(options_.halt_file.c_str(), &info) == 0;
  if (there && !halt_by_file_) armory_->Halt("", "halted");
  halt_by_file_ = there;
}

}  // namespace squall

#include "harness/engine/testing/fake_agent.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/catalog.h"

namespace squall::testing {

using agent::v1::FaultEdge;
using agent::v1::FromAgent;
using agent::v1::ToAgent;

void FakeAgent::Say(FromAgent message) {
  if (gone_) return;
  world_.say(name_, message);
  if (behaviour_.says_everything_twice) world_.say(name_, message);
}

void FakeAgent::Ack(uint64_t seq, const absl::Status& status) {
  FromAgent message;
  message.mutable_ack()->set_seq(seq);
  message.mutable_ack()->set_code(static_cast<int>(status.code()));
  message.mutable_ack()->set_error(std::string(status.message()));
  Say(std::move(message));
}

void FakeAgent::On(const ToAgent& command) {
  if (gone_) return;
  commands_.push_back(command);
  const Command which = command.command_case();
  if (which == ToAgent::kRenew) renewals_.push_back(world_.clock->Now());
  if (behaviour_.ignore.contains(which)) return;
  if (auto refused = behaviour_.refuse.find(which); refused != behaviour_.refuse.end()) {
    return Ack(command.seq(), refused->second);
  }
  Ack(command.seq(), absl::OkStatus());
  switch (which) {
    case ToAgent::kOpenRun:
      open_ = command.open_run();
      return Open();
    case ToAgent::kBegin:
      return Begin();
    case ToAgent::kPrepare: {
      Action& action = actions_[command.prepare().action()];
      action.prepare = command.prepare();
      for (const auto& spec : command.prepare().instances()) action.instances.push_back({.spec = spec});
      return;
    }
    case ToAgent::kRelease:
      return Release(command.release());
    case ToAgent::kLift:
      actions_[command.lift().action()].tombstone = true;
      return LiftAll(command.lift().action(), "lifted");
    case ToAgent::kHalt:
      for (auto& [name, action] : actions_) action.tombstone = true;
      return EndAll("halted");
    case ToAgent::kCloseRun:
      return Close();
    default:
      return;
  }
}

void FakeAgent::Open() {
  FromAgent message;
  if (!behaviour_.open_failure.empty()) {
    message.mutable_target()->set_edge(agent::v1::TargetEdge::FAILED);
    message.mutable_target()->set_cause(behaviour_.open_failure);
    return Say(std::move(message));
  }
  open_run_ = true;
  for (const auto& target : open_.plan().targets()) {
    if (std::find(open_.roles().begin(), open_.roles().end(), target.name()) == open_.roles().end()) continue;
    const uint32_t first = open_.first_index().count(target.name()) ? open_.first_index().at(target.name()) : 0;
    const uint32_t count = target.has_count() ? target.count() : 1;
    for (uint32_t i = 0; i < count; ++i) {
      auto* info = message.mutable_opened()->add_targets();
      info->set_role(target.name());
      info->set_index(first + i);
      info->set_log(absl::StrCat(target.name(), "-", first + i, ".log"));
      targets_.push_back(*info);
    }
  }
  auto& addresses = *message.mutable_opened()->mutable_addresses();
  message.mutable_opened();
  if (open_.carries_links()) {
    for (const auto& link : open_.plan().links()) {
      addresses[absl::StrCat("link.", link.name(), ".address")] = "127.0.0.1:7";
      addresses[absl::StrCat("link.", link.name(), "/0.address")] = "127.0.0.1:7";
    }
  }
  Say(std::move(message));
  Beat();
}

void FakeAgent::Begin() {
  for (size_t i = 0; i < targets_.size(); ++i) {
    targets_[i].set_incarnation(1);
    agent::v1::TargetEdge started;
    started.set_edge(agent::v1::TargetEdge::STARTED);
    TargetEdge(targets_[i], started);
    if (behaviour_.dies_before_ready) {
      Exit(absl::StrCat(targets_[i].role(), "/", targets_[i].index()), 7, 0);
    } else if (behaviour_.ready_after >= 0) {
      world_.at(world_.clock->Now() + behaviour_.ready_after, [this, i] { Ready(i); });
    }
  }
}

void FakeAgent::Ready(size_t index) {
  agent::v1::TargetEdge ready;
  ready.set_edge(agent::v1::TargetEdge::READY);
  TargetEdge(targets_[index], ready);
}

void FakeAgent::TargetEdge(const agent::v1::TargetInfo& info, agent::v1::TargetEdge edge) {
  *edge.mutable_target() = info;
  edge.set_at_ns(world_.clock->Now());
  FromAgent message;
  *message.mutable_target() = std::move(edge);
  Say(std::move(message));
}

void FakeAgent::Exit(const std::string& target, int code, int signal) {
  for (const auto& info : targets_) {
    if (absl::StrCat(info.role(), "/", info.index()) != target) continue;
    agent::v1::TargetEdge exited;
    exited.set_edge(agent::v1::TargetEdge::EXITED);
    exited.set_cause(signal != 0 ? "by signal" : "by itself");
    exited.set_code(code);
    exited.set_signal(signal);
    TargetEdge(info, exited);
  }
}

void FakeAgent::Release(const agent::v1::Release& release) {
  actions_[release.action()].planned_ns = release.not_before_ns();
  const int64_t at = std::max(world_.clock->Now(), release.not_before_ns()) + behaviour_.arm_after;
  world_.at(at, [this, action = release.action()] { Arm(action); });
}

void FakeAgent::Arm(const std::string& name) {
  Action& action = actions_[name];
  if (action.tombstone || gone_) return;
  for (Instance& instance : action.instances) {
    if (!behaviour_.fail_arming.empty() && &instance == &action.instances.back()) {
      Edge(action, instance, FaultEdge::FAILED, behaviour_.fail_arming);
      continue;
    }
    instance.armed = true;
    instance.armed_ns = world_.clock->Now();
    if (behaviour_.lifted_before_armed) {
      Lift(&action, &instance, "done");
      instance.armed_ns -= kMillisecond;
    }
    Edge(action, instance, FaultEdge::ARMED, "");
  }
  const bool done = behaviour_.done_at_once.contains(KindName(action.prepare.fault()));
  const int64_t end = world_.clock->Now() + (done ? 20 * kMillisecond : action.prepare.duration_ns());
  world_.at(end, [this, name, done] { LiftAll(name, done ? "done" : "deadline"); });
}

void FakeAgent::LiftAll(const std::string& name, const std::string& why) {
  Action& action = actions_[name];
  for (Instance& instance : action.instances) Lift(&action, &instance, why);
}

void FakeAgent::Lift(Action* action, Instance* instance, const std::string& why) {
  if (!instance->armed || instance->over || !behaviour_.lifts) return;
  instance->over = true;
  Edge(*action, *instance, FaultEdge::LIFTED, why);
}

void FakeAgent::EndAll(const std::string& why) {
  for (auto& [name, action] : actions_) LiftAll(name, why);
}

void FakeAgent::Edge(const Action& action, const Instance& instance, FaultEdge::Edge edge, const std::string& why) {
  FromAgent message;
  FaultEdge* out = message.mutable_edge();
  out->set_action(action.prepare.action());
  out->set_instance(instance.spec.id());
  out->set_edge(edge);
  out->set_at_ns(edge == FaultEdge::ARMED ? instance.armed_ns : world_.clock->Now());
  out->set_planned_ns(action.planned_ns);
  out->set_why(why);
  if (edge == FaultEdge::LIFTED) {
    out->mutable_witness()->set_effective(behaviour_.witness);
    out->mutable_witness()->set_gone(behaviour_.sees_it_gone);
    out->mutable_witness()->set_count(behaviour_.witness ? 3 : 0);
    out->mutable_witness()->set_detail("3 chunks held");
  }
  Say(std::move(message));
}

void FakeAgent::Beat() {
  if (!open_run_ || gone_) return;
  if (behaviour_.streams) {
    FromAgent message;
    message.mutable_batch()->set_seq(++batch_);
    message.mutable_batch()->set_watermark_ns(world_.clock->Now());
    if (behaviour_.pool) AddPool(message.mutable_batch());
    Say(std::move(message));
  }
  world_.at(world_.clock->Now() + 50 * kMillisecond, [this] { Beat(); });
}

void FakeAgent::AddPool(agent::v1::Batch* batch) {
  if (batch_ == 1) {
    auto* def = batch->add_defs();
    def->set_id(1);
    def->set_metric("pool_size");
    def->set_kind(agent::v1::SeriesDef::GAUGE);
    for (const auto& [name, value] : std::map<std::string, std::string>{
             {"role", "server"}, {"index", "0"}, {"target", "server/0"}, {"incarnation", "1"}, {"agent", name_}}) {
      (*def->mutable_labels())[name] = value;
    }
  }
  auto* point = batch->add_points();
  point->set_series(1);
  point->set_t_ns(world_.clock->Now());
  point->set_value(behaviour_.pool(world_.clock->Now()));
}

void FakeAgent::Close() {
  EndAll("lifted");
  open_run_ = false;
  FromAgent message;
  message.mutable_closed()->set_targets_cpu_s(6);
  message.mutable_closed()->set_relay_cpu_s(1);
  message.mutable_closed()->set_agent_cpu_s(2);
  message.mutable_closed()->set_agent_max_rss_mib(30);
  message.mutable_closed()->set_relay_added_latency_us(17);
  Say(std::move(message));
}

std::vector<ToAgent> FakeAgent::CommandsOf(Command which) const {
  std::vector<ToAgent> found;
  for (const ToAgent& command : commands_) {
    if (command.command_case() == which) found.push_back(command);
  }
  return found;
}

int64_t FakeAgent::armed_at(const std::string& action) const {
  auto it = actions_.find(action);
  if (it == actions_.end() || it->second.instances.empty()) return 0;
  return it->second.instances.front().armed_ns;
}

bool FakeAgent::AnyArmed() const {
  for (const auto& [name, action] : actions_) {
    for (const Instance& instance : action.instances) {
      if (instance.armed && !instance.over) return true;
    }
  }
  return false;
}

}  // namespace squall::testing

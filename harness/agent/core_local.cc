// The half of AgentCore that people use by hand: arm, lift, list, halt. Each armed fault is its own owner, whose lease
// is as long as the fault.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "faults/catalog.h"
#include "faults/core/random.h"
#include "faults/core/status_macros.h"
#include "faults/selection.h"
#include "harness/agent/core.h"

namespace squall {

using agent::v1::ArmReply;
using agent::v1::ArmRequest;

namespace {

constexpr char kByHand[] = "local/";

std::string StateOf(const InstanceInfo& instance) {
  if (instance.incarnation == 0) return "not started";
  if (instance.pid == 0) return instance.drained ? "drained" : "exited";
  return absl::StrCat(instance.stopped ? "stopped" : instance.ready ? "ready" : "starting", " pid ", instance.pid);
}

}  // namespace

// The names of what the request's selection hits here.
absl::StatusOr<std::vector<std::string>> AgentCore::ResolveByHand(const ArmRequest& request) const {
  const auto& on = request.fault().on();
  RETURN_IF_ERROR(CheckSelection(on));
  std::vector<std::string> targets;
  if (!on.link().empty()) {
    for (const auto& [name, address] : world_->Addresses()) {
      if (absl::StartsWith(name, absl::StrCat("link.", on.link(), "/"))) {
        targets.push_back(std::string(absl::StripSuffix(absl::StripPrefix(name, "link."), ".address")));
      }
    }
    if (targets.empty()) return absl::NotFoundError(absl::StrCat("this agent carries no link ", on.link()));
    return targets;
  }
  if (!on.load().empty()) return std::vector<std::string>{on.load()};
  ASSIGN_OR_RETURN(const faults::v1::Seam seam, SeamOf(request.fault()));
  if (seam == faults::v1::SEAM_INSTANCES) return std::vector<std::string>{on.role()};
  std::vector<Candidate> candidates;
  std::vector<std::string> names;
  for (const InstanceInfo& instance : world_->Instances()) {
    candidates.push_back({instance.role, instance.index, instance.labels});
    names.push_back(instance.name);
  }
  ASSIGN_OR_RETURN(const std::vector<size_t> chosen,
                   Select(on, candidates, RandomStream(request.seed(), "by-hand/" + request.name())));
  for (const size_t place : chosen) targets.push_back(names[place]);
  return targets;
}

absl::StatusOr<ArmReply> AgentCore::Arm(const ArmRequest& request) {
  agent::v1::Prepare prepare;
  const std::string kind = KindName(request.fault());
  prepare.set_action(request.name().empty() ? absl::StrCat(kind, "-", next_local_++) : request.name());
  *prepare.mutable_fault() = request.fault();
  prepare.set_duration_ns(request.duration_ns());
  ASSIGN_OR_RETURN(const std::vector<std::string> targets, ResolveByHand(request));
  for (const std::string& target : targets) {
    auto* instance = prepare.add_instances();
    instance->set_target(target);
    instance->set_id(absl::StrCat(kByHand, prepare.action(), "/", target));
    instance->set_site(absl::StrCat("step/", prepare.action(), "/", target));
    instance->set_count(std::max<uint32_t>(1, request.fault().on().count()));
  }
  const std::string owner = kByHand + prepare.action();
  if (halted_here()) return absl::FailedPreconditionError("this agent is halted: squall halt --clear ends that");
  const auto armed_already = armory_->List();
  const bool in_use = std::any_of(armed_already.begin(), armed_already.end(),
                                  [&](const Armory::Row& row) { return row.owner == owner; });
  if (in_use) return absl::AlreadyExistsError(absl::StrCat("a fault named ", prepare.action(), " is armed"));
  armory_->Forget(owner);
  RETURN_IF_ERROR(armory_->Prepare(owner, request.seed(), prepare));
  const int64_t now = options_.clock->Now();
  options_.lease->Extend(std::max(options_.lease->until(), now + options_.local_lease_ns));
  RETURN_IF_ERROR(armory_->Renew(owner, now + request.duration_ns() + kSecond));
  agent::v1::Release release;
  release.set_action(prepare.action());
  last_failure_.clear();
  RETURN_IF_ERROR(armory_->Release(owner, release));
  if (!last_failure_.empty()) {
    const std::string failure = last_failure_;
    (void)armory_->Lift(owner, prepare.action());
    return absl::FailedPreconditionError(absl::StrCat(prepare.action(), " was not armed everywhere: ", failure));
  }
  ArmReply reply;
  reply.set_name(prepare.action());
  for (const std::string& target : targets) reply.add_targets(target);
  for (const Armory::Row& row : armory_->List()) {
    if (row.owner == owner) *reply.mutable_witness() = row.witness;
  }
  return reply;
}

absl::StatusOr<agent::v1::LiftReply> AgentCore::Lift(const agent::v1::LiftRequest& request) {
  agent::v1::LiftReply reply;
  for (const Armory::Row& row : armory_->List()) {
    if (!request.all() && row.action != request.name()) continue;
    RETURN_IF_ERROR(armory_->Lift(row.owner, row.action));
    reply.add_lifted(row.action);
  }
  if (reply.lifted().empty() && !request.all()) {
    return absl::NotFoundError(absl::StrCat("no fault named ", request.name(), " is armed"));
  }
  return reply;
}

agent::v1::ListReply AgentCore::List() const {
  agent::v1::ListReply reply;
  for (const Armory::Row& row : armory_->List()) {
    auto* armed = reply.add_armed();
    armed->set_name(row.action);
    armed->set_kind(row.kind);
    for (const std::string& target : row.targets) armed->add_targets(target);
    armed->set_remaining_ns(row.remaining_ns);
    *armed->mutable_witness() = row.witness;
  }
  for (auto& target : world_->Targets()) *reply.add_targets() = std::move(target);
  for (const InstanceInfo& instance : world_->Instances()) reply.add_states(StateOf(instance));
  for (const auto& [name, address] : world_->Addresses()) (*reply.mutable_addresses())[name] = address;
  reply.set_halted(halted_here());
  return reply;
}

agent::v1::HaltReply AgentCore::Halt(const agent::v1::HaltRequest& request) {
  agent::v1::HaltReply reply;
  if (request.clear()) {
    armory_->ClearHalt();
  } else {
    for (const std::string& name : armory_->Halt("", "halted")) reply.add_lifted(name);
  }
  reply.set_halted(halted_here());
  return reply;
}

void AgentCore::Drain(std::function<void()> done) {
  armory_->Halt("", "halted");
  Flush(0);
  world_->Close(/*keep=*/!options_.test_mode, std::move(done));
}

}  // namespace squall

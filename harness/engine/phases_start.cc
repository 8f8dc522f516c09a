// From the first input until the run starts: agents, inventories, prepared faults, ready targets.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/clock.h"
#include "harness/engine/durations.h"
#include "harness/engine/reasons.h"
#include "harness/engine/state.h"
#include "harness/plan/variants.h"

namespace squall {
namespace {

constexpr int64_t kStartWithin = 60 * kSecond;

std::vector<std::string> NamesWhere(const run::Roster& roster, bool (*missing)(const run::Member&)) {
  std::vector<std::string> names;
  for (const run::Member& member : roster.members()) {
    if (missing(member)) names.push_back(member.name);
  }
  return names;
}

}  // namespace

void Engine::State::StepAgents() {
  const std::vector<run::Lack> lacks = roster.Missing();
  for (const run::Lack& lack : lacks) {
    if (now - first_now >= lack.within_ns) return Stop(lack.code, lack.detail);
  }
  if (lacks.empty()) OpenRun();
}

void Engine::State::OpenRun() {
  roster.Assign();
  Enter(OPENING);
  next_renew = now + lease_ns / 4;
  for (const run::Member& member : roster.members()) {
    judging->AddAgent(member.name);
    agent::v1::ToAgent message;
    agent::v1::OpenRun* open = message.mutable_open_run();
    *open->mutable_plan() = plan.plan;
    open->set_seed(options.seed);
    open->set_lease_ns(lease_ns);
    for (const auto& [name, path] : options.binaries) (*open->mutable_binaries())[name] = path;
    for (const std::string& role : member.roles) open->add_roles(role);
    open->set_carries_links(member.carries_links);
    open->set_directory(options.directory);
    for (const auto& [role, index] : member.first_index) (*open->mutable_first_index())[role] = index;
    outbox.Send(member.name, std::move(message));
  }
}

void Engine::State::StepOpening() {
  const auto silent = NamesWhere(roster, [](const run::Member& m) { return !m.opened; });
  if (silent.empty()) return PrepareAll();
  if (now - phase_since >= options.answer_within_ns) {
    Stop(reason::kAgentSilent, absl::StrCat(absl::StrJoin(silent, ", "), " did not open the run"));
  }
}

void Engine::State::PrepareAll() {
  absl::StatusOr<Schedule> made = MakeSchedule(plan.plan, targets.Inventory(), addresses, options.run_id, options.seed);
  if (!made.ok()) return Stop(reason::kScheduleRefused, std::string(made.status().message()));
  schedule = *std::move(made);
  // The agents draw the same labels from the same seed; the log of the draws is made here.
  for (const plan::v1::Target& target : plan.plan.targets()) {
    if (target.has_attach()) continue;
    AssignLabels(target, target.has_count() ? target.count() : 1, options.seed, &schedule.draws);
  }
  timeline.emplace(&schedule.actions);
  Enter(PREPARING);
  for (const Action& action : schedule.actions) {
    if (action.kind.empty() || action.live) continue;
    if (!Prepare(action)) return;
  }
}

bool Engine::State::Prepare(const Action& action) {
  std::map<std::string, agent::v1::Prepare> by_agent;
  for (const agent::v1::FaultInstance& instance : action.instances) {
    const std::string owner = OwnerOf(action, instance);
    if (owner.empty()) {
      Stop(reason::kScheduleRefused, absl::StrCat(action.step, ": no agent has ", instance.target()));
      return false;
    }
    *by_agent[owner].add_instances() = instance;
  }
  faults.Plan(action.step, action.kind, action.instances);
  for (auto& [owner, prepare] : by_agent) {
    prepare.set_action(action.step);
    *prepare.mutable_fault() = action.fault;
    prepare.set_duration_ns(action.duration_ns);
    agent::v1::ToAgent message;
    *message.mutable_prepare() = std::move(prepare);
    ++roster.Find(owner)->prepares_open;
    outbox.Send(owner, std::move(message));
  }
  return true;
}

void Engine::State::StepPreparing() {
  const auto silent = NamesWhere(roster, [](const run::Member& m) { return m.prepares_open > 0; });
  if (silent.empty()) return Begin();
  if (now - phase_since >= options.answer_within_ns) {
    Stop(reason::kAgentSilent, absl::StrCat(absl::StrJoin(silent, ", "), " did not prepare the faults"));
  }
}

void Engine::State::Begin() {
  Enter(READYING);
  for (const run::Member& member : roster.members()) {
    agent::v1::ToAgent message;
    for (const auto& [name, address] : addresses) (*message.mutable_begin()->mutable_addresses())[name] = address;
    message.mutable_begin();
    outbox.Send(member.name, std::move(message));
  }
}

void Engine::State::StepReadying() {
  const auto waiting = NamesWhere(roster, [](const run::Member& m) { return !m.begun; });
  if (waiting.empty() && targets.AllReady()) return StartRun();
  if (const auto hopeless = targets.Hopeless()) return Stop(reason::kTargetsNotReady, *hopeless);
  const int64_t within = run::NsOr(plan.plan.run().has_start_within(), plan.plan.run().start_within(), kStartWithin);
  if (now - phase_since < within) return;
  std::vector<std::string> names = targets.NotReady();
  for (const std::string& agent : waiting) names.push_back(absl::StrCat("agent ", agent, ": has not begun"));
  Stop(reason::kTargetsNotReady, absl::StrJoin(names, "; "));
}

void Engine::State::StartRun() {
  run_start_ns = now;
  Enter(RUNNING);
  judging->SetRunStart(now);
  timeline->Start(now);
}

}  // namespace squall

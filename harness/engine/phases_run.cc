// While the run runs: steps are released, followed and lifted, conditions watched, the end found.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/clock.h"
#include "harness/engine/durations.h"
#include "harness/engine/reasons.h"
#include "harness/engine/state.h"
#include "harness/plan/after_rule.h"

namespace squall {
namespace {

constexpr int64_t kReleaseExpires = kSecond;

}  // namespace

void Engine::State::StepRunning() {
  AnnounceRequests();
  judged_until = judging->Advance(std::min(now, EndAt().value_or(now)));
  if (const auto abort = judging->AbortBecause()) return Stop(reason::kAbortWhen, *abort);
  if (const auto end = EndAt(); !end || now < *end) {
    const auto holds = [this](const std::string& step) { return judging->WhenHolds(step); };
    for (const run::Decision& decision : timeline->Decide(now, judged_until, holds)) {
      Carry(decision);
      if (phase != RUNNING) return;
    }
    AnnounceRequests();
  }
  CheckConfirmations();
  if (phase == RUNNING) CheckEnd();
}

void Engine::State::Carry(const run::Decision& decision) {
  const std::string& step = schedule.actions[decision.index].step;
  switch (decision.what) {
    case run::Decision::RELEASE:
      return Release(decision.index, decision.at_ns);
    case run::Decision::MARK:
      judging->OnStep(step, StepEdge::kStart, decision.at_ns, decision.at_ns);
      judging->OnStep(step, StepEdge::kEnd, decision.at_ns, decision.at_ns);
      return LogAt(decision.at_ns, "step_started", step, "");
    case run::Decision::SKIP:
      judging->OnStep(step, StepEdge::kGivenUp, now, now);
      notes.push_back(absl::StrCat("step ", step, " was skipped: ", decision.why));
      return Log("step_skipped", step, decision.why);
    case run::Decision::ABORT:
      judging->OnStep(step, StepEdge::kGivenUp, now, now);
      return Stop(reason::kConditionNotMet, absl::StrCat(step, ": ", decision.why));
  }
}

void Engine::State::Release(size_t index, int64_t at_ns) {
  Action& action = schedule.actions[index];
  if (action.live) {
    auto drawn =
        ResolveInstances(plan.plan, action, targets.Inventory(), options.run_id, options.seed, &schedule.draws);
    if (!drawn.ok()) return Stop(reason::kScheduleRefused, std::string(drawn.status().message()));
    action.instances = *std::move(drawn);
    if (!Prepare(action)) return;
  }
  Log("step_released", action.step, absl::StrCat("for ", run::Seconds(at_ns - run_start_ns), " s"));
  for (const std::string& owner : OwnersOf(action)) {
    agent::v1::ToAgent message;
    message.mutable_release()->set_action(action.step);
    message.mutable_release()->set_not_before_ns(at_ns);
    message.mutable_release()->set_expires_ns(std::max(at_ns, now) + kReleaseExpires);
    outbox.Send(owner, std::move(message));
  }
}

// The judge is told of a step's request when its time comes, not when its release was sent ahead.
void Engine::State::AnnounceRequests() {
  for (size_t i = 0; i < timeline->size(); ++i) {
    const run::StepState& state = timeline->state(i);
    if (state.phase != run::StepState::RELEASED || *state.planned_ns > now || !requested.insert(i).second) continue;
    judging->OnStep(schedule.actions[i].step, StepEdge::kRequested, *state.planned_ns, *state.planned_ns);
  }
}

std::string Engine::State::OwnerOf(const Action& action, const agent::v1::FaultInstance& instance) const {
  if (!action.fault.on().role().empty()) {
    std::string owner = targets.AgentOf(instance.target());
    if (!owner.empty()) return owner;
    const run::Member* member = roster.OwnerOfRole(action.fault.on().role());
    return member == nullptr ? "" : member->name;
  }
  const run::Member* carrier = roster.carrier();
  return carrier == nullptr ? "" : carrier->name;
}

std::vector<std::string> Engine::State::OwnersOf(const Action& action) const {
  std::set<std::string> owners;
  for (const auto& instance : action.instances) owners.insert(OwnerOf(action, instance));
  return {owners.begin(), owners.end()};
}

void Engine::State::FollowFaults(size_t index) {
  const std::string& step = schedule.actions[index].step;
  run::StepState& state = timeline->state(index);
  if (!state.start) {
    if (const auto armed = faults.ArmedSpan(step)) {
      if (requested.insert(index).second) judging->OnStep(step, StepEdge::kRequested, armed->lo, armed->lo);
      timeline->OnStarted(index, *armed);
      judging->OnStep(step, StepEdge::kStart, armed->lo, armed->hi);
      LogAt(armed->hi, "step_started", step, "");
    }
  }
  if (state.start && !state.end) {
    if (const auto lifted = faults.LiftedSpan(step)) {
      timeline->OnEnded(index, *lifted);
      judging->OnStep(step, StepEdge::kEnd, lifted->lo, lifted->hi);
      LogAt(lifted->hi, "step_ended", step, "");
    }
  }
}

void Engine::State::CheckConfirmations() {
  for (size_t i = 0; i < timeline->size() && phase == RUNNING; ++i) {
    const Action& action = schedule.actions[i];
    run::StepState& state = timeline->state(i);
    if (state.phase == run::StepState::RELEASED) {
      if (now < std::max(*state.planned_ns, state.released_ns) + kReleaseExpires + options.confirm_within_ns) continue;
      const std::string who = absl::StrJoin(faults.NotArmed(action.step), ", ");
      for (const Finding& finding : faults.Refuse(action.step, absl::StrCat("not confirmed: ", who))) {
        Stop(finding.code, finding.detail);
      }
      continue;
    }
    if (!state.start || !faults.AnyArmed(action.step)) continue;
    // The agent has its own deadline too; this one also reaches a fault that followed its target into a new
    // incarnation.
    const int64_t due = state.start->hi + action.duration_ns;
    if (now < due) continue;
    if (state.lift_sent_ns == 0) {
      state.lift_sent_ns = now;
      for (const std::string& owner : OwnersOf(action)) {
        agent::v1::ToAgent message;
        message.mutable_lift()->set_action(action.step);
        outbox.Send(owner, std::move(message));
      }
    } else if (now >= state.lift_sent_ns + options.confirm_within_ns) {
      Stop(reason::kFaultNotLifted,
           absl::StrCat(action.step, " on ", absl::StrJoin(faults.NotLifted(action.step), ", "), ": not confirmed"));
    }
  }
}

std::optional<int64_t> Engine::State::EndAt() const {
  if (!plan.plan.run().has_length()) return std::nullopt;
  std::optional<int64_t> from = run_start_ns;
  if (!plan.plan.run().from().empty()) {
    const auto anchor = ParseAfter(plan.plan.run().from());
    if (!anchor.ok()) return std::nullopt;  // the validator has seen it
    from = timeline->At(anchor->step, anchor->edge == AfterRule::kStart ? Release::START : Release::END);
  }
  if (!from) return std::nullopt;
  return *from + run::Ns(plan.plan.run().length());
}

void Engine::State::CheckEnd() {
  if (now - first_now >= options.longest_ns) {
    return Stop(reason::kRunTooLong, absl::StrCat(run::Seconds(options.longest_ns), " s"));
  }
  if (!plan.plan.run().has_length()) {
    if (timeline->AllOver() && judging->AllDecided()) Complete(now);
    return;
  }
  if (const auto end = EndAt()) {
    if (now >= *end) Complete(*end);
    return;
  }
  const auto anchor = ParseAfter(plan.plan.run().from());
  if (anchor.ok() && timeline->Unreachable(anchor->step)) {
    Stop(reason::kAnchorNotReached, plan.plan.run().from());
  }
}

}  // namespace squall

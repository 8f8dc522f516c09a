// From the moment the run ends: undo what is live, wait for late data, judge, close.
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "harness/engine/reasons.h"
#include "harness/engine/state.h"

namespace squall {
namespace {

constexpr int64_t kSettleWithin = kSecond;

}  // namespace

void Engine::State::Stop(absl::string_view code, const std::string& detail) {
  if (phase == DONE) return;
  findings.push_back({std::string(code), detail});
  Log("problem", std::string(code), detail);
  if (ending()) return;
  stopped = true;
  run_end_ns = started() ? now : 0;
  if (phase == AGENTS) return Finish();  // nothing has been asked of anybody
  for (const run::Member& member : roster.members()) {
    if (member.lost || member.refused) continue;
    agent::v1::ToAgent halt;
    halt.mutable_halt()->set_why(absl::StrCat(code, detail.empty() ? "" : ": ", detail));
    outbox.Send(member.name, std::move(halt));
  }
  Enter(SETTLING);
}

void Engine::State::Complete(int64_t at_ns) {
  run_end_ns = at_ns;
  Log("run_ended", "", "");
  for (size_t i = 0; i < timeline->size(); ++i) {
    const run::StepState& state = timeline->state(i);
    const Action& action = schedule.actions[i];
    const bool released = state.phase == run::StepState::RELEASED || state.phase == run::StepState::STARTED;
    if (!released && !faults.AnyArmed(action.step)) continue;
    // Also of those sent ahead: a lifted action cannot be armed any more.
    for (const std::string& owner : OwnersOf(action)) {
      agent::v1::ToAgent message;
      message.mutable_lift()->set_action(action.step);
      outbox.Send(owner, std::move(message));
    }
  }
  Enter(SETTLING);
}

void Engine::State::StepSettling() {
  if (!started()) return CloseAll();
  if (timeline) AnnounceRequests();
  judged_until = judging->Advance(run_end_ns);  // what comes after the end is not judged
  const bool quiet = judged_until >= run_end_ns && faults.Live().empty();
  if (!quiet && now - phase_since < kSettleWithin) return;
  FinishJudging();
  CloseAll();
}

void Engine::State::FinishJudging() {
  for (size_t i = 0; i < timeline->size(); ++i) {
    const run::StepState& state = timeline->state(i);
    if (!state.start) judging->OnStep(schedule.actions[i].step, StepEdge::kGivenUp, run_end_ns, run_end_ns);
  }
  // What only the end of a stopped run would decide was not violated before the stop.
  for (const report::v1::InvariantResult& result : judging->Results()) {
    if (result.verdict() == report::v1::VIOLATED && result.final()) violated_before_stop.insert(result.name());
  }
  judging->Finish(run_end_ns);
  judged = true;
}

void Engine::State::CloseAll() {
  Enter(CLOSING);
  for (const run::Member& member : roster.members()) {
    if (member.lost || member.refused) continue;
    agent::v1::ToAgent message;
    message.mutable_close_run()->set_keep_targets(options.mode == EngineOptions::Mode::kAttach);
    outbox.Send(member.name, std::move(message));
  }
}

void Engine::State::StepClosing() {
  std::vector<std::string> open;
  for (const run::Member& member : roster.members()) {
    if (!member.closed && !member.lost && !member.refused) open.push_back(member.name);
  }
  if (open.empty()) return Finish();
  if (now - phase_since < options.close_within_ns) return;
  for (const std::string& agent : open) Stop(reason::kCloseTimeout, agent);
  Finish();
}

void Engine::State::Finish() {
  for (const Finding& finding : faults.Review()) {
    findings.push_back(finding);
    Log("problem", finding.code, finding.detail);
  }
  if (!stopped && timeline) {
    for (size_t i = 0; i < timeline->size(); ++i) {
      const run::StepState& state = timeline->state(i);
      if (state.start || state.phase == run::StepState::SKIPPED) continue;
      findings.push_back({std::string(reason::kStepNotReached), schedule.actions[i].step});
    }
  }
  if (faults.strays() > 0)
    notes.push_back(absl::StrCat(faults.strays(), " fault edges belong to no fault of the plan"));
  if (judging != nullptr) {
    for (std::string& note : judging->Notes()) notes.push_back(std::move(note));
  }
  Enter(DONE);
  const Ruling ruling = Rule(Facts());
  Log("verdict", report::v1::Verdict_Name(ruling.verdict), absl::StrCat(ruling.reason, ": ", ruling.detail));
}

}  // namespace squall

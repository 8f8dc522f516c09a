#include "harness/engine/timeline.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"

namespace squall::run {
namespace {

// How long after its time-out a condition may still be found true in late data.
constexpr int64_t kLateData = 2 * kSecond;

}  // namespace

Timeline::Timeline(const std::vector<Action>* actions) : actions_(actions), states_(actions->size()) {
  for (size_t i = 0; i < actions->size(); ++i) by_name_[(*actions)[i].step] = i;
}

std::optional<size_t> Timeline::IndexOf(const std::string& step) const {
  auto it = by_name_.find(step);
  if (it == by_name_.end()) return std::nullopt;
  return it->second;
}

std::optional<int64_t> Timeline::At(const std::string& step, Release::Edge edge) const {
  if (step.empty() || step == "run") {
    if (run_start_ns_ == 0) return std::nullopt;
    return run_start_ns_;
  }
  const std::optional<size_t> index = IndexOf(step);
  if (!index) return std::nullopt;
  const StepState& state = states_[*index];
  if ((*actions_)[*index].kind.empty()) return state.phase == StepState::SKIPPED ? std::nullopt : state.planned_ns;
  const std::optional<Span>& span = edge == Release::START ? state.start : state.end;
  if (!span) return std::nullopt;
  return span->hi;
}

bool Timeline::Unreachable(const std::string& step) const {
  const std::optional<size_t> index = IndexOf(step);
  return index && states_[*index].phase == StepState::SKIPPED;
}

Timeline::Anchor Timeline::AnchorOf(const Release& release) const {
  if (Unreachable(release.step)) return {std::nullopt, true};
  const Release::Edge edge = release.kind == Release::AFTER ? release.edge : Release::START;
  std::optional<int64_t> at = At(release.kind == Release::AT ? "" : release.step, edge);
  if (at && release.kind != Release::WHEN) *at += release.offset_ns;
  return {at, false};
}

std::vector<Decision> Timeline::Decide(int64_t now, int64_t judged_until,
                                       const std::function<bool(const std::string&)>& holds) {
  std::vector<Decision> decisions;
  // One decision may let another step be decided, also one further up.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < states_.size(); ++i) {
      std::optional<Decision> decision = DecideOne(i, now, judged_until, holds);
      if (!decision) continue;
      changed = true;
      decisions.push_back(*std::move(decision));
      if (decisions.back().what == Decision::ABORT) return decisions;
    }
  }
  return decisions;
}

std::optional<Decision> Timeline::DecideOne(size_t index, int64_t now, int64_t judged_until,
                                            const std::function<bool(const std::string&)>& holds) {
  StepState& state = states_[index];
  const Action& action = (*actions_)[index];
  if (state.phase != StepState::WAITING) return std::nullopt;
  if (state.planned_ns) return Go(index, *state.planned_ns, now);
  const Anchor anchor = AnchorOf(action.release);
  if (anchor.never) return Skip(index, absl::StrCat("step ", action.release.step, " was skipped"));
  if (!anchor.at_ns) return std::nullopt;
  if (action.release.kind == Release::WHEN) return DecideWhen(index, *anchor.at_ns, now, judged_until, holds);
  return Go(index, *anchor.at_ns, now);
}

std::optional<Decision> Timeline::DecideWhen(size_t index, int64_t since, int64_t now, int64_t judged_until,
                                             const std::function<bool(const std::string&)>& holds) {
  const Action& action = (*actions_)[index];
  const Release& release = action.release;
  // Its hold must lie behind the moment it counts from.
  if (judged_until >= since + release.hold_ns && holds(action.step)) return Go(index, now, now);
  const int64_t deadline = since + release.within_ns;
  if (judged_until < deadline && now < deadline + kLateData) return std::nullopt;
  const std::string why =
      absl::StrCat("`", release.expr, "` did not become true within ", release.within_ns / 1e9, " s");
  switch (release.otherwise) {
    case plan::v1::When::GO:
      return Go(index, now, now);
    case plan::v1::When::SKIP:
      return Skip(index, why);
    default:
      states_[index].phase = StepState::SKIPPED;
      states_[index].failure = why;
      return Decision{Decision::ABORT, index, now, why};
  }
}

std::optional<Decision> Timeline::Go(size_t index, int64_t at_ns, int64_t now) {
  StepState& state = states_[index];
  state.planned_ns = at_ns;
  if (!(*actions_)[index].kind.empty()) {
    state.phase = StepState::RELEASED;
    state.released_ns = now;
    return Decision{Decision::RELEASE, index, at_ns, ""};
  }
  if (now < at_ns) return std::nullopt;  // known ahead, not yet come
  state.phase = StepState::ENDED;
  state.start = state.end = Span{at_ns, at_ns};
  return Decision{Decision::MARK, index, at_ns, ""};
}

Decision Timeline::Skip(size_t index, std::string why) {
  states_[index].phase = StepState::SKIPPED;
  states_[index].failure = why;
  return {Decision::SKIP, index, 0, std::move(why)};
}

void Timeline::OnStarted(size_t index, Span span) {
  StepState& state = states_[index];
  if (state.start) return;
  state.start = span;
  state.phase = StepState::STARTED;
}

void Timeline::OnEnded(size_t index, Span span) {
  StepState& state = states_[index];
  if (state.end || !state.start) return;
  state.end = span;
  state.phase = StepState::ENDED;
}

bool Timeline::AllOver() const {
  return std::all_of(states_.begin(), states_.end(),
                     [](const StepState& s) { return s.phase == StepState::ENDED || s.phase == StepState::SKIPPED; });
}

std::optional<int64_t> Timeline::NextDue(int64_t now) const {
  std::optional<int64_t> next;
  const auto consider = [&](int64_t t) {
    if (t > now && (!next || t < *next)) next = t;
  };
  for (size_t i = 0; i < states_.size(); ++i) {
    const StepState& state = states_[i];
    if (state.phase == StepState::WAITING && state.planned_ns) consider(*state.planned_ns);
    if (state.start && !state.end && state.lift_sent_ns == 0) consider(state.start->hi + (*actions_)[i].duration_ns);
  }
  return next;
}

}  // namespace squall::run

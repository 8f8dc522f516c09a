#include <algorithm>

#include "absl/strings/str_cat.h"
#include "harness/invariants/within_task.h"

namespace squall {

using report::v1::HOLDS;
using report::v1::UNKNOWN;
using report::v1::VACUOUS;

RespondTask::RespondTask(const Graph* graph, const StepBook* steps, const ast::Body& body, const BoolNode* trigger,
                         const BoolNode* f, const BoolNode* held)
    : BodyTask(graph, steps, trigger, held), body_(body), f_(f) {
  Mention(body.scope);
}

void RespondTask::OnChange(int64_t t_ns) {
  BodyTask::OnChange(t_ns);
  if (!answers_.empty() && answers_.back().t_ns == t_ns) answers_.pop_back();
  answers_.push_back({t_ns, f_->value()});
}

void RespondTask::Trigger(int64_t t_ns, bool sure) {
  ++(sure ? sure_ : possible_);
  open_.push_back({Obligation(t_ns, t_ns + body_.deadline_ns, body_.stays_ns), sure});
}

// A trigger is a rise from false to true, or being true where a scope begins. Where it is not known whether there was
// one, the answer must have come to any that may have been: to one at the start of the stretch, and to one at each
// instant from which on an answer is no longer at hand.
void RespondTask::VisitTrigger(int64_t from_ns, int64_t to_ns, Tri trigger) {
  for (size_t i = 0; i < spans_.size(); ++i) {
    const int64_t from = std::max(from_ns, spans_[i].begin.nominal);
    const int64_t to = std::min(to_ns, spans_[i].end ? spans_[i].end->nominal : kForever);
    if (from >= to) continue;
    if (i != last_span_) last_trigger_ = Tri::kFalse;
    last_span_ = i;
    if (trigger == Tri::kTrue && last_trigger_ == Tri::kFalse) Trigger(from, true);
    if (trigger == Tri::kTrue && last_trigger_ == Tri::kUnknown) Trigger(from, false);
    if (trigger == Tri::kUnknown) {
      Trigger(from, false);
      maybe_.push_back({from, to});
    }
    last_trigger_ = trigger;
  }
}

void RespondTask::MaybeTriggered(int64_t t_ns) {
  const bool maybe = std::any_of(maybe_.begin(), maybe_.end(), [&](const Stretch& stretch) {
    return stretch.from_ns <= t_ns && t_ns < stretch.to_ns;
  });
  if (maybe) Trigger(t_ns, false);
}

void RespondTask::Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) {
  while (answers_.size() > 1 && answers_[1].t_ns <= from_ns) answers_.pop_front();
  const BoolValue f = answers_.front().f;
  VisitTrigger(from_ns, to_ns, now.a.v);
  if (last_held_ == Tri::kTrue && now.b.v != Tri::kTrue) MaybeTriggered(from_ns - body_.stays_ns);
  last_held_ = now.b.v;
  while (!maybe_.empty() && maybe_.front().to_ns < from_ns - body_.stays_ns) maybe_.pop_front();
  for (Open& open : open_) open.obligation.Visit(from_ns, to_ns, f, now.b);
  const auto done =
      std::stable_partition(open_.begin(), open_.end(), [](const Open& open) { return !open.obligation.complete(); });
  for (auto it = done; it != open_.end(); ++it) Close(*it);
  open_.erase(done, open_.end());
}

void RespondTask::Drain(int64_t limit_ns) {
  BodyTask::Drain(limit_ns);
  if (!steps_->run_end_ns() || limit_ns <= *steps_->run_end_ns()) return;
  if (last_held_ == Tri::kTrue) MaybeTriggered(limit_ns - body_.stays_ns);  // from there on no answer can be seen whole
  for (Open& open : open_) {
    open.obligation.Cut(limit_ns);
    Close(open);
  }
  open_.clear();
}

void RespondTask::Close(const Open& open) {
  BoolValue one = open.obligation.value();
  if (!open.sure) {
    if (one.v != Tri::kTrue) one.v = Tri::kUnknown;
    one.hi = BoolValue::True().hi;
  }
  value_ = And(value_, one);
  cut_ = cut_ || open.obligation.cut();
  if (!open.sure) return;
  if (one.v == Tri::kFalse && (!first_violation_ns_ || open.obligation.last_ns() < *first_violation_ns_)) {
    first_violation_ns_ = open.obligation.last_ns();
  }
  const auto held = open.obligation.held_since_ns();
  all_answered_ = all_answered_ && held.has_value();
  if (held) slowest_ns_ = std::max(slowest_ns_.value_or(0), *held - open.obligation.first_ns());
}

Outcome RespondTask::Judge() const {
  Outcome outcome;
  outcome.best = true;
  BoolValue value = value_;
  std::optional<int64_t> violated = first_violation_ns_;
  bool waiting = false;
  for (const Open& open : open_) {
    const BoolValue one = open.obligation.value();
    if (open.sure && open.obligation.decided() && one.v == Tri::kFalse) {
      value = And(value, one);
      violated = std::min(violated.value_or(kForever), open.obligation.last_ns());
    } else if (!open.obligation.decided()) {
      waiting = true;
    }
  }
  outcome.final = finished_ || value.v == Tri::kFalse;
  if (sure_ == 0) {
    outcome.verdict = possible_ > 0 ? UNKNOWN : VACUOUS;
    outcome.reason = possible_ > 0 ? "trigger_unknown" : "trigger_never";
    outcome.detail = possible_ > 0    ? "whether its condition ever came true is not known"
                     : spans_.empty() ? steps_->Missing(body_.scope)
                                      : "its condition never came true";
    return outcome;
  }
  outcome.judged = true;
  outcome.value = value;
  outcome.verdict = TruthOf(value.v);
  outcome.first_violation_ns = violated;
  if (outcome.verdict == HOLDS && waiting) {
    outcome.verdict = UNKNOWN;
    outcome.reason = "not_decided";
  } else if (outcome.verdict == UNKNOWN) {
    outcome.reason = cut_ ? "truncated" : "missing_data";
    if (cut_) outcome.detail = "the run ended before it could be told";
  }
  if (outcome.verdict == report::v1::VIOLATED) {
    outcome.detail = absl::StrCat("not answered within ", ast::PrintDuration(body_.deadline_ns));
  }
  if (all_answered_ && !waiting && slowest_ns_) outcome.recovery_ns = slowest_ns_;
  return outcome;
}

}  // namespace squall

#include "harness/invariants/scoped_task.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace squall {
namespace {

using report::v1::HOLDS;
using report::v1::UNKNOWN;
using report::v1::VACUOUS;
using report::v1::VIOLATED;

// An instant that may or may not belong to the scope cannot decide against it (for it, if asked for one that is true).
BoolValue Doubtful(const BoolValue& value, bool sometimes) {
  BoolValue doubtful = value;
  if (sometimes) {
    doubtful.lo = BoolValue::False().lo;
    if (value.v == Tri::kTrue) doubtful.v = Tri::kUnknown;
  } else {
    doubtful.hi = BoolValue::True().hi;
    if (value.v == Tri::kFalse) doubtful.v = Tri::kUnknown;
  }
  return doubtful;
}

}  // namespace

report::v1::Truth TruthOf(Tri v) { return v == Tri::kTrue ? HOLDS : v == Tri::kFalse ? VIOLATED : UNKNOWN; }

ScopedTask::ScopedTask(const Graph* graph, const StepBook* steps, Kind kind, const ast::Scope& scope, const BoolNode* a,
                       const BoolNode* b)
    : BodyTask(graph, steps, a, b), kind_(kind), scope_(scope) {
  Mention(scope);
}

void ScopedTask::SetBound(ast::Compare compare, double bound, std::string text, bool percent) {
  compare_ = compare;
  bound_ = bound;
  bound_text_ = std::move(text);
  percent_ = percent;
}

void ScopedTask::OnSteps() {
  spans_ = steps_->Spans(scope_);
  if (seen_.size() < spans_.size()) {
    seen_.resize(spans_.size(), {.value = kind_ == kSometimes ? BoolValue::False() : BoolValue::True()});
  }
}

void ScopedTask::Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) {
  for (size_t i = 0; i < spans_.size(); ++i) {
    const Span& span = spans_[i];
    const int64_t end_lo = span.end ? span.end->lo : kForever;
    const int64_t end_hi = span.end ? span.end->hi : kForever;
    const int64_t from = std::max(from_ns, span.begin.lo);
    const int64_t to = std::min(to_ns, end_hi);
    if (from >= to) continue;
    if (kind_ == kFraction) {
      ObserveFraction(&seen_[i], std::max(from_ns, span.begin.nominal),
                      std::min(to_ns, span.end ? span.end->nominal : kForever), now);
      continue;
    }
    const int64_t sure_from = std::clamp(span.begin.hi, from, to);
    const int64_t sure_to = std::clamp(end_lo, sure_from, to);
    if (from < sure_from) Observe(&seen_[i], from, sure_from, now, false);
    if (sure_from < sure_to) Observe(&seen_[i], sure_from, sure_to, now, true);
    if (sure_to < to) Observe(&seen_[i], sure_to, to, now, false);
  }
}

void ScopedTask::Observe(Seen* seen, int64_t from_ns, int64_t to_ns, const BoolSnapshot& now, bool certain) const {
  const BoolValue& whole = kind_ == kImply ? now.b : now.a;
  const BoolValue value = certain ? whole : Doubtful(whole, kind_ == kSometimes);
  seen->any = true;
  if (kind_ == kSometimes) {
    seen->value = Or(seen->value, value);
    return;
  }
  if (value.v == Tri::kFalse && !seen->first_false_ns) seen->first_false_ns = from_ns;
  seen->value = And(seen->value, value);
  seen->triggered = seen->triggered || (certain && now.a.v == Tri::kTrue);
  seen->maybe_triggered = seen->maybe_triggered || now.a.v != Tri::kFalse;
}

void ScopedTask::ObserveFraction(Seen* seen, int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) const {
  if (from_ns >= to_ns) return;
  seen->any = true;
  seen->total_ns += to_ns - from_ns;
  if (now.a.v == Tri::kTrue) seen->true_ns += to_ns - from_ns;
  if (now.a.v == Tri::kUnknown) seen->unknown_ns += to_ns - from_ns;
}

bool ScopedTask::Over() const {
  if (finished_) return true;
  return steps_->Complete(scope_) && std::all_of(spans_.begin(), spans_.end(), [&](const Span& span) {
           return span.end && span.end->hi <= position_;
         });
}

bool ScopedTask::Waits() const {
  return !finished_ && std::any_of(spans_.begin(), spans_.end(),
                                   [&](const Span& span) { return span.end && span.end->hi > position_; });
}

Outcome ScopedTask::Judge() const {
  Outcome outcome;
  Seen all{.value = kind_ == kSometimes ? BoolValue::False() : BoolValue::True()};
  bool decided = false;
  for (size_t i = 0; i < spans_.size(); ++i) {
    const Seen& seen = seen_[i];
    if (!seen.any) continue;
    all.any = true;
    all.value = kind_ == kSometimes ? Or(all.value, seen.value) : And(all.value, seen.value);
    if (seen.first_false_ns && (!all.first_false_ns || *seen.first_false_ns < *all.first_false_ns)) {
      all.first_false_ns = seen.first_false_ns;
    }
    all.triggered |= seen.triggered;
    all.maybe_triggered |= seen.maybe_triggered;
    all.true_ns += seen.true_ns;
    all.unknown_ns += seen.unknown_ns;
    all.total_ns += seen.total_ns;
    const bool counts = !spans_[i].needs_end || spans_[i].end;
    decided |= counts && seen.value.v == (kind_ == kSometimes ? Tri::kTrue : Tri::kFalse);
  }
  outcome.final = Over() || (decided && kind_ != kFraction);
  outcome.best = kind_ == kSometimes;
  if (!all.any) {
    outcome.verdict = VACUOUS;
    outcome.reason = "scope_empty";
    outcome.detail = steps_->Missing(scope_);
    return outcome;
  }
  if (kind_ == kFraction) {
    JudgeFraction(all, &outcome);
    return outcome;
  }
  outcome.judged = true;
  outcome.value = all.value;
  outcome.verdict = TruthOf(all.value.v);
  outcome.first_violation_ns = all.first_false_ns;
  if (outcome.verdict == UNKNOWN) outcome.reason = "missing_data";
  if (kind_ == kSometimes && outcome.verdict == VIOLATED && !outcome.final) {
    outcome.verdict = UNKNOWN;
    outcome.reason = "not_decided";
  }
  if (kind_ == kImply && !all.triggered && outcome.verdict == HOLDS) {
    outcome.verdict = all.maybe_triggered ? UNKNOWN : VACUOUS;
    outcome.reason = all.maybe_triggered ? "trigger_unknown" : "trigger_never";
    outcome.detail =
        all.maybe_triggered ? "whether its condition ever came true is not known" : "its condition never came true";
  }
  return outcome;
}

void ScopedTask::JudgeFraction(const Seen& all, Outcome* outcome) const {
  const double total = static_cast<double>(all.total_ns);
  const Interval share{static_cast<double>(all.true_ns) / total,
                       static_cast<double>(all.true_ns + all.unknown_ns) / total};
  outcome->judged = true;
  outcome->value = CompareNumbers(compare_, share, {bound_, bound_}, bound_ == 0 ? 1 : std::abs(bound_));
  outcome->verdict = TruthOf(outcome->value.v);
  if (outcome->verdict == UNKNOWN) outcome->reason = "missing_data";
  const auto print = [&](double value) {
    return percent_ ? absl::StrFormat("%.4g%%", value * 100) : absl::StrFormat("%.4g", value);
  };
  outcome->detail = absl::StrCat(
      "the fraction was ", share.known() ? print(share.lo) : absl::StrCat(print(share.lo), " to ", print(share.hi)),
      ", must be ", ast::Symbol(compare_), " ", bound_text_);
}

}  // namespace squall

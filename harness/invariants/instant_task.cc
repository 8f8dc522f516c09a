#include "harness/invariants/instant_task.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace squall {

void InstantTask::OnSteps() {
  instants_ = steps_->Instants(point_);
  const auto outside = [&](const Instant& instant) {
    return instant.hi < steps_->run_start_ns() || (steps_->run_end_ns() && instant.lo > *steps_->run_end_ns());
  };
  instants_.erase(std::remove_if(instants_.begin(), instants_.end(), outside), instants_.end());
  seen_.resize(std::max(seen_.size(), instants_.size()));
}

void InstantTask::Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) {
  for (size_t i = 0; i < instants_.size(); ++i) {
    if (instants_[i].hi < from_ns || instants_[i].lo >= to_ns) continue;
    seen_[i].any = true;
    seen_[i].all = And(seen_[i].all, now.a);
    seen_[i].some = Or(seen_[i].some, now.a);
  }
}

bool InstantTask::Waits() const {
  return !finished_ && std::any_of(instants_.begin(), instants_.end(),
                                   [&](const Instant& instant) { return instant.hi >= position_; });
}

Outcome InstantTask::Judge() const {
  Outcome outcome;
  BoolValue value = BoolValue::True();
  bool any = false;
  for (size_t i = 0; i < instants_.size(); ++i) {
    if (!seen_[i].any || (instants_[i].hi >= position_ && !finished_)) continue;
    any = true;
    BoolValue one;
    one.v = seen_[i].all.v == Tri::kTrue ? Tri::kTrue : seen_[i].some.v == Tri::kFalse ? Tri::kFalse : Tri::kUnknown;
    one.lo = seen_[i].all.lo;
    one.hi = seen_[i].some.hi;
    value = And(value, one);
    if (one.v == Tri::kFalse && !outcome.first_violation_ns) outcome.first_violation_ns = instants_[i].nominal;
  }
  outcome.final = finished_ || (steps_->Complete(point_) && !Waits()) || value.v == Tri::kFalse;
  if (!any) {
    outcome.verdict = report::v1::VACUOUS;
    outcome.reason = "anchor_never";
    outcome.detail = absl::StrCat("`", ast::Print(point_), "` never came within the run");
    return outcome;
  }
  outcome.judged = true;
  outcome.value = value;
  outcome.verdict = TruthOf(value.v);
  if (outcome.verdict == report::v1::UNKNOWN) outcome.reason = "missing_data";
  return outcome;
}

}  // namespace squall

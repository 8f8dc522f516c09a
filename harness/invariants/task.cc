#include "harness/invariants/task.h"

#include "harness/invariants/judge.h"

namespace squall {

void Task::Mention(const ast::Scope& scope) {
  steps_->Mentioned(scope, &mentioned_);
  if (scope.kind != ast::Scope::kBetween) return;
  look_ahead_ns_ = std::max({look_ahead_ns_, -scope.from.offset_ns, -scope.to.offset_ns});
}

void Task::Mention(const ast::Point& point) {
  steps_->Mentioned(point, &mentioned_);
  look_ahead_ns_ = std::max(look_ahead_ns_, -point.offset_ns);
}

void Task::Advance(int64_t watermark_ns) {
  if (finished_) return;
  if (version_ != steps_->version()) {
    version_ = steps_->version();
    OnSteps();
  }
  // What has happened up to the watermark is known up to it, exclusive: more may come at that very instant.
  int64_t limit = watermark_ns - look_ahead_ns_;
  if (!mentioned_.empty()) {
    limit -= kEdgeLag;
    const int64_t awaited = steps_->AwaitedSince(mentioned_);
    if (awaited != kForever) limit = std::min(limit, awaited - look_ahead_ns_);
  }
  if (limit > position_) Drain(limit);
}

void Task::Finish(int64_t run_end_ns) {
  if (finished_) return;
  OnSteps();
  Drain(run_end_ns + 1);
  finished_ = true;
}

bool Task::LateFor(const std::string& step, bool is_fault, int64_t t_ns) const {
  const bool named = mentioned_.count(step) > 0 || (is_fault && mentioned_.count("fault") > 0);
  return named && t_ns < position_;
}

}  // namespace squall

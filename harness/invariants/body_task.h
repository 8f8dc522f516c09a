// How an invariant or a condition stands.
//
//   std::unique_ptr<BodyTask> task = MakeBodyTask(body, &compiler, &graph, &steps);
//   Outcome now = task->Judge();
#ifndef HARNESS_INVARIANTS_BODY_TASK_H_
#define HARNESS_INVARIANTS_BODY_TASK_H_

#include <memory>
#include <optional>
#include <string>

#include "harness/api/report.pb.h"
#include "harness/invariants/compile.h"
#include "harness/invariants/task.h"

namespace squall {

struct Outcome {
  report::v1::Truth verdict = report::v1::UNKNOWN;
  bool final = false;
  // For UNKNOWN: missing_data, not_decided, truncated, preempted, trigger_unknown. For VACUOUS: scope_empty,
  // anchor_never, trigger_never.
  std::string reason;
  std::string detail;   // a sentence that says more than the comparison does; "" if the comparison says it
  bool judged = false;  // `value` means something
  BoolValue value;
  std::optional<int64_t> first_violation_ns;
  std::optional<int64_t> recovery_ns;  // the slowest instance's; only if all have recovered
  bool best = false;                   // the margin is of the best instant, not of the worst
};

struct BoolSnapshot {
  BoolValue a, b;
};

class BodyTask : public FeedTask<BoolSnapshot> {
 public:
  BodyTask(const Graph* graph, const StepBook* steps, const BoolNode* a, const BoolNode* b)
      : FeedTask(graph, steps), a_(a), b_(b) {}
  virtual Outcome Judge() const = 0;
  BoolSnapshot Take() const override { return {a_->value(), b_->value()}; }

 private:
  const BoolNode* const a_;
  const BoolNode* const b_;
};

std::unique_ptr<BodyTask> MakeBodyTask(const ast::Body& body, Compiler* compiler, Graph* graph, const StepBook* steps);
// Kept while the formula is false for at most `tolerated_ns` at a stretch (valid_while).
std::unique_ptr<BodyTask> MakeValidWhile(const ast::Condition& condition, int64_t tolerated_ns, Compiler* compiler,
                                         Graph* graph, const StepBook* steps);
// Kept while the formula is true for at most `tolerated_ns` at a stretch (abort_when).
std::unique_ptr<BodyTask> MakeAbortWhen(const ast::Condition& condition, int64_t tolerated_ns, Compiler* compiler,
                                        Graph* graph, const StepBook* steps);

report::v1::Truth TruthOf(Tri v);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_BODY_TASK_H_

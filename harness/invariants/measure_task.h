// The primitive measures: a number over a scope, a count of events, a value at an instant, the time until something.
//
//   std::unique_ptr<MeasureTask> task = MakeMeasureTask(measure, &compiler, &graph, &steps);
//   MeasureValue v = task->Measure();     // v.value, or v.why it is undefined
#ifndef HARNESS_INVARIANTS_MEASURE_TASK_H_
#define HARNESS_INVARIANTS_MEASURE_TASK_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/invariants/compile.h"
#include "harness/invariants/task.h"

namespace squall {

struct MeasureValue {
  std::optional<double> value;
  std::string why;  // if there is none
  static MeasureValue Undefined(std::string why) { return {std::nullopt, std::move(why)}; }
};

// What the nodes of a measure say: a number, a second one, a truth.
struct MeasureSnapshot {
  Interval x, y;
  Tri held = Tri::kUnknown;
};

class MeasureTask : public FeedTask<MeasureSnapshot> {
 public:
  struct Nodes {
    NumNode* x = nullptr;
    NumNode* y = nullptr;
    BoolNode* held = nullptr;
  };
  MeasureTask(const Graph* graph, const StepBook* steps, Nodes nodes) : FeedTask(graph, steps), nodes_(nodes) {}
  // As it stands; undefined while it cannot be told.
  virtual MeasureValue Measure() const = 0;
  MeasureSnapshot Take() const override;

 private:
  const Nodes nodes_;
};

// Null for kinds that are made of other measures.
std::unique_ptr<MeasureTask> MakeMeasureTask(const ast::Measure& measure, Compiler* compiler, Graph* graph,
                                             const StepBook* steps);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_MEASURE_TASK_H_

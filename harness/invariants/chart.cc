#include "harness/invariants/chart.h"

#include <algorithm>

#include "faults/core/status_macros.h"
#include "harness/invariants/check.h"
#include "harness/invariants/compile.h"
#include "harness/invariants/parser.h"

namespace squall {
namespace {

constexpr int64_t kMostPoints = 100'000;
constexpr int64_t kDefaultEvery = 100'000'000;

}  // namespace

absl::StatusOr<std::vector<ChartPoint>> EvaluateChart(const plan::v1::Plan& plan, const SignalStore& store,
                                                      std::string_view expr, int64_t run_start_ns, int64_t from_ns,
                                                      int64_t to_ns, int64_t step_ns) {
  ASSIGN_OR_RETURN(const ast::Num num, ParseNum(expr));
  // The whole check again, with the expression as one more signal: names, labels, kinds.
  plan::v1::Plan checked;
  *checked.mutable_targets() = plan.targets();
  *checked.mutable_links() = plan.links();
  *checked.mutable_loads() = plan.loads();
  *checked.mutable_signals() = plan.signals();
  *checked.mutable_steps() = plan.steps();
  plan::v1::Signal* charted = checked.add_signals();
  charted->set_name("charted_expression");
  charted->set_expr(std::string(expr));
  RETURN_IF_ERROR(CheckExpressions(checked));
  if (step_ns <= 0) return absl::InvalidArgumentError("the step of a chart is longer than 0");
  step_ns = std::max(step_ns, (to_ns - from_ns) / kMostPoints + 1);

  const plan::v1::Run& run = plan.run();
  const int64_t every = run.every().seconds() * 1'000'000'000 + run.every().nanos();
  const Names names(plan);
  const StepBook steps(&names);
  Graph graph(&store, every > 0 ? every : kDefaultEvery);
  Compiler compiler(&names, &steps, &graph);
  const NumNode* node = compiler.Num(num);
  graph.Start(run_start_ns);
  std::vector<ChartPoint> points;
  for (int64_t t = std::max(from_ns, run_start_ns); t <= to_ns; t += step_ns) {
    graph.Advance(t);
    points.push_back({t, node->value().lo, node->value().hi});
  }
  return points;
}

}  // namespace squall

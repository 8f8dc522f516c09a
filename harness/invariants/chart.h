// The values of an expression over a run that is over, for the report's charts.
//
//   for (const ChartPoint& p : EvaluateChart(plan, store, "online", run_start, run_start, run_end, 100 * kMillisecond))
//     Draw(p.t_ns, p.lo, p.hi);       // lo == hi: known; infinite ends: not known
//
// Walks the store once from the run's start, apart from the judge. Cost: all points of the metrics it names.
#ifndef HARNESS_INVARIANTS_CHART_H_
#define HARNESS_INVARIANTS_CHART_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/api/plan.pb.h"
#include "harness/signals/store.h"

namespace squall {

struct ChartPoint {
  int64_t t_ns;
  double lo, hi;
  bool known() const { return lo == hi; }
};

// At from_ns, from_ns + step_ns, ... up to to_ns; at most 100,000 points. `expr`: a number over metrics and the plan's
// signals; `baseline` is never known here. InvalidArgument for what does not parse or names nothing.
absl::StatusOr<std::vector<ChartPoint>> EvaluateChart(const plan::v1::Plan& plan, const SignalStore& store,
                                                      std::string_view expr, int64_t run_start_ns, int64_t from_ns,
                                                      int64_t to_ns, int64_t step_ns);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_CHART_H_

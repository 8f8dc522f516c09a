#include "harness/cli/run_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "faults/core/clock.h"
#include "faults/core/status_macros.h"
#include "harness/invariants/chart.h"
#include "harness/report/events.h"
#include "harness/report/html.h"
#include "harness/report/writer.h"

namespace squall {
namespace {

// The plan's charts, or all its signals, over the whole run.
std::vector<ChartData> Charts(const Engine& engine, const plan::v1::Plan& plan) {
  std::vector<ChartData> charts;
  const int64_t end = engine.run_end_ns();
  if (engine.run_start_ns() == 0 || end <= engine.run_start_ns()) return charts;
  const int64_t step = std::max<int64_t>(100 * kMillisecond, (end - engine.run_start_ns()) / 4000);
  for (const auto& signal : plan.signals()) {
    const bool chosen = plan.charts().empty() ||
                        std::find(plan.charts().begin(), plan.charts().end(), signal.name()) != plan.charts().end();
    if (!chosen) continue;
    const auto points =
        EvaluateChart(plan, engine.signals(), signal.name(), engine.run_start_ns(), engine.run_start_ns(), end, step);
    if (!points.ok()) continue;  // the plan was checked; a signal that reads nothing is an empty chart
    ChartData chart;
    chart.name = signal.name();
    chart.unit = signal.unit();
    for (const ChartPoint& point : *points) {
      chart.points.emplace_back(static_cast<double>(point.t_ns - engine.run_start_ns()) / kSecond,
                                point.known() ? point.lo : std::numeric_limits<double>::quiet_NaN());
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace

absl::StatusOr<std::string> WriteRunReport(const Engine& engine, const plan::v1::Plan& plan,
                                           const std::string& directory, const TerminalStyle& style) {
  const report::v1::RunReport report = engine.Report();
  RETURN_IF_ERROR(WriteReport(directory, report, Charts(engine, plan), EventLines(engine.Events())));
  return LastScreen(report, directory, style);
}

}  // namespace squall

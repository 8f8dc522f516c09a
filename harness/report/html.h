// report.html: one self-contained page that shows a run to a person.
//
//   std::vector<ChartData> charts = {{.name = "pool", .unit = "supernodes", .points = {{0, 24}, {0.1, 24}}}};
//   std::string page = ReportHtml(report, charts);
//
// First the verdict and why, then what failed, when, by how much and after which fault, and how to repeat it; charts of
// signals over time with a band per fault, a mark per step and a line at the first violation; then every invariant,
// measure, fault, target and draw. The page loads nothing from anywhere (its own policy forbids it), and all but the
// charts stands in plain HTML, so it can be read, searched and printed without scripts; a chart then has its summary.
// Names, expressions and details are escaped wherever they stand: a plan cannot put markup or script into the page.
// Pure function.
#ifndef HARNESS_REPORT_HTML_H_
#define HARNESS_REPORT_HTML_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/api/report.pb.h"

namespace squall {

// One signal over time. Points are (seconds since the start of the run, value), times never fall; NaN = a gap.
struct ChartData {
  std::string name;
  std::string unit;
  std::vector<std::pair<double, double>> points;
};

// The charts come in the given order. A chart of more than 4,000 points is thinned: of each stretch of time its lowest
// and its highest point stay, so no spike is lost.
std::string ReportHtml(const report::v1::RunReport& report, const std::vector<ChartData>& charts);

// The thinning, for tests: at most `most` points (at least 4), first and last included.
std::vector<std::pair<double, double>> Thin(const std::vector<std::pair<double, double>>& points, size_t most);

}  // namespace squall

#endif  // HARNESS_REPORT_HTML_H_

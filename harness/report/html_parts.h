// The parts of report.html, each a <section> (or "" when there is nothing to show). Every string of the report is
// escaped here, and nowhere else is one put into the page.
#ifndef HARNESS_REPORT_HTML_PARTS_H_
#define HARNESS_REPORT_HTML_PARTS_H_

#include <string>
#include <vector>

#include "harness/api/report.pb.h"
#include "harness/report/html.h"

namespace squall::html {

std::string Hero(const report::v1::RunReport& report);
std::string ProblemList(const report::v1::RunReport& report);
std::string Repeat(const report::v1::RunReport& report);
std::string Charts(const report::v1::RunReport& report, const std::vector<ChartData>& charts);
std::string Invariants(const report::v1::RunReport& report);
std::string Measures(const report::v1::RunReport& report);
std::string Conditions(const report::v1::RunReport& report);
std::string Faults(const report::v1::RunReport& report);
std::string Steps(const report::v1::RunReport& report);
std::string Targets(const report::v1::RunReport& report);
std::string OverheadAndNotes(const report::v1::RunReport& report);
std::string Draws(const report::v1::RunReport& report);

}  // namespace squall::html

#endif  // HARNESS_REPORT_HTML_PARTS_H_

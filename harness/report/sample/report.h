// A report as a real outage run gives it, made up for tests and for looking at the page.
#ifndef HARNESS_REPORT_SAMPLE_REPORT_H_
#define HARNESS_REPORT_SAMPLE_REPORT_H_

#include <vector>

#include "harness/api/report.pb.h"
#include "harness/report/html.h"

namespace squall {

// FAIL, with every field filled, a null measure, infinite margins and a fault that is never lifted.
report::v1::RunReport SampleReport();
std::vector<ChartData> SampleCharts();

}  // namespace squall

#endif  // HARNESS_REPORT_SAMPLE_REPORT_H_

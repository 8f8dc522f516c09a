// Writes the report of a made-up run into a directory, to look at the page and to renew the golden file.
//
//   bazel run //harness/report/sample:page -- /tmp/squall-sample
#include <cstdio>
#include <vector>

#include "harness/report/html.h"
#include "harness/report/sample/report.h"
#include "harness/report/terminal.h"
#include "harness/report/writer.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: page DIR\n");
    return 2;
  }
  const auto report = squall::SampleReport();
  const absl::Status status = squall::WriteReport(argv[1], report, squall::SampleCharts(), {});
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  std::fputs(squall::LastScreen(report, argv[1], {.columns = 100, .color = false}).c_str(), stdout);
  return 0;
}

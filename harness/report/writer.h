// Writes a run's report into a directory: events.jsonl, report.html and, last, report.json.
//
//   RETURN_IF_ERROR(WriteReport("squall-reports/01HN...", report, charts, EventLines(engine.Events())));
//
// The directory and those above it are made. Each file is written beside its place, flushed to the disk and renamed, so
// a reader never sees half of one, and an older report stays whole until the new one is. report.json comes last: where
// it stands, the others do. Files of other names (logs of targets) are left alone. Blocks on the disk;
// thread-compatible.
//
// Errors name the path and what the system said: InvalidArgument for an empty directory, FailedPrecondition when a path
// is taken by something else (a file where the directory should be, a directory where the file should be),
// PermissionDenied, ResourceExhausted for a full disk, else Unavailable.
#ifndef HARNESS_REPORT_WRITER_H_
#define HARNESS_REPORT_WRITER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "harness/api/report.pb.h"
#include "harness/report/html.h"

namespace squall {

absl::Status WriteReport(const std::string& dir, const report::v1::RunReport& report,
                         const std::vector<ChartData>& charts, const std::vector<std::string>& event_lines);

// One file, by the same means. Mode 0644 less the umask.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);

}  // namespace squall

#endif  // HARNESS_REPORT_WRITER_H_

// events.jsonl: what happened in a run, in order, one JSON object a line.
//
//   EventLine(12.004, "fault_armed", "trigger", "im/0")
//     == R"({"t_s":12.004,"kind":"fault_armed","subject":"trigger","detail":"im/0"})"
//   WriteReport(dir, report, charts, EventLines(engine.Events()));
//
// Times are seconds since the start of the run, negative while it was made ready; null if not finite. Pure functions.
#ifndef HARNESS_REPORT_EVENTS_H_
#define HARNESS_REPORT_EVENTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace squall {

// Without a line end. Bad UTF-8 becomes U+FFFD; a line end in a text becomes \n, so a record is always one line.
std::string EventLine(double t_s, absl::string_view kind, absl::string_view subject, absl::string_view detail);

// Of records with the fields t_s, kind, subject, detail (the engine's EventRecord).
template <typename Record>
std::vector<std::string> EventLines(const std::vector<Record>& records) {
  std::vector<std::string> lines;
  lines.reserve(records.size());
  for (const Record& record : records) {
    lines.push_back(EventLine(record.t_s, record.kind, record.subject, record.detail));
  }
  return lines;
}

}  // namespace squall

#endif  // HARNESS_REPORT_EVENTS_H_

// What `squall run` prints: one live line while the run lasts, and a last screen that says what failed, when, by how
// much, which fault came before it, how to repeat it, and where the report is.
//
//   const TerminalStyle style = StyleOf(STDOUT_FILENO, /*no_color=*/false);
//   Write(StatusUpdate(engine.StatusLine(), style));          // every second
//   Write(LastScreen(report, "squall-reports/01HN...", style));
//
// Pure functions but StyleOf. Colours and cursor movements only on a terminal; text of plans and targets is printed
// without control characters, so it cannot play with the terminal either.
#ifndef HARNESS_REPORT_TERMINAL_H_
#define HARNESS_REPORT_TERMINAL_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "harness/api/report.pb.h"

namespace squall {

struct TerminalStyle {
  size_t columns = 100;  // at least 40 is assumed
  bool color = false;
  bool in_place = false;  // a terminal: the live line replaces itself
};

// Of an open file: 100 columns and plain text unless it is a terminal. `no_color`: the user's NO_COLOR or a flag.
TerminalStyle StyleOf(int fd, bool no_color);

// The engine's line ("t 12.3 s | run | trigger live | pool_floor HOLDS +12") cut to the width between its parts; what
// does not fit is counted ("+3 more"). In place: without a line end, replacing the last one; else a line of its own.
std::string StatusUpdate(absl::string_view line, const TerminalStyle& style);
// Before anything else is printed after a StatusUpdate: clears the live line, "" when there is none.
std::string ClearStatus(const TerminalStyle& style);

// `report_dir`: where the report was written; "" = nowhere. Ends in a line end.
std::string LastScreen(const report::v1::RunReport& report, absl::string_view report_dir, const TerminalStyle& style);

}  // namespace squall

#endif  // HARNESS_REPORT_TERMINAL_H_

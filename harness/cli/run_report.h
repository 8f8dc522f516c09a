// From a finished engine to the files of its report.
#ifndef HARNESS_CLI_RUN_REPORT_H_
#define HARNESS_CLI_RUN_REPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "harness/engine/engine.h"
#include "harness/report/terminal.h"

namespace squall {

// Writes report.json, report.html and events.jsonl; returns the last screen.
absl::StatusOr<std::string> WriteRunReport(const Engine& engine, const plan::v1::Plan& plan,
                                           const std::string& directory, const TerminalStyle& style);

}  // namespace squall

#endif  // HARNESS_CLI_RUN_REPORT_H_

// One run on this machine: a controller in this process, a guardian and an agent below it, all gone afterwards.
#ifndef HARNESS_CLI_LOCAL_RUN_H_
#define HARNESS_CLI_LOCAL_RUN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "harness/engine/engine.h"
#include "harness/plan/loader.h"
#include "harness/report/terminal.h"

namespace squall {

struct RunOptions {
  std::string plan_path;
  std::map<std::string, std::string> sets;
  std::map<std::string, std::string> binaries;  // ${bin.NAME} -> path
  std::optional<uint64_t> seed;                 // drawn and printed if absent
  std::string report_dir;                       // absolute
  std::string replay_command;                   // without the seed, which is put at its end: "... --seed="
  TerminalStyle style;
  std::function<void(const std::string&)> status;  // the live line, once a second
  int64_t halt_after_ns = 0;                       // 0 = never; a halt that leaves a caller with a deadline its report
};

struct RunOutcome {
  int exit_code = 5;
  std::string last_screen;
  std::optional<report::v1::RunReport> report;  // of a run that took place on this machine
};

// Blocks. A plan that does not load: exit code 2, its errors on `last_screen`. SIGINT and SIGTERM halt the run.
RunOutcome RunLocally(const RunOptions& options);

inline constexpr char kLocalAgent[] = "local";

// "bin" and "set" flags: NAME=VALUE. InvalidArgument names the flag.
absl::StatusOr<std::map<std::string, std::string>> ParsePairs(const std::string& flag,
                                                              const std::vector<std::string>& pairs);

}  // namespace squall

#endif  // HARNESS_CLI_LOCAL_RUN_H_

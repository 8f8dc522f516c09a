#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/cli/binaries.h"
#include "harness/cli/commands.h"
#include "harness/cli/local_run.h"
#include "harness/cli/remote_run.h"
#include "harness/report/terminal.h"

namespace squall {
namespace {

// A command line that gives the same run again, but for the seed.
std::string ReplayCommand(const RunFlags& flags) {
  std::string command = absl::StrCat("squall run ", flags.plan.plan);
  for (const std::string& set : flags.plan.sets) absl::StrAppend(&command, " --set '", set, "'");
  for (const std::string& binary : flags.plan.binaries) absl::StrAppend(&command, " --bin ", binary);
  if (!flags.controller.empty()) absl::StrAppend(&command, " --controller ", flags.controller);
  if (!flags.token_file.empty()) absl::StrAppend(&command, " --token_file ", flags.token_file);
  return command + " --seed=";
}

}  // namespace

int RunCommand(const RunFlags& flags) {
  const auto sets = ParsePairs("--set", flags.plan.sets);
  const auto binaries = ParsePairs("--bin", flags.plan.binaries);
  for (const absl::Status& status : {sets.status(), binaries.status()}) {
    if (status.ok()) continue;
    std::cerr << "squall run: " << status.message() << "\n";
    return kBadUsage;
  }
  RunOptions options;
  options.plan_path = flags.plan.plan;
  options.sets = *sets;
  for (const auto& [name, path] : *binaries) options.binaries[name] = AbsolutePath(path);
  options.seed = flags.plan.seed;
  options.report_dir =
      AbsolutePath(flags.report_dir.empty() ? absl::StrCat("squall-reports/", getpid()) : flags.report_dir);
  options.replay_command = ReplayCommand(flags);
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org
  options.style = StyleOf(STDOUT_FILENO, no_color != nullptr && *no_color != '\0');
  options.status = [&](const std::string& text) {
    if (!flags.quiet) std::cout << StatusUpdate(text, options.style) << std::flush;
  };
  const RunOutcome outcome =
      flags.controller.empty() ? RunLocally(options) : RunRemotely(options, flags.controller, flags.token_file);
  if (!flags.quiet) std::cout << ClearStatus(options.style);
  (outcome.exit_code == kBadUsage ? std::cerr : std::cout) << outcome.last_screen << std::flush;
  return outcome.exit_code;
}

}  // namespace squall

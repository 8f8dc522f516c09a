// The program behind fault_test (harness/defs.bzl): runs a plan once for each seed and compares the verdict.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "faults/core/clock.h"
#include "harness/cli/binaries.h"
#include "harness/cli/commands.h"
#include "harness/cli/local_run.h"

namespace squall {
namespace {

// A halted run needs this long to end its targets and write its report, and the verdict is due 5 s before the time-out.
constexpr int64_t kTimeToClose = 20 * kSecond;

struct Flags {
  std::string plan;
  std::vector<std::string> binaries, sets;
  std::string expect = "PASS";
  std::string expect_violated;
  std::vector<uint64_t> seeds = {1};
};

std::string Environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);  // a main: Bazel tells a test by its environment
  return value == nullptr || *value == '\0' ? otherwise : value;
}

int64_t HaltAfter(size_t seeds) {
  int64_t seconds = 0;
  if (!absl::SimpleAtoi(Environment("TEST_TIMEOUT", ""), &seconds)) return 0;
  return std::max<int64_t>(kSecond, seconds * kSecond / static_cast<int64_t>(seeds) - kTimeToClose);
}

// What is wrong with the outcome; "" = as expected.
std::string Difference(const Flags& flags, const RunOutcome& outcome) {
  if (!outcome.report.has_value()) return "the run did not take place";
  const std::string verdict = report::v1::Verdict_Name(outcome.report->verdict());
  if (verdict != flags.expect) {
    return absl::StrCat("verdict ", verdict, " (", outcome.report->reason(), "), expected ", flags.expect);
  }
  std::set<std::string> violated;
  for (const auto& invariant : outcome.report->invariants()) {
    if (invariant.verdict() == report::v1::VIOLATED) violated.insert(invariant.name());
  }
  const std::set<std::string> expected = absl::StrSplit(flags.expect_violated, ',', absl::SkipEmpty());
  if (flags.expect == "FAIL" && violated != expected) {
    return absl::StrCat("violated: ", absl::StrJoin(violated, ", "), "; expected: ", absl::StrJoin(expected, ", "));
  }
  return "";
}

int Run(const Flags& flags) {
  const auto sets = ParsePairs("--set", flags.sets);
  const auto binaries = ParsePairs("--bin", flags.binaries);
  if (!sets.ok() || !binaries.ok()) {
    std::cerr << sets.status().message() << binaries.status().message() << "\n";
    return kBadUsage;
  }
  const std::string outputs = Environment("TEST_UNDECLARED_OUTPUTS_DIR", Environment("TEST_TMPDIR", "/tmp"));
  int failed = 0;
  for (const uint64_t seed : flags.seeds) {
    RunOptions options;
    options.plan_path = flags.plan;
    options.sets = *sets;
    for (const auto& [name, path] : *binaries) options.binaries[name] = AbsolutePath(path);
    options.seed = seed;
    options.report_dir = AbsolutePath(absl::StrCat(outputs, "/seed-", seed));
    options.replay_command =
        absl::StrCat("bazel test ", Environment("TEST_TARGET", flags.plan), " --test_arg=--only_seed=");
    options.halt_after_ns = HaltAfter(flags.seeds.size());
    options.status = [](const std::string& line) { std::cout << line << std::endl; };
    const RunOutcome outcome = RunLocally(options);
    std::cout << outcome.last_screen;
    const std::string difference = Difference(flags, outcome);
    std::cout << "seed " << seed << ": " << (difference.empty() ? "as expected" : difference) << std::endl;
    failed += difference.empty() ? 0 : 1;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace squall

int main(int argc, char** argv) {
  CLI::App app("Runs a plan as a test.");
  squall::Flags flags;
  std::vector<uint64_t> only;
  app.add_option("--plan", flags.plan)->required();
  app.add_option("--bin", flags.binaries, "NAME=PATH");
  app.add_option("--set", flags.sets, "NAME=VALUE");
  app.add_option("--expect", flags.expect)->check(CLI::IsMember({"PASS", "FAIL", "INCONCLUSIVE", "ABORTED", "ERROR"}));
  app.add_option("--expect_violated", flags.expect_violated, "names, comma-separated: exactly these end VIOLATED");
  app.add_option("--seed", flags.seeds);
  app.add_option("--only_seed", only,
                 "instead of the seeds of the BUILD file: bazel test ... --test_arg=--only_seed=7");
  CLI11_PARSE(app, argc, argv);
  if (!only.empty()) flags.seeds = only;
  return squall::Run(flags);
}

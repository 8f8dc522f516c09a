// From the time at which a step is due to the time at which its fault is armed, over a run of many short hangs.
//
//   ci/bench arm_skew [--json FILE]
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/cli/test/program.h"
#include "nlohmann/json.hpp"

int main(int argc, char** argv) {
  CLI::App app("Schedule-to-arm skew.");
  int steps = 50;
  std::string json;
  app.add_option("--steps", steps)->check(CLI::Range(1, 200));
  app.add_option("--json", json);
  CLI11_PARSE(app, argc, argv);
  const std::string directory = squall::ShortDirectory();
  std::ofstream plan(directory + "/plan.yaml");
  plan << "squall: 1\nname: arm_skew\ntargets:\n  cache:\n    argv: [\"${bin.server}\", \"--port\", \"${port}\", "
          "\"--save\", \"\"]\n"
       << "    ready: {log: \"Ready to accept\"}\nsteps:\n";
  for (int i = 0; i < steps; ++i) {
    plan << absl::StrCat("  - {name: s", i, ", at: ", 1000 + 200 * i,
                         "ms, for: 50ms, fault: {on: {role: cache, count: 1}, hang: {}}}\n");
  }
  plan.close();
  const squall::Ended ended = squall::RunProgram(
      {squall::OurProgram("harness/cli/squall"), "run", directory + "/plan.yaml", "--seed=1", "--quiet",
       "--bin=server=" + squall::OurProgram("targets/redis/redis-server"), "--report_dir=" + directory + "/report"});
  std::vector<double> skews;
  const auto report = nlohmann::json::parse(std::ifstream(directory + "/report/report.json"), nullptr, false);
  if (report.is_object()) {
    for (const auto& fault : report["faults"]) skews.push_back(fault["arm_skew_ms"].get<double>());
  }
  if (skews.empty()) {
    std::fprintf(stderr, "the run gave no faults (exit %d)\n%s%s\n", ended.code, ended.out.c_str(), ended.err.c_str());
    return 1;
  }
  std::sort(skews.begin(), skews.end());
  const double p50 = skews[skews.size() / 2], p99 = skews[skews.size() * 99 / 100];
  std::printf("schedule to armed: p50 %.2f ms   p99 %.2f ms   max %.2f ms   of %zu\n", p50, p99, skews.back(),
              skews.size());
  if (!json.empty()) {
    std::ofstream(json)
        << nlohmann::json{{"arm_skew_p50_ms", p50}, {"arm_skew_p99_ms", p99}, {"arm_skew_max_ms", skews.back()}}.dump(2)
        << "\n";
  }
  return 0;
}

// skype_model: prints what the model predicts for each plan of this folder, or compares a run with it.
//
//   skype_model
//   skype_model --compare=REPORT_DIR/report.json --supernodes=40      exit code 0: agrees, 1: does not, 2: cannot tell
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "examples/skype_2010/model/compare.h"
#include "examples/skype_2010/model/fluid.h"

namespace skype_model {
namespace {

std::string Optional(const std::optional<double>& value) { return value.has_value() ? absl::StrCat(*value) : "never"; }

void Print(const char* name, const Scenario& scenario) {
  const Summary s = Summarize(Simulate(scenario), scenario);
  std::printf("%-28s %6.1f%% %7.1fx %7.1f%% %7.1f%% %8s %8.1fx %8s %7.1f%% %7.1f%%\n", name, 100 * s.crash_wave,
              s.peak_offered, 100 * s.min_pool, 100 * s.min_online, Optional(s.collapse_after_s).c_str(),
              s.stuck_offered, Optional(s.online_95_at_s).c_str(), 100 * s.end_pool, 100 * s.end_online);
}

void PrintTable() {
  std::printf("%-28s %7s %8s %8s %8s %8s %9s %8s %8s %8s\n", "trigger at 10 s", "crash", "peak", "min pool", "min onl.",
              "down +s", "stuck", "95% at", "end pool", "end onl.");
  const Scenario outage;
  Print("outage", outage);
  Scenario quick = outage;
  quick.supernodes = 24;
  Print("outage, 24 supernodes", quick);
  Scenario none = outage;
  none.megas.clear();
  Print("no mega-supernodes", none);
  const auto print = [&](const char* name, auto change) {
    Scenario scenario = none;
    change(scenario);
    Print(name, scenario);
  };
  print("hotfix", [](Scenario& s) { s.buggy_share = 0; });
  print("staged roll-out 5 %", [](Scenario& s) { s.buggy_share = 0.05; });
  print("staged roll-out 10 %", [](Scenario& s) { s.buggy_share = 0.1; });
  print("shed instead of shut down", [](Scenario& s) { s.shed = true; });
  print("headroom 8x", [](Scenario& s) { s.headroom = 8; });
  print("back-off only", [](Scenario& s) { s.backoff = true; });
  print("jitter 40 s and back-off", [](Scenario& s) { s.backoff = true, s.first_jitter_s = 40; });
  print("mega-supernodes at +4 s", [](Scenario& s) { s.megas = {{14, 6}}; });
  print("slow reconnects (ablation)", [](Scenario& s) { s.detect_s = 40, s.restart_mean_s = 20; });
}

int CompareWith(const std::string& path, double supernodes) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const absl::StatusOr<std::vector<Line>> lines = Compare(text.str(), supernodes);
  if (!file || !lines.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), file ? lines.status().ToString().c_str() : "cannot read");
    return 2;
  }
  bool agrees = true;
  for (const Line& line : *lines) {
    std::printf("%-30s run %8.3f  model %8.3f +-%.3f  %s\n", line.measure.c_str(), line.run, line.model, line.tolerance,
                line.agrees() ? "agrees" : "DIFFERS");
    agrees = agrees && line.agrees();
  }
  return agrees ? 0 : 1;
}

}  // namespace
}  // namespace skype_model

int main(int argc, char** argv) {
  std::string report;
  double supernodes = 40;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--compare=")) {
      report = std::string(argument);
    } else if (!absl::ConsumePrefix(&argument, "--supernodes=") || !absl::SimpleAtod(argument, &supernodes) ||
               !(supernodes >= 1 && supernodes <= 1e6)) {
      std::fprintf(stderr, "usage: skype_model [--compare=REPORT.json] [--supernodes=N]\n");
      return 2;
    }
  }
  if (!report.empty()) return skype_model::CompareWith(report, supernodes);
  skype_model::PrintTable();
  return 0;
}

// One live line: how far, what is live, how each invariant stands.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/engine/durations.h"
#include "harness/engine/state.h"

namespace squall {
namespace {

std::string Standing(const report::v1::InvariantResult& result) {
  std::string text = absl::StrCat(result.name(), " ", report::v1::Truth_Name(result.verdict()));
  if (result.verdict() == report::v1::TRUTH_UNSPECIFIED) text = absl::StrCat(result.name(), " UNKNOWN");
  if (std::isfinite(result.margin()) &&
      (result.verdict() == report::v1::HOLDS || result.verdict() == report::v1::VIOLATED)) {
    absl::StrAppendFormat(&text, " %+.4g", result.margin() + 0.0);  // no "-0"
    if (!result.margin_unit().empty()) absl::StrAppend(&text, " ", result.margin_unit());
  }
  return text;
}

}  // namespace

std::string Engine::State::BuildStatusLine() const {
  const int64_t since = phase >= RUNNING && started() ? run_start_ns : first_now;
  std::vector<std::string> parts = {absl::StrFormat("t %.1f s", run::Seconds(first_now == 0 ? 0 : now - since))};
  switch (phase) {
    case AGENTS: {
      std::vector<std::string> lacks;
      for (const run::Lack& lack : roster.Missing()) lacks.push_back(lack.detail);
      parts.push_back(absl::StrCat("waiting for agents: ", absl::StrJoin(lacks, "; ")));
      break;
    }
    case OPENING:
      parts.push_back("opening the run");
      break;
    case PREPARING:
      parts.push_back("preparing the faults");
      break;
    case READYING: {
      const std::vector<std::string> waiting = targets.NotReady();
      parts.push_back(absl::StrCat("waiting for ", waiting.size(), " targets",
                                   waiting.empty() ? "" : absl::StrCat(", first ", waiting.front())));
      break;
    }
    case RUNNING: {
      std::string last = "run";
      int64_t latest = 0;
      for (size_t i = 0; i < timeline->size(); ++i) {
        const auto& start = timeline->state(i).start;
        if (!start || start->hi < latest) continue;
        latest = start->hi;
        last = schedule.actions[i].step;
      }
      parts.push_back(last);
      break;
    }
    case SETTLING:
      parts.push_back("settling");
      break;
    case CLOSING:
      parts.push_back("closing");
      break;
    case DONE:
      parts.push_back("done");
      break;
  }
  if (phase < RUNNING) return absl::StrJoin(parts, " | ");
  const std::vector<std::string> live = faults.Live();
  parts.push_back(live.empty() ? "no fault live" : absl::StrCat("live: ", absl::StrJoin(live, ", ")));
  for (const report::v1::InvariantResult& result : Invariants()) parts.push_back(Standing(result));
  return absl::StrJoin(parts, " | ");
}

}  // namespace squall

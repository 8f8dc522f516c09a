#include "examples/skype_2010/model/compare.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "examples/skype_2010/model/fluid.h"

namespace skype_model {

absl::StatusOr<std::vector<Line>> Compare(std::string_view report_json, double supernodes) {
  const nlohmann::json report = nlohmann::json::parse(report_json, nullptr, /*allow_exceptions=*/false);
  if (report.is_discarded() || !report.is_object() || !report.contains("measures") || !report["measures"].is_object()) {
    return absl::InvalidArgumentError("not a report: no measures");
  }
  Scenario scenario;
  scenario.supernodes = supernodes;
  const std::vector<Sample> samples = Simulate(scenario);
  const Summary model = Summarize(samples, scenario);
  const double second_batch = scenario.megas[1].at_s;
  std::vector<Line> lines = {
      // One supernode more or less is rounding of the shares.
      {"crash_wave_share", 0, model.crash_wave, 1 / supernodes},
      {"nadir_pool_share", 0, model.min_pool, 0.1},
      {"stuck_offered_ratio", 0, model.stuck_offered, 0.2 * model.stuck_offered},
      {"online_after_trigger_removed", 0, model.min_online, 0.25},
      {"online_after_first_mega", 0, samples[static_cast<size_t>(second_batch) - 2].online, 0.05},
      {"seconds_to_95_online", 0, model.online_95_at_s.value_or(1e9) - second_batch, 7},
  };
  for (Line& line : lines) {
    const auto found = report["measures"].find(line.measure);
    if (found == report["measures"].end() || !found->is_number()) {
      return absl::NotFoundError(absl::StrCat("the report has no number for ", line.measure));
    }
    line.run = found->get<double>();
  }
  return lines;
}

}  // namespace skype_model

// Reads a plan that a person wrote, YAML or text proto, and names every problem in it at once.
//
//   LoadResult result = LoadPlanFile("outage.yaml", {{"buggy", "10%"}});
//   if (!result.ok()) for (const PlanError& e : result.errors) std::cerr << FormatError(e) << "\n";
//       // outage.yaml:12:7: steps[2].fault: unknown field `dealy`; did you mean `delay`?
//   Use(result.plan->plan);
//
// A plan that loads is valid: names resolve, durations and shares lie in their ranges, faults and expressions are
// known. `sets` change declared params (--set). Names ending in .textproto, .txtpb or .pbtxt are text proto, all others
// YAML. Bounded: 256 KiB of text, 20,000 nodes after aliases, depth 16. No exception and no crash for any input.
#ifndef HARNESS_PLAN_LOADER_H_
#define HARNESS_PLAN_LOADER_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/api/plan.pb.h"
#include "harness/plan/position.h"

namespace squall {

struct LoadedPlan {
  plan::v1::Plan plan;  // params replaced; late references (${port}, ${link.im.address} ...) still in place
  PositionIndex positions;
  std::map<std::string, std::string> params;  // the values used
  std::string sha256;                         // of the text, lower-case hexadecimal
  std::string text;
  std::string path;  // as given
};

struct LoadResult {
  std::optional<LoadedPlan> plan;  // if there is no error
  std::vector<PlanError> errors;   // in order of position
  bool ok() const { return plan.has_value(); }
};

LoadResult LoadPlan(std::string_view text, std::string path, const std::map<std::string, std::string>& sets);
LoadResult LoadPlanFile(const std::string& path, const std::map<std::string, std::string>& sets);

}  // namespace squall

#endif  // HARNESS_PLAN_LOADER_H_

#include <iostream>

#include "absl/strings/str_cat.h"
#include "harness/cli/commands.h"
#include "harness/cli/local_run.h"
#include "harness/plan/loader.h"

namespace squall {

int CheckCommand(const PlanFlags& flags) {
  const auto sets = ParsePairs("--set", flags.sets);
  if (!sets.ok()) {
    std::cerr << "squall check: " << sets.status().message() << "\n";
    return kBadUsage;
  }
  const LoadResult loaded = LoadPlanFile(flags.plan, *sets);
  for (const PlanError& error : loaded.errors) std::cerr << FormatError(error) << "\n";
  if (!loaded.ok()) {
    std::cerr << loaded.errors.size() << (loaded.errors.size() == 1 ? " problem" : " problems") << " in " << flags.plan
              << "\n";
    return kBadUsage;
  }
  const plan::v1::Plan& plan = loaded.plan->plan;
  std::cout << flags.plan << ": ok. Plan " << plan.name() << ": " << plan.targets_size() << " roles, "
            << plan.steps_size() << " steps, " << plan.invariants_size() << " invariants, " << plan.measures_size()
            << " measures.\n";
  return 0;
}

}  // namespace squall

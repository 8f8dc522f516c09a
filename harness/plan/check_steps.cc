#include <map>

#include "absl/strings/str_cat.h"
#include "harness/plan/after_rule.h"
#include "harness/plan/near_match.h"
#include "harness/plan/plan_check.h"
#include "harness/plan/step_fault.h"

namespace squall {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kHour = 3600'000 * kMs;

using plan::v1::Step;

void CheckReleaseRule(PlanCheck* check, const Step& step, const std::string& path) {
  std::vector<std::string> rules;
  if (step.has_at()) rules.push_back("at");
  if (!step.after().empty()) rules.push_back("after");
  if (step.has_when()) rules.push_back("when");
  if (rules.size() > 1) check->Add(path, absl::StrCat(ListNames(rules), "; a step has one rule of when it starts"));
  if (step.has_at()) check->CheckDuration(path + ".at", step.at(), 0, 24 * kHour);
  if (!step.after().empty()) {
    const absl::StatusOr<AfterRule> rule = ParseAfter(step.after());
    if (!rule.ok()) {
      check->Add(path + ".after", std::string(rule.status().message()));
    } else if (rule->step == step.name()) {
      check->Add(path + ".after", "it waits for itself");
    } else if (rule->step != "run") {
      check->CheckKnown(path + ".after", "step", rule->step, check->steps());
    }
  }
  if (!step.has_when()) return;
  if (step.when().expr().empty()) check->Add(path + ".when", "`expr` is missing");
  if (step.when().has_for_()) check->CheckDuration(path + ".when.for", step.when().for_(), 0, kHour);
  if (step.when().has_within()) check->CheckDuration(path + ".when.within", step.when().within(), kMs, 24 * kHour);
  const bool both = step.when().has_for_() && step.when().has_within();
  if (both && ToNs(step.when().for_()) > ToNs(step.when().within())) {
    check->Add(path + ".when", "`for` is longer than `within`; it can never come true");
  }
}

void CheckHowLong(PlanCheck* check, const Step& step, const std::string& path) {
  if (!step.has_for_()) return;
  check->CheckDuration(path + ".for", step.for_(), kMs, kLongestFaultNs);
  const std::optional<faults::v1::Fault> fault = StepFault(step);
  if (!fault) {
    check->Add(path + ".for", "the step has no fault that could last; for a condition that holds, write it in `when`");
  } else if (fault->has_start()) {
    check->Add(path + ".for", "what was started stays; end it with a `drain` step");
  } else if (fault->has_load_spike() && ToNs(fault->load_spike().ramp()) > ToNs(step.for_())) {
    check->Add(path + ".for", "is shorter than the spike's `ramp`");
  } else if (fault->has_drain() && ToNs(fault->drain().over()) > ToNs(step.for_())) {
    check->Add(path + ".for", "is shorter than the drain's `over`");
  }
}

void CheckStep(PlanCheck* check, const Step& step, const std::string& path) {
  check->CheckName(path + ".name", step.name());
  if (step.name() == "run" || step.name() == "fault") {
    check->Add(path + ".name", absl::StrCat("`", step.name(), "` has a meaning of its own in anchors"));
  }
  CheckReleaseRule(check, step, path);
  std::vector<std::string> actions;
  if (step.has_fault()) actions.push_back("fault");
  if (step.has_start()) actions.push_back("start");
  if (step.has_drain()) actions.push_back("drain");
  if (actions.size() > 1) check->Add(path, absl::StrCat(ListNames(actions), "; a step does one thing"));
  CheckHowLong(check, step, path);
}

}  // namespace

void CheckSteps(PlanCheck* check) {
  std::map<std::string, int> seen;
  for (int i = 0; i < check->plan().steps_size(); ++i) {
    const Step& step = check->plan().steps(i);
    const std::string path = absl::StrCat("steps[", i, "]");
    CheckStep(check, step, path);
    auto [it, fresh] = seen.emplace(step.name(), i);
    if (!fresh && !step.name().empty()) {
      check->Add(path + ".name", absl::StrCat("`", step.name(), "` is the name of steps[", it->second, "] already"));
    }
  }
}

}  // namespace squall

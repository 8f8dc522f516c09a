#include <set>

#include "absl/strings/str_cat.h"
#include "harness/plan/after_rule.h"
#include "harness/plan/plan_check.h"

namespace squall {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kS = 1000 * kMs;

void CheckRun(PlanCheck* check) {
  const plan::v1::Run& run = check->plan().run();
  if (run.has_length()) check->CheckDuration("run.length", run.length(), 1 * kMs, 24 * 3600 * kS);
  if (run.has_start_within()) check->CheckDuration("run.start_within", run.start_within(), 1 * kMs, 3600 * kS);
  if (run.has_lease()) check->CheckDuration("run.lease", run.lease(), 200 * kMs, 60 * kS);
  if (run.has_every()) check->CheckDuration("run.every", run.every(), 10 * kMs, 10 * kS);
  if (run.from().empty()) return;
  const absl::StatusOr<AfterRule> anchor = ParseAfter(run.from());
  if (!anchor.ok()) return check->Add("run.from", std::string(anchor.status().message()));
  if (anchor->offset_ns != 0) check->Add("run.from", "an anchor alone; add the time to `length` instead");
  if (anchor->step != "run") check->CheckKnown("run.from", "step", anchor->step, check->steps());
}

}  // namespace

void CheckPlanHeader(PlanCheck* check) {
  const plan::v1::Plan& plan = check->plan();
  if (plan.squall() == 0) {
    check->Add("squall", "the plan's language version is missing; begin with `squall: 1`");
  } else if (plan.squall() != 1) {
    check->Add("squall", absl::StrCat("language version ", plan.squall(), " is not known; this is version 1"));
  }
  if (plan.name().empty()) {
    check->Add("name", "the plan has no name");
  } else {
    check->CheckName("name", plan.name());
  }
  if (plan.targets().empty() && plan.loads().empty()) check->Add("targets", "the plan has no targets");
  for (const auto& param : plan.params()) {
    check->CheckName(absl::StrCat("params[", param.name(), "]"), param.name());
  }
  for (const auto& signal : plan.signals()) {
    check->CheckIdentifier(absl::StrCat("signals[", signal.name(), "]"), signal.name());
  }
  for (const auto& invariant : plan.invariants()) {
    check->CheckName(absl::StrCat("invariants[", invariant.name(), "]"), invariant.name());
  }
  for (const auto& measure : plan.measures()) {
    check->CheckName(absl::StrCat("measures[", measure.name(), "]"), measure.name());
  }
  for (const auto& [list, conditions] :
       {std::pair{"valid_while", &plan.valid_while()}, {"abort_when", &plan.abort_when()}}) {
    for (const auto& condition : *conditions) {
      check->CheckName(absl::StrCat(list, "[", condition.name(), "]"), condition.name());
    }
  }
  std::set<std::string> charts;
  for (int i = 0; i < plan.charts_size(); ++i) {
    const std::string path = absl::StrCat("charts[", i, "]");
    check->CheckKnown(path, "signal", plan.charts(i), check->signals());
    if (!charts.insert(plan.charts(i)).second) check->Add(path, "is named twice");
  }
  CheckRun(check);
}

}  // namespace squall

#include "harness/plan/schedule.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "faults/catalog.h"
#include "faults/core/random.h"
#include "faults/core/status_macros.h"
#include "faults/selection.h"
#include "harness/plan/after_rule.h"
#include "harness/plan/step_fault.h"
#include "harness/plan/variants.h"

namespace squall {
namespace {

using agent::v1::FaultInstance;
using agent::v1::TargetInfo;
using faults::v1::Selection;

constexpr int64_t kDefaultWithinNs = 60'000'000'000;

absl::Status StepError(const std::string& step, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("step `", step, "`: ", message));
}

std::string SiteOf(const std::string& step) { return absl::StrCat("step/", step); }

FaultInstance MakeInstance(const std::string& run_id, const std::string& step, const std::string& target,
                           uint32_t count) {
  FaultInstance instance;
  instance.set_id(absl::StrCat(run_id, "/", step, "/", target));
  instance.set_target(target);
  instance.set_site(absl::StrCat(SiteOf(step), "/", target));
  instance.set_count(count);
  return instance;
}

// The inventory in order of role and index, whatever order agents told it in.
std::vector<Candidate> Candidates(const std::vector<TargetInfo>& inventory) {
  std::vector<Candidate> candidates;
  for (const TargetInfo& info : inventory) {
    candidates.push_back({info.role(), info.index(), {info.labels().begin(), info.labels().end()}});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.role, a.index) < std::tie(b.role, b.index);
  });
  return candidates;
}

uint32_t CountOf(const std::vector<TargetInfo>& inventory, const std::string& role) {
  return std::count_if(inventory.begin(), inventory.end(), [&](const TargetInfo& i) { return i.role() == role; });
}

// How many instances of `role` the plan's steps add to those of the inventory.
uint32_t StartedBySteps(const plan::v1::Plan& plan, const std::string& role) {
  uint64_t more = 0;
  for (const plan::v1::Step& step : plan.steps()) {
    const std::optional<faults::v1::Fault> fault = StepFault(step);
    if (fault && fault->has_start() && fault->on().role() == role) more += std::max(1u, fault->on().count());
  }
  return static_cast<uint32_t>(std::min<uint64_t>(more, std::numeric_limits<uint32_t>::max() / 2));
}

absl::StatusOr<uint32_t> InstancesAmount(const plan::v1::Plan& plan, const Action& action,
                                         const std::vector<TargetInfo>& inventory) {
  const Selection& on = action.fault.on();
  const uint32_t known = CountOf(inventory, on.role());
  switch (on.amount_case()) {
    case Selection::kCount:
      return on.count();
    case Selection::kPercent: {
      const uint32_t share = ShareOf(on.percent().value(), known);
      if (share == 0) {
        return StepError(action.step, absl::StrCat(on.percent().value() * 100, "% of ", known, " instances of `",
                                                   on.role(), "` is nobody"));
      }
      return share;
    }
    case Selection::kAll:
      return known + StartedBySteps(plan, on.role());
    case Selection::AMOUNT_NOT_SET:
      break;
  }
  return 1;
}

absl::StatusOr<std::vector<FaultInstance>> ProcessInstances(const Action& action,
                                                            const std::vector<TargetInfo>& inventory,
                                                            const std::string& run_id, uint64_t seed,
                                                            std::vector<faults::v1::Draw>* draws) {
  const std::string site = SiteOf(action.step);
  const std::vector<Candidate> candidates = Candidates(inventory);
  absl::StatusOr<std::vector<size_t>> chosen = Select(action.fault.on(), candidates, RandomStream(seed, site));
  if (!chosen.ok()) return StepError(action.step, chosen.status().message());
  if (chosen->empty())
    return StepError(action.step, absl::StrCat("selects nobody of `", action.fault.on().role(), "`"));
  std::vector<FaultInstance> instances;
  for (size_t i = 0; i < chosen->size(); ++i) {
    const Candidate& candidate = candidates[(*chosen)[i]];
    instances.push_back(MakeInstance(run_id, action.step, absl::StrCat(candidate.role, "/", candidate.index), 1));
    if (draws == nullptr) continue;
    faults::v1::Draw& draw = draws->emplace_back();
    draw.set_seed(seed);
    draw.set_site(site);
    draw.set_ordinal(i);
    draw.set_value(candidate.index);
  }
  return instances;
}

// One for each listener of the link: one listener leads to each instance of its `to` role.
absl::StatusOr<std::vector<FaultInstance>> LinkInstances(const plan::v1::Plan& plan, const Action& action,
                                                         const std::vector<TargetInfo>& inventory,
                                                         const std::string& run_id) {
  const std::string& name = action.fault.on().link();
  std::string role;
  for (const plan::v1::Link& link : plan.links()) {
    if (link.name() == name) role = link.to().role();
  }
  std::vector<uint32_t> indices;
  for (const TargetInfo& info : inventory) {
    if (info.role() == role) indices.push_back(info.index());
  }
  std::sort(indices.begin(), indices.end());
  if (indices.empty()) return StepError(action.step, absl::StrCat("link `", name, "` leads to no instance"));
  std::vector<FaultInstance> instances;
  for (uint32_t index : indices) {
    instances.push_back(MakeInstance(run_id, action.step, absl::StrCat(name, "/", index), 1));
  }
  return instances;
}

absl::StatusOr<Release> ReleaseOf(const plan::v1::Plan& plan, int index) {
  const plan::v1::Step& step = plan.steps(index);
  Release release;
  release.step = index > 0 ? plan.steps(index - 1).name() : "";
  if (step.has_at()) {
    release.kind = Release::AT;
    release.step = "";
    release.offset_ns = ToNs(step.at());
  } else if (!step.after().empty()) {
    const absl::StatusOr<AfterRule> rule = ParseAfter(step.after());
    if (!rule.ok()) return StepError(step.name(), rule.status().message());
    release.kind = rule->step == "run" ? Release::AT : Release::AFTER;
    release.step = rule->step == "run" ? "" : rule->step;
    release.edge = rule->edge == AfterRule::kStart ? Release::START : Release::END;
    release.offset_ns = rule->offset_ns;
  } else if (step.has_when()) {
    release.kind = Release::WHEN;
    release.expr = step.when().expr();
    release.hold_ns = ToNs(step.when().for_());
    release.within_ns = step.when().has_within() ? ToNs(step.when().within()) : kDefaultWithinNs;
    release.otherwise = step.when().otherwise();
  }
  return release;
}

absl::StatusOr<Action> MakeAction(const plan::v1::Plan& plan, int index) {
  const plan::v1::Step& step = plan.steps(index);
  Action action;
  action.step = step.name();
  ASSIGN_OR_RETURN(action.release, ReleaseOf(plan, index));
  const std::optional<faults::v1::Fault> fault = StepFault(step);
  if (!fault) return action;
  action.fault = *fault;
  action.kind = KindName(*fault);
  const absl::StatusOr<faults::v1::Seam> seam = SeamOf(*fault);
  if (!seam.ok()) return StepError(step.name(), seam.status().message());
  action.seam = *seam;
  action.duration_ns = StepDurationNs(step);
  action.live = fault->on().live();
  return action;
}

}  // namespace

absl::StatusOr<std::vector<FaultInstance>> ResolveInstances(const plan::v1::Plan& plan, const Action& action,
                                                            const std::vector<TargetInfo>& inventory,
                                                            const std::string& run_id, uint64_t seed,
                                                            std::vector<faults::v1::Draw>* draws) {
  const Selection& on = action.fault.on();
  switch (action.seam) {
    case faults::v1::SEAM_PROCESS:
      return ProcessInstances(action, inventory, run_id, seed, draws);
    case faults::v1::SEAM_LINK:
      return LinkInstances(plan, action, inventory, run_id);
    case faults::v1::SEAM_LOAD:
      return std::vector<FaultInstance>{MakeInstance(run_id, action.step, on.load(), 1)};
    case faults::v1::SEAM_INSTANCES: {
      ASSIGN_OR_RETURN(const uint32_t count, InstancesAmount(plan, action, inventory));
      return std::vector<FaultInstance>{MakeInstance(run_id, action.step, on.role(), count)};
    }
    default:
      return std::vector<FaultInstance>{};
  }
}

absl::StatusOr<Schedule> MakeSchedule(const plan::v1::Plan& plan, const std::vector<TargetInfo>& inventory,
                                      const std::map<std::string, std::string>& addresses, std::string run_id,
                                      uint64_t seed) {
  Schedule schedule;
  for (int i = 0; i < plan.steps_size(); ++i) {
    ASSIGN_OR_RETURN(Action action, MakeAction(plan, i));
    const std::string& link = action.fault.on().link();
    if (action.seam == faults::v1::SEAM_LINK && !addresses.contains(absl::StrCat("link.", link, ".address"))) {
      return StepError(action.step, absl::StrCat("no agent carries link `", link, "`"));
    }
    if (!action.live) {
      ASSIGN_OR_RETURN(action.instances, ResolveInstances(plan, action, inventory, run_id, seed, &schedule.draws));
    }
    schedule.actions.push_back(std::move(action));
  }
  return schedule;
}

}  // namespace squall

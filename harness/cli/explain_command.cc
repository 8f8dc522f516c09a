#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/clock.h"
#include "harness/cli/commands.h"
#include "harness/cli/local_run.h"
#include "harness/plan/loader.h"
#include "harness/plan/schedule.h"
#include "harness/plan/variants.h"

namespace squall {
namespace {

using agent::v1::TargetInfo;

// What the agents would offer, worked out from the plan alone: no process, port or file is touched.
std::vector<TargetInfo> Inventory(const plan::v1::Plan& plan, uint64_t seed, std::vector<faults::v1::Draw>* draws) {
  std::vector<TargetInfo> inventory;
  for (const auto& target : plan.targets()) {
    const uint32_t count = target.has_attach() ? target.attach().expect() : target.has_count() ? target.count() : 1;
    const auto labels = AssignLabels(target, count, seed, draws);
    for (uint32_t i = 0; i < count; ++i) {
      TargetInfo info;
      info.set_role(target.name());
      info.set_index(i);
      for (const auto& label : target.labels()) (*info.mutable_labels())[label.name()] = label.value();
      for (const auto& [name, value] : labels[i]) (*info.mutable_labels())[name] = value;
      inventory.push_back(std::move(info));
    }
  }
  return inventory;
}

std::map<std::string, std::string> Addresses(const plan::v1::Plan& plan, const std::vector<TargetInfo>& inventory) {
  std::map<std::string, std::string> addresses;
  for (const auto& link : plan.links()) {
    addresses[absl::StrCat("link.", link.name(), ".address")] = "127.0.0.1:<kernel>";
    for (const TargetInfo& info : inventory) {
      if (info.role() != link.to().role()) continue;
      addresses[absl::StrCat("link.", link.name(), "/", info.index(), ".address")] = "127.0.0.1:<kernel>";
    }
  }
  return addresses;
}

double Seconds(int64_t ns) { return static_cast<double>(ns) / kSecond; }

std::string Describe(const Release& release) {
  switch (release.kind) {
    case Release::AT:
      return absl::StrCat("at ", Seconds(release.offset_ns), " s");
    case Release::AFTER:
      return absl::StrCat("after ", release.step, release.edge == Release::START ? ".start" : ".end", " + ",
                          Seconds(release.offset_ns), " s");
    case Release::WHEN:
      return absl::StrCat("when ", release.expr, " for ", Seconds(release.hold_ns), " s, within ",
                          Seconds(release.within_ns), " s");
    case Release::WITH_PREVIOUS:
      return release.step.empty() ? "at the start" : absl::StrCat("with ", release.step);
  }
  return "";
}

void PrintTargets(const plan::v1::Plan& plan, const std::vector<TargetInfo>& inventory) {
  std::cout << "Targets\n";
  for (const auto& target : plan.targets()) {
    std::cout << "  " << target.name() << ": "
              << (target.has_attach() ? absl::StrCat("attach, expect ", target.attach().expect())
                                      : absl::StrCat("start ", target.has_count() ? target.count() : 1, ": ",
                                                     absl::StrJoin(target.argv(), " ")))
              << "\n";
    for (const TargetInfo& info : inventory) {
      if (info.role() != target.name() || info.labels().empty()) continue;
      std::map<std::string, std::string> labels(info.labels().begin(), info.labels().end());
      std::cout << "    " << info.role() << "/" << info.index() << "  "
                << absl::StrJoin(labels, " ", absl::PairFormatter("=")) << "\n";
    }
  }
}

void PrintActions(const Schedule& schedule) {
  std::cout << "Actions\n";
  for (const Action& action : schedule.actions) {
    std::cout << "  " << action.step << ": " << Describe(action.release);
    if (action.kind.empty()) {
      std::cout << ": an instant\n";
      continue;
    }
    std::cout << ": " << action.kind << " for at most " << Seconds(action.duration_ns) << " s\n";
    std::cout << "      " << action.fault.ShortDebugString() << "\n";
    for (const auto& instance : action.instances) {
      std::cout << "      would be armed on " << instance.target()
                << (instance.count() > 1 ? absl::StrCat(" x ", instance.count()) : "") << "\n";
    }
    if (action.live) std::cout << "      drawn at release from what runs then\n";
  }
}

}  // namespace

int ExplainCommand(const PlanFlags& flags) {
  const auto sets = ParsePairs("--set", flags.sets);
  if (!sets.ok()) {
    std::cerr << "squall explain: " << sets.status().message() << "\n";
    return kBadUsage;
  }
  const LoadResult loaded = LoadPlanFile(flags.plan, *sets);
  for (const PlanError& error : loaded.errors) std::cerr << FormatError(error) << "\n";
  if (!loaded.ok()) return kBadUsage;
  const plan::v1::Plan& plan = loaded.plan->plan;
  const uint64_t seed = flags.seed.value_or(1);
  std::vector<faults::v1::Draw> draws;
  const std::vector<TargetInfo> inventory = Inventory(plan, seed, &draws);
  const auto schedule = MakeSchedule(plan, inventory, Addresses(plan, inventory), "explain", seed);
  if (!schedule.ok()) {
    std::cerr << flags.plan << ": " << schedule.status().message() << "\n";
    return kBadUsage;
  }
  std::cout << "Plan " << plan.name() << ", seed " << seed
            << (flags.seed.has_value() ? "" : " (give --seed for another)") << ". Nothing is started.\n";
  PrintTargets(plan, inventory);
  std::cout << "Links\n";
  for (const auto& link : plan.links()) {
    std::cout << "  " << link.name() << ": " << (link.from().role().empty() ? "anybody" : link.from().role()) << " -> "
              << link.to().role() << "\n";
  }
  PrintActions(*schedule);
  std::cout << "Invariants\n";
  for (const auto& invariant : plan.invariants())
    std::cout << "  " << invariant.name() << ": " << invariant.expr() << "\n";
  std::cout << "Draws: " << draws.size() + schedule->draws.size() << "\n";
  return 0;
}

}  // namespace squall

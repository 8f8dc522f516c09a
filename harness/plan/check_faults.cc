#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "faults/catalog.h"
#include "faults/selection.h"
#include "harness/plan/near_match.h"
#include "harness/plan/plan_check.h"
#include "harness/plan/step_fault.h"
#include "harness/plan/variants.h"

namespace squall {
namespace {

using faults::v1::Fault;
using faults::v1::Seam;
using faults::v1::Selection;

// What a kind of this seam acts on: the field of the selection that must name it.
std::string ObjectOf(Seam seam) {
  switch (seam) {
    case faults::v1::SEAM_LINK:
      return "link";
    case faults::v1::SEAM_LOAD:
      return "load";
    default:
      return "role";
  }
}

// A status of faults/ names the field at fault first ("latency: must be ..."); that joins the path.
void AddFaultError(PlanCheck* check, const std::string& path, absl::string_view message) {
  const size_t colon = message.find(": ");
  const absl::string_view field = message.substr(0, colon);
  const bool named =
      colon != absl::string_view::npos && !field.empty() &&
      std::all_of(field.begin(), field.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; });
  if (!named) return check->Add(path, std::string(message));
  check->Add(absl::StrCat(path, ".", field), std::string(message.substr(colon + 2)));
}

void CheckObject(PlanCheck* check, const Fault& fault, Seam seam, const std::string& path) {
  const Selection& on = fault.on();
  const std::string wanted = ObjectOf(seam);
  const std::string kind = KindName(fault);
  std::vector<std::string> given;
  if (!on.role().empty()) given.push_back("role");
  if (!on.link().empty()) given.push_back("link");
  if (!on.load().empty()) given.push_back("load");
  if (given.empty()) {
    return check->Add(path, absl::StrCat("`", kind, "` hits nobody; write `on: {", wanted, ": NAME}`"));
  }
  if (given.size() > 1) return check->Add(path + ".on", absl::StrCat(ListNames(given), "; only one of them can be"));
  if (given[0] != wanted) {
    return check->Add(
        absl::StrCat(path, ".on.", given[0]),
        absl::StrCat("`", kind, "` acts on a ", wanted, ", not on a ", given[0], "; write `on: {", wanted, ": NAME}`"));
  }
  if (wanted == "role") check->CheckKnown(path + ".on.role", "target", on.role(), check->roles());
  if (wanted == "link") check->CheckKnown(path + ".on.link", "link", on.link(), check->links());
  if (wanted == "load") check->CheckKnown(path + ".on.load", "load", on.load(), check->loads());
}

// Labels of an attached role are the agents', known only when they come.
void CheckLabels(PlanCheck* check, const Fault& fault, const std::string& path) {
  const Selection& on = fault.on();
  const plan::v1::Target* target = check->FindTarget(on.role());
  if (target == nullptr || target->has_attach()) return;
  const std::vector<std::string> names = LabelsOf(*target);
  for (const auto& label : on.labels()) {
    const std::string label_path = absl::StrCat(path, ".on.labels[", label.name(), "]");
    if (!check->CheckKnown(label_path, "label", label.name(), names, on.role())) continue;
    std::vector<std::string> values;
    for (const auto& fixed : target->labels()) {
      if (fixed.name() == label.name()) values.push_back(fixed.value());
    }
    for (const auto& variant : target->variants()) {
      if (variant.name() != label.name()) continue;
      for (const auto& value : variant.values()) values.push_back(value.name());
    }
    check->CheckKnown(label_path, "value", label.value(), values, label.name());
  }
  if (!on.stratify().empty()) check->CheckKnown(path + ".on.stratify", "label", on.stratify(), names, on.role());
  for (int i = 0; i < on.exclude_size(); ++i) {
    for (const auto& label : on.exclude(i).labels()) {
      check->CheckKnown(absl::StrCat(path, ".on.exclude[", i, "].labels[", label.name(), "]"), "label", label.name(),
                        names, on.role());
    }
  }
}

// More than the plan can ever have of a role it starts itself. `path`: of the selection.
void CheckAmount(PlanCheck* check, const Fault& fault, const std::string& path) {
  const Selection& on = fault.on();
  const plan::v1::Target* target = check->FindTarget(on.role());
  if (target == nullptr || target->has_attach()) return;
  if (fault.has_start()) {
    if (on.has_percent() || on.all()) check->Add(path, "a start wants a `count`");
    if (target->job()) check->Add(path + ".role", "a job runs once, by itself");
    return;
  }
  uint64_t most = target->has_count() ? target->count() : 1;
  for (const plan::v1::Step& step : check->plan().steps()) {
    const std::optional<Fault> other = StepFault(step);
    if (other && other->has_start() && other->on().role() == on.role()) most += std::max(1u, other->on().count());
  }
  if (most == 0) {
    check->Add(path + ".role",
               absl::StrCat("`", on.role(), "` has no instances: its count is 0 and no step starts one"));
  } else if (on.count() > most) {
    check->Add(path + ".count", absl::StrCat("there are never more than ", most, " of `", on.role(), "`"));
  } else if (on.has_percent() && on.percent().value() > 0 && ShareOf(on.percent().value(), most) == 0) {
    check->Add(path + ".percent",
               absl::StrCat(on.percent().value() * 100, "% of ", most, " of `", on.role(), "` selects nobody"));
  }
}

void CheckFault(PlanCheck* check, const Fault& fault, const std::string& path) {
  if (fault.kind_case() == Fault::KIND_NOT_SET) {
    return check->Add(path,
                      absl::StrCat("has no kind; write one of ", ListNames({KindNames().begin(), KindNames().end()})));
  }
  const absl::StatusOr<Seam> seam = SeamOf(fault);
  if (!seam.ok()) return AddFaultError(check, path, seam.status().message());
  CheckObject(check, fault, *seam, path);
  if (!fault.has_on()) return;
  const absl::Status selection = CheckSelection(fault.on());
  const bool objects_named = fault.on().role().empty() + fault.on().link().empty() + fault.on().load().empty() == 2;
  if (!selection.ok() && objects_named) AddFaultError(check, path + ".on", selection.message());
  CheckLabels(check, fault, path);
  CheckAmount(check, fault, path + ".on");
}

void CheckParameters(PlanCheck* check, const Fault& fault, const std::string& path) {
  if (fault.kind_case() == Fault::KIND_NOT_SET) return;
  const auto kind = MakeFault(fault);
  if (!kind.ok()) AddFaultError(check, path, kind.status().message());
}

// `start: {role: mega}` and `drain` have the fields of their fault without its nesting.
void CheckShort(PlanCheck* check, const plan::v1::Step& step, const std::string& path) {
  const Fault fault = *StepFault(step);
  if (fault.on().role().empty()) return check->Add(path, "`role` is missing");
  if (!check->CheckKnown(path + ".role", "target", fault.on().role(), check->roles())) return;
  if (fault.on().count() == 0) return check->Add(path + ".count", "at least 1");
  if (check->FindTarget(fault.on().role())->job()) check->Add(path + ".role", "a job runs once, by itself");
  CheckParameters(check, fault, path);
  if (fault.has_drain()) CheckAmount(check, fault, path);
}

}  // namespace

void CheckFaults(PlanCheck* check) {
  for (int i = 0; i < check->plan().steps_size(); ++i) {
    const plan::v1::Step& step = check->plan().steps(i);
    const std::string path = absl::StrCat("steps[", i, "]");
    if (step.has_fault()) {
      CheckFault(check, step.fault(), path + ".fault");
      CheckParameters(check, step.fault(), path + ".fault." + KindName(step.fault()));
    } else if (step.has_start()) {
      CheckShort(check, step, path + ".start");
    } else if (step.has_drain()) {
      CheckShort(check, step, path + ".drain");
    }
  }
}

}  // namespace squall

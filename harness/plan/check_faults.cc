#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "faults/catalog.h"
#include "faults/selection.h"
#include "harness/plan/check_context.h"
#include "harness/plan/near_match.h"
#include "harness/plan/step_fault.h"

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

// A status of faults/ names a field of the fault first ("delay.latency: ..."); it joins the path if it stands there.
void AddFaultError(CheckContext* context, const std::string& path, absl::string_view message) {
  context->Add(path, std::string(message));
}

void CheckObject(CheckContext* context, const Fault& fault, Seam seam, const std::string& path) {
  const Selection& on = fault.on();
  const std::string wanted = ObjectOf(seam);
  const std::string kind = KindName(fault);
  std::vector<std::string> given;
  if (!on.role().empty()) given.push_back("role");
  if (!on.link().empty()) given.push_back("link");
  if (!on.load().empty()) given.push_back("load");
  if (given.empty()) {
    return context->Add(path, absl::StrCat("`", kind, "` hits nobody; write `on: {", wanted, ": NAME}`"));
  }
  if (given.size() > 1) return context->Add(path + ".on", absl::StrCat(ListNames(given), "; only one of them can be"));
  if (given[0] != wanted) {
    return context->Add(
        absl::StrCat(path, ".on.", given[0]),
        absl::StrCat("`", kind, "` acts on a ", wanted, ", not on a ", given[0], "; write `on: {", wanted, ": NAME}`"));
  }
  if (wanted == "role") context->CheckKnown(path + ".on.role", "target", on.role(), context->roles());
  if (wanted == "link") context->CheckKnown(path + ".on.link", "link", on.link(), context->links());
  if (wanted == "load") context->CheckKnown(path + ".on.load", "load", on.load(), context->loads());
}

// Labels of an attached role are the agents', known only when they come.
void CheckLabels(CheckContext* context, const Fault& fault, const std::string& path) {
  const Selection& on = fault.on();
  const plan::v1::Target* target = context->FindTarget(on.role());
  if (target == nullptr || target->has_attach()) return;
  const std::vector<std::string> names = LabelsOf(*target);
  const std::string what = absl::StrCat("label of `", on.role(), "`");
  for (const auto& label : on.labels()) {
    const std::string label_path = absl::StrCat(path, ".on.labels[", label.name(), "]");
    if (!context->CheckKnown(label_path, what, label.name(), names)) continue;
    std::vector<std::string> values;
    for (const auto& fixed : target->labels()) {
      if (fixed.name() == label.name()) values.push_back(fixed.value());
    }
    for (const auto& variant : target->variants()) {
      if (variant.name() != label.name()) continue;
      for (const auto& value : variant.values()) values.push_back(value.name());
    }
    context->CheckKnown(label_path, absl::StrCat("value of label `", label.name(), "`"), label.value(), values);
  }
  if (!on.stratify().empty()) context->CheckKnown(path + ".on.stratify", what, on.stratify(), names);
  for (int i = 0; i < on.exclude_size(); ++i) {
    for (const auto& label : on.exclude(i).labels()) {
      context->CheckKnown(absl::StrCat(path, ".on.exclude[", i, "].labels[", label.name(), "]"), what, label.name(),
                          names);
    }
  }
}

// More than the plan can ever have of a role it starts itself.
void CheckAmount(CheckContext* context, const Fault& fault, Seam seam, const std::string& path) {
  const Selection& on = fault.on();
  const plan::v1::Target* target = context->FindTarget(on.role());
  if (target == nullptr || target->has_attach()) return;
  if (fault.has_start()) {
    if (on.has_percent() || on.all()) context->Add(path + ".on", "a start wants a `count`");
    if (target->job()) context->Add(path + ".on.role", "a job runs once, by itself");
    return;
  }
  uint64_t most = target->has_count() ? target->count() : 1;
  for (const plan::v1::Step& step : context->plan().steps()) {
    const std::optional<Fault> other = StepFault(step);
    if (other && other->has_start() && other->on().role() == on.role()) most += std::max(1u, other->on().count());
  }
  if (most == 0) {
    context->Add(path + ".on.role",
                 absl::StrCat("`", on.role(), "` has no instances: its count is 0 and no step starts one"));
  } else if (on.count() > most) {
    context->Add(path + ".on.count", absl::StrCat("there are never more than ", most, " of `", on.role(), "`"));
  }
}

void CheckFault(CheckContext* context, const Fault& fault, const std::string& path) {
  if (fault.kind_case() == Fault::KIND_NOT_SET) {
    return context->Add(
        path, absl::StrCat("has no kind; write one of ", ListNames({KindNames().begin(), KindNames().end()})));
  }
  const absl::StatusOr<Seam> seam = SeamOf(fault);
  if (!seam.ok()) return AddFaultError(context, path, seam.status().message());
  CheckObject(context, fault, *seam, path);
  if (!fault.has_on()) return;
  const absl::Status selection = CheckSelection(fault.on());
  if (!selection.ok()) AddFaultError(context, path + ".on", selection.message());
  CheckLabels(context, fault, path);
  CheckAmount(context, fault, *seam, path);
}

void CheckParameters(CheckContext* context, const Fault& fault, const std::string& path) {
  if (fault.kind_case() == Fault::KIND_NOT_SET) return;
  const auto kind = MakeFault(fault);
  if (!kind.ok()) AddFaultError(context, path, kind.status().message());
}

// `start: {role: mega}` and `drain` have the fields of their fault without its nesting.
void CheckShort(CheckContext* context, const plan::v1::Step& step, const std::string& path) {
  const Fault fault = *StepFault(step);
  if (fault.on().role().empty()) return context->Add(path, "`role` is missing");
  if (!context->CheckKnown(path + ".role", "target", fault.on().role(), context->roles())) return;
  if (fault.on().count() == 0) return context->Add(path + ".count", "at least 1");
  if (context->FindTarget(fault.on().role())->job()) context->Add(path + ".role", "a job runs once, by itself");
  CheckParameters(context, fault, path);
  if (fault.has_drain()) CheckAmount(context, fault, faults::v1::SEAM_INSTANCES, path);
}

}  // namespace

void CheckFaults(CheckContext* context) {
  for (int i = 0; i < context->plan().steps_size(); ++i) {
    const plan::v1::Step& step = context->plan().steps(i);
    const std::string path = absl::StrCat("steps[", i, "]");
    if (step.has_fault()) {
      CheckFault(context, step.fault(), path + ".fault");
      CheckParameters(context, step.fault(), path + ".fault." + KindName(step.fault()));
    } else if (step.has_start()) {
      CheckShort(context, step, path + ".start");
    } else if (step.has_drain()) {
      CheckShort(context, step, path + ".drain");
    }
  }
}

}  // namespace squall

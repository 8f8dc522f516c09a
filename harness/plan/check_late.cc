#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "faults/fault.pb.h"
#include "harness/plan/field_walk.h"
#include "harness/plan/plan_check.h"
#include "harness/plan/references.h"

namespace squall {
namespace {

// `target`: whose field it stands in; null for a load.
void CheckReference(PlanCheck* check, const plan::v1::Target* target, const std::string& path,
                    const std::string& text) {
  const std::optional<LateName> late = ParseLateName(text);
  if (!late) return;  // refused when params were replaced
  if (late->kind == "link") {
    check->CheckKnown(path, "link", late->name, check->links());
  } else if (late->kind == "target") {
    if (!check->CheckKnown(path, "target", late->name, check->roles())) return;
    if (check->FindTarget(late->name)->job()) {
      check->Add(path, absl::StrCat("`", late->name, "` is a job; it has no address"));
    }
  } else if (target == nullptr) {
    check->Add(path,
               absl::StrCat("`${", text,
                            "}` belongs to a target; a load has ${link.NAME.address} and ${target.ROLE.address}"));
  } else if (late->kind == "port" && !late->name.empty()) {
    check->CheckKnown(path, "port", late->name, PortsOf(*target), target->name());
  } else if (late->kind == "label") {
    check->CheckKnown(path, "label", late->name, LabelsOf(*target), target->name());
  }
}

}  // namespace

void CheckLateReferences(PlanCheck* check) {
  plan::v1::Plan plan = check->plan();
  WalkFields(&plan, [&](const WalkedField& value) {
    if (!value.field->options().GetExtension(faults::v1::late_reference)) return;
    const auto pieces = SplitReferences(GetText(value));
    if (!pieces.ok()) return;
    const plan::v1::Target* target = nullptr;
    for (const plan::v1::Target& candidate : check->plan().targets()) {
      if (absl::StartsWith(value.path, absl::StrCat("targets[", candidate.name(), "]."))) target = &candidate;
    }
    for (const TextPiece& piece : *pieces) {
      if (piece.reference) CheckReference(check, target, value.path, piece.text);
    }
  });
}

}  // namespace squall

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "harness/plan/plan_check.h"
#include "harness/plan/scalars.h"

namespace squall {
namespace {

const std::vector<std::string>& ReservedLabels() {
  static const auto* names = new std::vector<std::string>{"role", "index", "target", "incarnation", "agent"};
  return *names;
}

void CheckLabelName(PlanCheck* check, const std::string& path, const std::string& name) {
  check->CheckIdentifier(path, name);
  const auto& reserved = ReservedLabels();
  if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
    check->Add(path, absl::StrCat("every series has a label `", name, "` already; choose another name"));
  }
}

// The values that a label of the variants above can have; empty if there is no such label.
std::vector<std::string> ValuesAbove(const plan::v1::Target& target, int variant, const std::string& label) {
  std::vector<std::string> values;
  for (int i = 0; i < variant; ++i) {
    if (target.variants(i).name() != label) continue;
    for (const auto& value : target.variants(i).values()) values.push_back(value.name());
  }
  for (const auto& fixed : target.labels()) {
    if (fixed.name() == label) values.push_back(fixed.value());
  }
  return values;
}

void CheckOf(PlanCheck* check, const plan::v1::Target& target, int variant, const plan::v1::VariantValue& value,
             const std::string& path) {
  for (const auto& of : value.of()) {
    const std::string of_path = absl::StrCat(path, ".of[", of.name(), "]");
    const std::vector<std::string> values = ValuesAbove(target, variant, of.name());
    if (values.empty()) {
      check->Add(of_path, absl::StrCat("no label `", of.name(), "` among the variants above"));
    } else {
      check->CheckKnown(of_path, "value", of.value(), values, of.name());
    }
  }
}

std::string GroupOf(const plan::v1::VariantValue& value) {
  std::map<std::string, std::string> labels;
  for (const auto& of : value.of()) labels[of.name()] = of.value();
  std::string key;
  for (const auto& [name, text] : labels) absl::StrAppend(&key, name, "=", text, "\n");
  return key;
}

void CheckVariant(PlanCheck* check, const plan::v1::Target& target, int index, const std::string& path) {
  const plan::v1::Variant& variant = target.variants(index);
  std::map<std::string, double> sums;
  int rests = 0;
  bool understood = true;
  for (const auto& value : variant.values()) {
    const std::string value_path = absl::StrCat(path, "[", value.name(), "]");
    CheckOf(check, target, index, value, value_path);
    if (value.share() == "rest") {
      if (++rests == 2) check->Add(value_path, "a second `rest`");
      if (value.of_size() > 0) check->Add(value_path, "`rest` takes whoever is left; it has no `of`");
      continue;
    }
    const absl::StatusOr<double> share = ParseRatio(value.share());
    if (!share.ok()) {
      understood = false;
      check->Add(value_path, absl::StrCat(share.status().message(), ", or `rest`"));
    } else {
      sums[GroupOf(value)] += *share;
    }
  }
  for (const auto& [group, sum] : sums) {
    if (sum > 1 + 1e-9) check->Add(path, absl::StrCat("the shares add up to ", sum * 100, "%"));
  }
  if (variant.values().empty()) return check->Add(path, "has no values");
  const bool complete = sums.size() == 1 && sums.begin()->first.empty() && sums.begin()->second > 1 - 1e-9;
  if (understood && rests == 0 && !complete) {
    check->Add(path, "not every instance gets a value; give one of the values `rest`");
  }
}

}  // namespace

void CheckVariants(PlanCheck* check) {
  for (const auto& target : check->plan().targets()) {
    const std::string path = absl::StrCat("targets[", target.name(), "]");
    for (const auto& label : target.labels()) {
      CheckLabelName(check, absl::StrCat(path, ".labels[", label.name(), "]"), label.name());
    }
    for (int i = 0; i < target.variants_size(); ++i) {
      const std::string name = target.variants(i).name();
      const std::string variant_path = absl::StrCat(path, ".variants[", name, "]");
      CheckLabelName(check, variant_path, name);
      for (const auto& label : target.labels()) {
        if (label.name() == name) check->Add(variant_path, absl::StrCat("`", name, "` is a fixed label already"));
      }
      CheckVariant(check, target, i, variant_path);
    }
  }
}

}  // namespace squall

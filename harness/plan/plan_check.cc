#include "harness/plan/plan_check.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "harness/plan/near_match.h"
#include "harness/plan/step_fault.h"
#include "re2/re2.h"

namespace squall {
namespace {

constexpr size_t kLongestName = 64;

template <typename Named>
std::vector<std::string> NamesOf(const Named& elements) {
  std::vector<std::string> names;
  for (const auto& element : elements) names.push_back(element.name());
  return names;
}

}  // namespace

PlanCheck::PlanCheck(const plan::v1::Plan& plan, const PositionIndex& positions, PlanErrors* errors)
    : plan_(plan),
      positions_(positions),
      errors_(errors),
      roles_(NamesOf(plan.targets())),
      links_(NamesOf(plan.links())),
      loads_(NamesOf(plan.loads())),
      signals_(NamesOf(plan.signals())),
      steps_(NamesOf(plan.steps())) {}

const plan::v1::Target* PlanCheck::FindTarget(absl::string_view role) const {
  for (const plan::v1::Target& target : plan_.targets()) {
    if (target.name() == role) return &target;
  }
  return nullptr;
}

const plan::v1::Link* PlanCheck::FindLink(absl::string_view name) const {
  for (const plan::v1::Link& link : plan_.links()) {
    if (link.name() == name) return &link;
  }
  return nullptr;
}

void PlanCheck::Add(const std::string& path, std::string message) {
  errors_->Add(positions_.Nearest(path), path, std::move(message));
}

void PlanCheck::AddInside(const std::string& path, int column, std::string message) {
  errors_->Add(positions_.Inside(path, column), path, std::move(message));
}

bool PlanCheck::CheckKnown(const std::string& path, absl::string_view what, const std::string& name,
                           const std::vector<std::string>& known, absl::string_view owner) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return true;
  std::string hint = DidYouMean(name, known);
  if (hint.empty())
    hint = known.empty() ? absl::StrCat("; ", owner.empty() ? "the plan" : "it", " has none")
                         : absl::StrCat("; known are ", ListNames(known));
  Add(path, absl::StrCat("no ", what, " `", name.substr(0, kLongestName), "`", owner.empty() ? "" : " of `", owner,
                         owner.empty() ? "" : "`", hint));
  return false;
}

void PlanCheck::CheckName(const std::string& path, const std::string& name) {
  const bool good = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_' || c == '-';
  });
  if (name.empty()) {
    Add(path, "has no name");
  } else if (name.size() > kLongestName) {
    Add(path, absl::StrCat("a name of ", name.size(), " characters; at most ", kLongestName));
  } else if (!good) {
    Add(path, absl::StrCat("`", name, "` is no name: lower-case letters, digits, _ and - only"));
  }
}

void PlanCheck::CheckIdentifier(const std::string& path, const std::string& name) {
  const bool good = !name.empty() && !absl::ascii_isdigit(name[0]) &&
                    std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
  if (!good || name.size() > kLongestName) {
    Add(path, absl::StrCat("`", name.substr(0, kLongestName),
                           "` cannot be used as a name here: letters, digits and _ only, no digit first"));
  }
}

void PlanCheck::CheckDuration(const std::string& path, const google::protobuf::Duration& duration, int64_t least_ns,
                              int64_t most_ns) {
  const bool sane = duration.seconds() >= 0 && duration.nanos() >= 0 && duration.seconds() < 1'000'000'000;
  const int64_t ns = sane ? ToNs(duration) : -1;
  if (ns < 0) {
    Add(path, "is negative or without end");
  } else if (ns < least_ns) {
    Add(path, absl::StrCat(DurationText(ns), " is too short; at least ", DurationText(least_ns)));
  } else if (ns > most_ns) {
    Add(path, absl::StrCat(DurationText(ns), " is too long; at most ", DurationText(most_ns)));
  }
}

void PlanCheck::CheckRegex(const std::string& path, const std::string& regex) {
  if (regex.empty()) return Add(path, "an empty pattern matches every line");
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  const RE2 compiled(regex, options);
  if (!compiled.ok()) Add(path, absl::StrCat("no regular expression (RE2): ", compiled.error()));
}

std::vector<std::string> PortsOf(const plan::v1::Target& target) {
  if (target.ports().empty()) return {"port"};
  return {target.ports().begin(), target.ports().end()};
}

std::vector<std::string> LabelsOf(const plan::v1::Target& target) {
  std::vector<std::string> names = NamesOf(target.labels());
  for (const plan::v1::Variant& variant : target.variants()) names.push_back(variant.name());
  return names;
}

std::string DurationText(int64_t ns) {
  if (ns == 0) return "0 s";
  struct Unit {
    const char* name;
    int64_t size;
  };
  for (const Unit& unit : {Unit{"h", 3600'000'000'000}, Unit{"min", 60'000'000'000}, Unit{"s", 1'000'000'000},
                           Unit{"ms", 1'000'000}, Unit{"us", 1'000}}) {
    if (ns >= unit.size && ns % unit.size == 0) return absl::StrCat(ns / unit.size, " ", unit.name);
  }
  if (ns >= 1'000'000'000) return absl::StrCat(ns * 1e-9, " s");
  return absl::StrCat(ns, " ns");
}

}  // namespace squall

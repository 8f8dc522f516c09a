#include "targets/process/patterns.h"

#include <cmath>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

absl::StatusOr<std::unique_ptr<RE2>> CompileOne(const TargetSpec& spec, const std::string& what,
                                                const std::string& text) {
  const std::string where = absl::StrCat("role ", spec.role, ": ", what, ": ");
  if (text.empty()) return absl::InvalidArgumentError(absl::StrCat(where, "the regular expression is empty"));
  RE2::Options options(RE2::Quiet);
  options.set_encoding(RE2::Options::EncodingLatin1);  // bytes: an output need not be UTF-8
  auto regex = std::make_unique<RE2>(text, options);
  if (!regex->ok()) return absl::InvalidArgumentError(absl::StrCat(where, regex->error()));
  return regex;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const RolePatterns>> RolePatterns::Compile(const TargetSpec& spec) {
  auto patterns = std::make_shared<RolePatterns>();
  if (spec.ready.how == Readiness::LOG_LINE) {
    ASSIGN_OR_RETURN(patterns->ready_, CompileOne(spec, "ready.log", spec.ready.regex));
  }
  for (const EventRule& rule : spec.events) {
    Rule compiled;
    compiled.name = rule.name;
    ASSIGN_OR_RETURN(compiled.regex, CompileOne(spec, absl::StrCat("events.", rule.name), rule.regex));
    const auto& groups = compiled.regex->NamedCapturingGroups();
    if (const auto group = groups.find("value"); group != groups.end()) compiled.value_group = group->second;
    patterns->rules_.push_back(std::move(compiled));
  }
  return patterns;
}

bool RolePatterns::Ready(std::string_view line) const {
  return ready_ != nullptr && RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), *ready_);
}

void RolePatterns::ForEachEvent(std::string_view line,
                                const std::function<void(const std::string&, double)>& on_event) const {
  const re2::StringPiece text(line.data(), line.size());
  for (const Rule& rule : rules_) {
    absl::InlinedVector<re2::StringPiece, 4> groups(rule.value_group == 0 ? 0 : rule.value_group + 1);
    if (!rule.regex->Match(text, 0, text.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
      continue;
    }
    double value = 1;
    if (!groups.empty()) {
      const absl::string_view number(groups.back().data(), groups.back().size());
      if (!absl::SimpleAtod(number, &value) || !std::isfinite(value)) value = 1;
    }
    on_event(rule.name, value);
  }
}

}  // namespace squall

#include "harness/engine/verdict.h"

#include "absl/strings/str_cat.h"
#include "harness/engine/reasons.h"

namespace squall {
namespace {

using report::v1::ConditionResult;
using report::v1::InvariantResult;
using report::v1::Verdict;

Ruling Because(absl::string_view code, absl::string_view detail) {
  const reason::Info info = reason::Find(code);
  Ruling ruling;
  ruling.verdict = info.verdict;
  ruling.reason = std::string(code);
  ruling.detail = detail.empty() ? std::string(info.sentence) : absl::StrCat(info.sentence, ": ", detail);
  ruling.exit_code = ExitCode(info.verdict);
  return ruling;
}

const Finding* FirstOf(const std::vector<Finding>& findings, Verdict verdict) {
  for (const Finding& finding : findings) {
    if (reason::Find(finding.code).verdict == verdict) return &finding;
  }
  return nullptr;
}

const ConditionResult* FirstCondition(const VerdictFacts& facts, bool broken) {
  for (const ConditionResult& condition : facts.conditions) {
    if (condition.kind() != "valid_while" || condition.verdict() == report::v1::HOLDS) continue;
    if ((condition.verdict() == report::v1::VIOLATED) == broken) return &condition;
  }
  return nullptr;
}

const InvariantResult* FirstViolated(const VerdictFacts& facts) {
  const InvariantResult* first = nullptr;
  for (const InvariantResult& invariant : facts.invariants) {
    if (invariant.verdict() != report::v1::VIOLATED || !invariant.final()) continue;
    if (first == nullptr ||
        (invariant.has_first_violation_s() &&
         (!first->has_first_violation_s() || invariant.first_violation_s() < first->first_violation_s()))) {
      first = &invariant;
    }
  }
  return first;
}

std::string Describe(absl::string_view name, absl::string_view why) {
  return why.empty() ? std::string(name) : absl::StrCat(name, ": ", why);
}

// What keeps a run that nobody stopped from being a PASS.
Ruling RuleUnstopped(const VerdictFacts& facts) {
  if (const Finding* finding = FirstOf(facts.findings, report::v1::INCONCLUSIVE)) {
    return Because(finding->code, finding->detail);
  }
  if (const ConditionResult* condition = FirstCondition(facts, /*broken=*/false)) {
    return Because(reason::kValidWhileUnknown, Describe(condition->name(), condition->evidence()));
  }
  for (const InvariantResult& invariant : facts.invariants) {
    if (invariant.verdict() == report::v1::HOLDS) continue;
    const bool vacuous = invariant.verdict() == report::v1::VACUOUS;
    return Because(vacuous ? reason::kInvariantVacuous : reason::kInvariantUnknown,
                   Describe(invariant.name(), invariant.reason()));
  }
  if (facts.invariants.empty()) return Because(reason::kNoInvariants, "");
  return Because(reason::kAllHold, "");
}

}  // namespace

int ExitCode(Verdict verdict) {
  switch (verdict) {
    case report::v1::PASS:
      return 0;
    case report::v1::FAIL:
      return 1;
    case report::v1::INCONCLUSIVE:
      return 3;
    case report::v1::ABORTED:
      return 4;
    default:
      return 5;
  }
}

Ruling Rule(const VerdictFacts& facts) {
  for (const Finding& finding : facts.findings) {
    if (reason::Find(finding.code).verdict == report::v1::ERROR) return Because(finding.code, finding.detail);
    if (finding.code == reason::kInterrupted) {
      Ruling ruling = Because(finding.code, finding.detail);
      if (facts.interrupt_exit != 0) ruling.exit_code = facts.interrupt_exit;
      return ruling;
    }
  }
  if (const ConditionResult* condition = FirstCondition(facts, /*broken=*/true)) {
    return Because(reason::kValidWhileBroken, Describe(condition->name(), condition->evidence()));
  }
  if (const InvariantResult* violated = FirstViolated(facts)) {
    return Because(reason::kInvariantViolated, Describe(violated->name(), violated->evidence()));
  }
  if (const Finding* finding = FirstOf(facts.findings, report::v1::ABORTED)) {
    return Because(finding->code, finding->detail);
  }
  return RuleUnstopped(facts);
}

}  // namespace squall

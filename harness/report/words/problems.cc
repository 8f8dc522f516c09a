#include "harness/report/words/problems.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "harness/report/words/text.h"

namespace squall {
namespace {

using report::v1::ConditionResult;
using report::v1::FaultResult;
using report::v1::InvariantResult;
using report::v1::RunReport;
using report::v1::Truth;

int Count(const RunReport& report, Truth truth) {
  return static_cast<int>(std::count_if(report.invariants().begin(), report.invariants().end(),
                                        [&](const InvariantResult& i) { return i.verdict() == truth; }));
}

std::string Invariants(int count) { return absl::StrCat(count, count == 1 ? " invariant" : " invariants"); }

std::string InWords(absl::string_view code) { return absl::StrReplaceAll(code, {{"_", " "}}); }

std::string PrecededBy(const RunReport& report, const InvariantResult& invariant) {
  if (invariant.preceded_by().empty()) return "";
  for (const FaultResult& fault : report.faults()) {
    if (fault.name() != invariant.preceded_by()) continue;
    std::string text = DescribeFault(fault);
    if (fault.has_armed_s()) absl::StrAppend(&text, ", live since ", Seconds(fault.armed_s()));
    if (fault.has_lifted_s() && invariant.has_first_violation_s() &&
        fault.lifted_s() <= invariant.first_violation_s()) {
      absl::StrAppend(&text, ", gone at ", Seconds(fault.lifted_s()));
    }
    return text;
  }
  return invariant.preceded_by();
}

Problem FromInvariant(const RunReport& report, const InvariantResult& invariant) {
  Problem problem{.name = invariant.name(),
                  .evidence = invariant.evidence(),
                  .expression = invariant.expression(),
                  .about = invariant.about()};
  if (invariant.verdict() == report::v1::VIOLATED) {
    problem.what = absl::StrCat(invariant.name(), " was violated");
    if (invariant.has_first_violation_s()) problem.when_s = invariant.first_violation_s();
    if (std::isfinite(invariant.margin()) && invariant.margin() < 0) {
      problem.by_how_much = WithUnit(-invariant.margin(), invariant.margin_unit());
    }
    problem.preceded_by = PrecededBy(report, invariant);
  } else if (invariant.verdict() == report::v1::VACUOUS) {
    problem.what = absl::StrCat(invariant.name(), " was never put to the test");
  } else {
    problem.what = absl::StrCat(invariant.name(), " could not be decided");
  }
  if (invariant.verdict() != report::v1::VIOLATED && !invariant.reason().empty()) {
    absl::StrAppend(&problem.what, ": ", InWords(invariant.reason()));
  }
  return problem;
}

// A condition that stopped the run or took its worth away; nothing to tell about the others.
std::optional<Problem> FromCondition(const ConditionResult& condition) {
  const bool valid_while = condition.kind() == "valid_while";
  Problem problem{.name = condition.name(), .evidence = condition.evidence(), .expression = condition.expression()};
  if (condition.has_first_violation_s()) problem.when_s = condition.first_violation_s();
  if (condition.verdict() == report::v1::VIOLATED) {
    problem.what = valid_while ? absl::StrCat("the run was no fair trial: ", condition.name(), " did not hold")
                               : absl::StrCat("the plan's abort condition ", condition.name(), " became true");
  } else if (valid_while && condition.verdict() != report::v1::HOLDS) {
    problem.what = absl::StrCat("nobody can say whether the run was a fair trial: ", condition.name(), " is unknown");
  } else {
    return std::nullopt;
  }
  return problem;
}

std::optional<Problem> FromFault(const FaultResult& fault) {
  Problem problem{.name = fault.name(), .evidence = fault.witness().detail()};
  if (fault.has_armed_s()) problem.when_s = fault.armed_s();
  const std::string what = DescribeFault(fault);
  if (!fault.error().empty()) {
    problem.what = absl::StrCat("fault ", what, " failed: ", fault.error());
  } else if (fault.ended_by() == "lapsed" || fault.ended_by() == "host_lost") {
    problem.what = absl::StrCat("fault ", what, " ended by itself: ", InWords(fault.ended_by()));
  } else if (fault.has_armed_s() && !fault.witness().effective()) {
    problem.what = absl::StrCat("fault ", what, " has no witness that it took effect");
  } else if (fault.has_lifted_s() && !fault.witness().gone()) {
    problem.what = absl::StrCat("fault ", what, " was lifted, but not seen to be gone");
  } else {
    return std::nullopt;
  }
  return problem;
}

}  // namespace

std::string VerdictName(report::v1::Verdict verdict) {
  switch (verdict) {
    case report::v1::PASS:
      return "PASS";
    case report::v1::FAIL:
      return "FAIL";
    case report::v1::INCONCLUSIVE:
      return "INCONCLUSIVE";
    case report::v1::ABORTED:
      return "ABORTED";
    default:
      return "ERROR";
  }
}

std::string TruthName(Truth truth) {
  switch (truth) {
    case report::v1::HOLDS:
      return "HOLDS";
    case report::v1::VIOLATED:
      return "VIOLATED";
    case report::v1::VACUOUS:
      return "VACUOUS";
    default:
      return "UNKNOWN";
  }
}

std::string Headline(const RunReport& report) {
  const int all = report.invariants_size();
  const std::string name(VerdictName(report.verdict()));
  switch (report.verdict()) {
    case report::v1::PASS:
      return absl::StrCat(name, ": ", all == 1 ? "the invariant" : absl::StrCat("all ", Invariants(all)), " held");
    case report::v1::FAIL: {
      const int violated = Count(report, report::v1::VIOLATED);
      return absl::StrCat(name, ": ", violated, " of ", Invariants(all), violated == 1 ? " was" : " were", " violated");
    }
    case report::v1::INCONCLUSIVE:
      return absl::StrCat(name, ": the run proves nothing either way");
    case report::v1::ABORTED:
      return absl::StrCat(name, ": the run was stopped before its end");
    default:
      return absl::StrCat(name, ": the tool or the machine failed; this says nothing about the targets");
  }
}

std::string Reason(const RunReport& report) {
  if (!report.reason_detail().empty()) return report.reason_detail();
  return InWords(report.reason());
}

std::vector<Problem> Problems(const RunReport& report) {
  std::vector<Problem> violated, undecided, conditions, faults;
  for (const InvariantResult& invariant : report.invariants()) {
    if (invariant.verdict() == report::v1::HOLDS) continue;
    (invariant.verdict() == report::v1::VIOLATED ? violated : undecided).push_back(FromInvariant(report, invariant));
  }
  for (const ConditionResult& condition : report.conditions()) {
    if (auto problem = FromCondition(condition)) conditions.push_back(*std::move(problem));
  }
  for (const FaultResult& fault : report.faults()) {
    if (auto problem = FromFault(fault)) faults.push_back(*std::move(problem));
  }
  std::stable_sort(violated.begin(), violated.end(), [](const Problem& a, const Problem& b) {
    return a.when_s.value_or(INFINITY) < b.when_s.value_or(INFINITY);
  });
  std::vector<Problem> all;
  auto add = [&](std::vector<Problem>& part) {
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    part.clear();
  };
  if (report.verdict() == report::v1::ERROR) add(faults);
  if (report.verdict() != report::v1::FAIL) add(conditions);
  add(violated);
  add(conditions);
  add(undecided);
  add(faults);
  return all;
}

std::string DescribeTargets(const FaultResult& fault, int most) {
  std::string text;
  const int all = fault.targets_size();
  const int shown = most > 0 && all > most ? most : all;
  for (int i = 0; i < shown; ++i) absl::StrAppend(&text, i > 0 ? ", " : "", fault.targets(i));
  if (shown < all) absl::StrAppend(&text, " and ", all - shown, " more");
  return text;
}

std::string DescribeFault(const FaultResult& fault) {
  if (fault.targets().empty()) return absl::StrCat(fault.name(), " (", fault.kind(), ")");
  return absl::StrCat(fault.name(), " (", fault.kind(), " on ", DescribeTargets(fault, 3), ")");
}

}  // namespace squall

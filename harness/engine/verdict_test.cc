#include "harness/engine/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/engine/reasons.h"

namespace squall {
namespace {

using ::testing::HasSubstr;

report::v1::InvariantResult Invariant(report::v1::Truth truth, bool final = true) {
  report::v1::InvariantResult result;
  result.set_name("pool_floor");
  result.set_verdict(truth);
  result.set_final(final);
  result.set_evidence("pool was 12");
  return result;
}

report::v1::ConditionResult ValidWhile(report::v1::Truth truth) {
  report::v1::ConditionResult result;
  result.set_name("generator");
  result.set_kind("valid_while");
  result.set_verdict(truth);
  return result;
}

constexpr auto kHolds = report::v1::HOLDS;
constexpr auto kViolated = report::v1::VIOLATED;
constexpr auto kUnknown = report::v1::UNKNOWN;
constexpr auto kVacuous = report::v1::VACUOUS;

struct Row {
  std::string what;
  std::vector<std::string> findings;
  std::vector<report::v1::Truth> invariants;
  std::vector<report::v1::Truth> valid_while;
  std::string verdict;
  std::string reason;
  int exit_code;
};

class VerdictTest : public ::testing::TestWithParam<Row> {};

TEST_P(VerdictTest, FollowsThePrecedence) {
  const Row& row = GetParam();
  VerdictFacts facts;
  for (const std::string& code : row.findings) facts.findings.push_back({code, "detail"});
  for (const auto truth : row.invariants) facts.invariants.push_back(Invariant(truth));
  for (const auto truth : row.valid_while) facts.conditions.push_back(ValidWhile(truth));
  facts.interrupt_exit = 143;
  const Ruling ruling = Rule(facts);
  EXPECT_EQ(report::v1::Verdict_Name(ruling.verdict), row.verdict) << row.what;
  EXPECT_EQ(ruling.reason, row.reason) << row.what;
  EXPECT_EQ(ruling.exit_code, row.exit_code) << row.what;
  EXPECT_NE(ruling.detail, "");
}

INSTANTIATE_TEST_SUITE_P(
    Table, VerdictTest,
    ::testing::Values(
        Row{"all hold", {}, {kHolds, kHolds}, {kHolds}, "PASS", "all_hold", 0},
        Row{"one violated", {}, {kHolds, kViolated}, {}, "FAIL", "invariant_violated", 1},
        Row{"one unknown", {}, {kHolds, kUnknown}, {}, "INCONCLUSIVE", "invariant_unknown", 3},
        Row{"one vacuous", {}, {kVacuous, kHolds}, {}, "INCONCLUSIVE", "invariant_vacuous", 3},
        Row{"no invariant", {}, {}, {}, "INCONCLUSIVE", "no_invariants", 3},
        Row{"unset is not green", {}, {report::v1::TRUTH_UNSPECIFIED}, {}, "INCONCLUSIVE", "invariant_unknown", 3},
        Row{"no witness", {"fault_without_witness"}, {kHolds}, {}, "INCONCLUSIVE", "fault_without_witness", 3},
        Row{"violation over no witness", {"fault_without_witness"}, {kViolated}, {}, "FAIL", "invariant_violated", 1},
        Row{"aborted over unknown", {"halted"}, {kUnknown}, {}, "ABORTED", "halted", 4},
        Row{"aborted over no witness", {"fault_without_witness", "halted"}, {kHolds}, {}, "ABORTED", "halted", 4},
        Row{"violation over aborted", {"abort_when"}, {kViolated}, {}, "FAIL", "invariant_violated", 1},
        Row{"broken trial over violation", {}, {kViolated}, {kViolated}, "INCONCLUSIVE", "valid_while_broken", 3},
        Row{"broken trial over aborted", {"halted"}, {kHolds}, {kViolated}, "INCONCLUSIVE", "valid_while_broken", 3},
        Row{"unknown trial is not green", {}, {kHolds}, {kUnknown}, "INCONCLUSIVE", "valid_while_unknown", 3},
        Row{"violation over unknown trial", {}, {kViolated}, {kUnknown}, "FAIL", "invariant_violated", 1},
        Row{"error over all", {"halted", "agent_lost"}, {kViolated}, {kViolated}, "ERROR", "agent_lost", 5},
        Row{"first error counts", {"fault_lapsed", "agent_lost"}, {kHolds}, {}, "ERROR", "fault_lapsed", 5},
        Row{"unknown code is ours", {"no_such_code"}, {kHolds}, {}, "ERROR", "no_such_code", 5},
        Row{"interrupted over violation", {"interrupted"}, {kViolated}, {}, "ABORTED", "interrupted", 143},
        Row{"interrupted, then lost", {"interrupted", "agent_lost"}, {kHolds}, {}, "ABORTED", "interrupted", 143},
        Row{"lost, then interrupted", {"agent_lost", "interrupted"}, {kHolds}, {}, "ERROR", "agent_lost", 5}));

TEST(VerdictTest, AViolationThatIsNotFinalIsNoFail) {
  VerdictFacts facts;
  facts.invariants = {Invariant(kViolated, /*final=*/false)};
  EXPECT_EQ(Rule(facts).verdict, report::v1::INCONCLUSIVE);
}

TEST(VerdictTest, TheEarliestViolationIsTheReason) {
  VerdictFacts facts;
  facts.invariants = {Invariant(kViolated), Invariant(kViolated)};
  facts.invariants[0].set_first_violation_s(9);
  facts.invariants[1].set_first_violation_s(4);
  facts.invariants[1].set_name("earlier");
  EXPECT_THAT(Rule(facts).detail, HasSubstr("earlier"));
}

TEST(VerdictTest, AnAbortWhenIsNoTrialCondition) {
  VerdictFacts facts;
  facts.invariants = {Invariant(kHolds)};
  facts.conditions = {ValidWhile(kViolated)};
  facts.conditions[0].set_kind("abort_when");
  EXPECT_EQ(Rule(facts).verdict, report::v1::PASS);
}

TEST(VerdictTest, EachClassHasItsOwnExitCode) {
  std::set<int> codes;
  for (const auto verdict :
       {report::v1::PASS, report::v1::FAIL, report::v1::INCONCLUSIVE, report::v1::ABORTED, report::v1::ERROR}) {
    codes.insert(ExitCode(verdict));
  }
  EXPECT_THAT(codes, ::testing::ElementsAre(0, 1, 3, 4, 5)) << "2 is for bad usage and bad plans";
  EXPECT_EQ(ExitCode(report::v1::VERDICT_UNSPECIFIED), 5);
}

TEST(ReasonsTest, CodesAreUniqueAndOnlyOneIsGreen) {
  std::set<std::string> codes;
  int green = 0;
  for (const reason::Info& info : reason::All()) {
    EXPECT_TRUE(codes.insert(std::string(info.code)).second) << info.code;
    EXPECT_FALSE(info.sentence.empty());
    EXPECT_NE(info.verdict, report::v1::VERDICT_UNSPECIFIED);
    green += info.verdict == report::v1::PASS;
  }
  EXPECT_EQ(green, 1);
}

}  // namespace
}  // namespace squall

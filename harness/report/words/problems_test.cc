#include "harness/report/words/problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/sample/report.h"

namespace squall {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Problems, SayWhatWhenByHowMuchAndAfterWhichFault) {
  const std::vector<Problem> problems = Problems(SampleReport());
  ASSERT_THAT(problems, SizeIs(3));
  EXPECT_EQ(problems[0].what, "pool_floor was violated");
  EXPECT_DOUBLE_EQ(problems[0].when_s.value(), 17.3);
  EXPECT_EQ(problems[0].by_how_much, "10 supernodes");
  EXPECT_EQ(problems[0].preceded_by, "trigger (delay on link im), live since 12.0 s");
  EXPECT_EQ(problems[1].preceded_by, "trigger (delay on link im), live since 12.0 s, gone at 18.0 s");
  EXPECT_EQ(problems[2].what, "support_up was never put to the test: no data");
}

TEST(Problems, AGreenRunHasNone) {
  report::v1::RunReport report = SampleReport();
  report.set_verdict(report::v1::PASS);
  for (auto& invariant : *report.mutable_invariants()) invariant.set_verdict(report::v1::HOLDS);
  EXPECT_THAT(Problems(report), IsEmpty());
  EXPECT_EQ(Headline(report), "PASS: all 4 invariants held");
}

TEST(Problems, AFaultWithoutWitnessIsOne) {
  report::v1::RunReport report;
  auto* fault = report.add_faults();
  fault->set_name("trigger");
  fault->set_kind("delay");
  fault->set_armed_s(1);
  ASSERT_THAT(Problems(report), SizeIs(1));
  EXPECT_THAT(Problems(report)[0].what, HasSubstr("no witness"));
  fault->mutable_witness()->set_effective(true);
  EXPECT_THAT(Problems(report), IsEmpty());
  fault->set_lifted_s(2);
  ASSERT_THAT(Problems(report), SizeIs(1));
  EXPECT_THAT(Problems(report)[0].what, HasSubstr("not seen to be gone"));
  fault->set_error("connection lost");
  EXPECT_THAT(Problems(report)[0].what, HasSubstr("failed: connection lost"));
}

TEST(Problems, ThoseThatDecideTheVerdictComeFirst) {
  report::v1::RunReport report = SampleReport();
  report.mutable_conditions(0)->set_verdict(report::v1::VIOLATED);
  report.mutable_conditions(0)->set_first_violation_s(30);
  EXPECT_EQ(Problems(report)[0].name, "pool_floor");
  report.set_verdict(report::v1::INCONCLUSIVE);
  EXPECT_EQ(Problems(report)[0].name, "generator");
  EXPECT_THAT(Problems(report)[0].what, HasSubstr("no fair trial"));
}

TEST(Problems, ViolationsStandInOrderOfTime) {
  report::v1::RunReport report = SampleReport();
  report.mutable_invariants(1)->set_first_violation_s(3);
  EXPECT_EQ(Problems(report)[0].name, "recovery");
}

TEST(Headline, NamesTheVerdictFirst) {
  report::v1::RunReport report = SampleReport();
  EXPECT_EQ(Headline(report), "FAIL: 2 of 4 invariants were violated");
  report.set_verdict(report::v1::INCONCLUSIVE);
  EXPECT_THAT(Headline(report), HasSubstr("INCONCLUSIVE: "));
  report.set_verdict(report::v1::ABORTED);
  EXPECT_THAT(Headline(report), HasSubstr("ABORTED: "));
  report.set_verdict(report::v1::VERDICT_UNSPECIFIED);
  EXPECT_THAT(Headline(report), HasSubstr("ERROR: "));
}

TEST(Reason, FallsBackOnTheCodeInWords) {
  report::v1::RunReport report = SampleReport();
  EXPECT_EQ(Reason(report), "pool_floor and recovery were violated");
  report.clear_reason_detail();
  EXPECT_EQ(Reason(report), "invariant violated");
}

TEST(DescribeFault, NamesFewTargetsAndCountsTheRest) {
  const report::v1::RunReport report = SampleReport();
  EXPECT_EQ(DescribeFault(report.faults(1)), "mega1 (start on mega/0, mega/1, mega/2 and 3 more)");
  EXPECT_THAT(DescribeTargets(report.faults(1), 0), HasSubstr("mega/5"));
}

}  // namespace
}  // namespace squall

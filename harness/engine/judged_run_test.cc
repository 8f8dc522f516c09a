// Whole runs judged by the real language over real batches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/engine/testing/run_sim.h"

namespace squall {
namespace {

using ::testing::HasSubstr;
using testing::RunSim;
using testing::SimOptions;

// A probe gives the metric its name, so the plan knows it. The hang stands for whatever makes the pool shrink.
constexpr char kPlan[] = R"plan(
  name: "judged"
  targets { name: "server" count: 1 probes { name: "pool_size" tcp {} } }
  signals { name: "pool" expr: "sum(pool_size)" }
  steps { name: "trigger" when { expr: "pool >= 24" for { seconds: 1 } within { seconds: 10 } } for { seconds: 2 }
          fault { on { role: "server" } hang {} } }
  invariants { name: "pool_floor" expr: "always pool >= 20 during [run.start, run.end)" }
  invariants { name: "recovery" expr: "within 10s after trigger.end: pool >= 24 stays 1s" }
  measures { name: "nadir" expr: "min of pool over [trigger.start, run.end)" }
)plan";

// The pool falls to `low` when the trigger is armed, and is back `back_s` after it was lifted.
SimOptions Options(RunSim** sim, double low, double back_s) {
  SimOptions options;
  options.real_judge = true;
  options.behaviour.pool = [sim, low, back_s](int64_t now) {
    const int64_t armed = (*sim)->agent("local").armed_at("trigger");
    if (armed == 0) return 24.0;
    return now < armed + static_cast<int64_t>((2 + back_s) * 1e9) ? low : 24.0;
  };
  return options;
}

struct Outcome {
  report::v1::RunReport report;
  report::v1::InvariantResult floor, recovery;
};

Outcome RunWith(double low, double back_s) {
  RunSim* self = nullptr;
  RunSim sim(kPlan, Options(&self, low, back_s));
  self = &sim;
  sim.AddAgent("local");
  Outcome outcome;
  outcome.report = sim.Run();
  for (const auto& result : outcome.report.invariants()) {
    (result.name() == "recovery" ? outcome.recovery : outcome.floor) = result;
  }
  return outcome;
}

TEST(JudgedRunTest, ARecoveryInTimePassesAndItsTimeCountsFromTheClear) {
  const Outcome outcome = RunWith(21, 3);
  EXPECT_EQ(outcome.report.verdict(), report::v1::PASS) << outcome.report.reason_detail();
  EXPECT_NEAR(outcome.recovery.recovery_s(), 3.0, 0.4);
  ASSERT_EQ(outcome.report.measures_size(), 1);
  EXPECT_DOUBLE_EQ(outcome.report.measures(0).value(), 21);
}

TEST(JudgedRunTest, ARecoveryThatComesTooLateFails) {
  const Outcome outcome = RunWith(21, 12);
  EXPECT_EQ(outcome.report.verdict(), report::v1::FAIL) << outcome.report.reason_detail();
  EXPECT_EQ(outcome.recovery.verdict(), report::v1::VIOLATED);
  EXPECT_EQ(outcome.floor.verdict(), report::v1::HOLDS);
}

TEST(JudgedRunTest, AFloorThatIsBrokenFailsAtItsTimeByItsMarginAfterItsFault) {
  const Outcome outcome = RunWith(12, 3);
  EXPECT_EQ(outcome.report.verdict(), report::v1::FAIL);
  EXPECT_EQ(outcome.floor.verdict(), report::v1::VIOLATED);
  EXPECT_DOUBLE_EQ(outcome.floor.margin(), -8);
  EXPECT_NEAR(outcome.floor.first_violation_s(), outcome.report.faults(0).armed_s(), 0.2);
  EXPECT_EQ(outcome.floor.preceded_by(), "trigger");
}

TEST(JudgedRunTest, TheConditionMustHoldForItsTimeBeforeTheFaultFires) {
  EXPECT_GE(RunWith(21, 3).report.faults(0).armed_s(), 1.0);
}

TEST(JudgedRunTest, WithoutDataTheConditionIsNotMetAndNothingFires) {
  SimOptions options;
  options.real_judge = true;
  RunSim sim(kPlan, options);
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::ABORTED);
  EXPECT_EQ(report.reason(), "condition_not_met");
  EXPECT_EQ(sim.agent("local").armed_at("trigger"), 0);
}

TEST(JudgedRunTest, TheRecordedInputsGiveTheSameJudgement) {
  RunSim* self = nullptr;
  RunSim sim(kPlan, Options(&self, 12, 3));
  self = &sim;
  sim.AddAgent("local");
  const auto report = sim.Run();
  auto again = sim.MakeEngine(nullptr);
  Replay(sim.journal(), again.get());
  EXPECT_TRUE(again->done());
  EXPECT_EQ(again->Report().ShortDebugString(), report.ShortDebugString());
}

TEST(JudgedRunTest, AnInterruptedRunIsNeverGreen) {
  RunSim* self = nullptr;
  RunSim sim(kPlan, Options(&self, 21, 3));
  self = &sim;
  sim.AddAgent("local");
  sim.AtRun(2, [&] { sim.Halt("SIGINT", 130); });
  EXPECT_EQ(sim.Run().reason(), "interrupted");
}

}  // namespace
}  // namespace squall

// Runs that go their way: what is sent when, and what the report says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/engine/testing/run_sim.h"

namespace squall {
namespace {

using agent::v1::ToAgent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RunSim;
using ::testing::SizeIs;

constexpr char kOneDelay[] = R"(
  name: "one_delay"
  targets { name: "server" count: 2 }
  links { name: "im" from {} to { role: "server" } }
  invariants { name: "pool_floor" expr: "always pool >= 20" }
  steps { name: "trigger" at { seconds: 2 } for { seconds: 3 }
          fault { on { link: "im" } delay { latency { seconds: 1 } } } }
)";

TEST(EngineRunTest, ARunWhoseInvariantsHoldPasses) {
  RunSim sim(kOneDelay);
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  EXPECT_EQ(report.reason(), "all_hold");
  EXPECT_EQ(sim.engine().exit_code(), 0);
  EXPECT_EQ(report.run_id(), "RUN");
  EXPECT_EQ(report.seed(), 7);
  EXPECT_EQ(report.replay().command(), "squall run plan.yaml --seed 7");
  ASSERT_THAT(report.faults(), SizeIs(1));
  const auto& fault = report.faults(0);
  EXPECT_EQ(fault.name(), "trigger");
  EXPECT_EQ(fault.kind(), "delay");
  EXPECT_THAT(fault.targets(), ElementsAre("im/0", "im/1"));
  EXPECT_NEAR(fault.armed_s(), 2.002, 1e-6);
  EXPECT_NEAR(fault.lifted_s(), 5.002, 0.01);
  EXPECT_NEAR(fault.arm_skew_ms(), 2, 1e-6);
  EXPECT_EQ(fault.ended_by(), "lifted");
  EXPECT_TRUE(fault.witness().effective());
  EXPECT_TRUE(fault.witness().gone());
  EXPECT_EQ(fault.witness().count(), 6) << "summed over both listeners";
  ASSERT_THAT(report.steps(), SizeIs(1));
  EXPECT_EQ(report.steps(0).outcome(), "done");
  EXPECT_DOUBLE_EQ(report.steps(0).planned_s(), 2);
  ASSERT_THAT(report.targets(), SizeIs(2));
  EXPECT_EQ(report.targets(1).name(), "server/1");
  EXPECT_EQ(report.targets(1).log(), "server-1.log");
  EXPECT_DOUBLE_EQ(report.overhead().tool_cpu_s(), 2);
  EXPECT_NEAR(report.overhead().cpu_share(), 3.0 / 9, 1e-9);
  EXPECT_DOUBLE_EQ(report.overhead().relay_added_latency_us(), 17);
  EXPECT_FALSE(sim.agent("local").AnyArmed());
}

TEST(EngineRunTest, AViolatedInvariantFailsTheRunAndNamesTheFaultBefore) {
  RunSim sim(kOneDelay, {.script = {.invariants = {{"pool_floor", {.violated_s = 3.5}}}}});
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::FAIL);
  EXPECT_EQ(report.reason(), "invariant_violated");
  EXPECT_THAT(report.reason_detail(), HasSubstr("pool_floor: pool was 12, must be >= 20"));
  EXPECT_EQ(report.invariants(0).preceded_by(), "trigger");
  EXPECT_EQ(sim.engine().exit_code(), 1);
}

TEST(EngineRunTest, AViolationBeforeAnyFaultNamesNone) {
  RunSim sim(kOneDelay, {.script = {.invariants = {{"pool_floor", {.violated_s = 1.0}}}}});
  sim.AddAgent("local");
  EXPECT_EQ(sim.Run().invariants(0).preceded_by(), "");
}

TEST(EngineRunTest, AStepWithAKnownTimeIsSentAhead) {
  RunSim sim(kOneDelay);
  sim.AddAgent("local");
  double sent = -1;
  sim.AtRun(0.01, [&] { sent = sim.agent("local").CommandsOf(ToAgent::kRelease).size(); });
  sim.Run();
  EXPECT_EQ(sent, 1) << "the release is there 2 s before its time";
  const auto release = sim.agent("local").CommandsOf(ToAgent::kRelease).at(0).release();
  EXPECT_EQ(release.not_before_ns(), sim.engine().run_start_ns() + 2 * kSecond);
  EXPECT_EQ(release.expires_ns(), release.not_before_ns() + kSecond);
}

TEST(EngineRunTest, LeasesAreRenewedEachQuarterUntilTheRunIsClosed) {
  RunSim sim(kOneDelay, {.engine = {.lease_ns = 400 * kMillisecond}});
  sim.AddAgent("local");
  sim.Run();
  const auto& renewals = sim.agent("local").renewals();
  ASSERT_GT(renewals.size(), 40u);
  for (size_t i = 1; i < renewals.size(); ++i) EXPECT_EQ(renewals[i] - renewals[i - 1], 100 * kMillisecond);
  const auto renew = sim.agent("local").CommandsOf(ToAgent::kRenew).at(3).renew();
  EXPECT_EQ(renew.until_ns(), renewals[3] + 400 * kMillisecond);
}

TEST(EngineRunTest, ThePlansLeaseIsUsedWithoutOne) {
  RunSim sim(std::string(kOneDelay) + "run { lease { seconds: 2 } }");
  sim.AddAgent("local");
  sim.Run();
  EXPECT_EQ(sim.agent("local").opened().lease_ns(), 2 * kSecond);
}

TEST(EngineRunTest, RepeatedAndOvertakenMessagesChangeNothing) {
  RunSim once(kOneDelay);
  once.AddAgent("local");
  RunSim twice(kOneDelay, {.behaviour = {.says_everything_twice = true}});
  twice.AddAgent("local");
  auto a = once.Run(), b = twice.Run();
  EXPECT_EQ(b.verdict(), report::v1::PASS) << b.reason_detail();
  EXPECT_EQ(b.faults(0).witness().count(), 6);
  EXPECT_EQ(a.SerializeAsString(), b.SerializeAsString());
}

constexpr char kCrashes[] = R"(
  name: "crashes"
  targets { name: "server" count: 3 }
  invariants { name: "pool_floor" expr: "always pool >= 20" }
  steps { name: "first" at { seconds: 1 } fault { on { role: "server" all: true } crash {} } }
  steps { name: "with_it" fault { on { role: "server" count: 1 } hang {} } for { seconds: 2 } }
  steps { name: "mark" after: "with_it.end + 1s" }
  steps { name: "later" after: "mark.start" start { role: "server" count: 2 } }
  steps { name: "drained" after: "later.start + 1s" drain { role: "server" count: 1 } for { seconds: 1 } }
)";

TEST(EngineRunTest, StepsFollowEachOtherByTheirRules) {
  RunSim sim(kCrashes, {.behaviour = {.done_at_once = {"crash", "start"}}});
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  ASSERT_THAT(report.steps(), SizeIs(5));
  const auto start = [&](int i) { return report.steps(i).start_s(); };
  EXPECT_NEAR(start(0), 1.002, 1e-6);
  EXPECT_NEAR(report.steps(0).end_s(), 1.022, 1e-6) << "a crash is over at once";
  EXPECT_NEAR(start(1), start(0) + 0.002, 0.001) << "with the step above";
  EXPECT_NEAR(report.steps(1).end_s(), start(1) + 2, 0.01);
  EXPECT_NEAR(start(2), report.steps(1).end_s() + 1, 1e-6) << "a named instant is exact";
  EXPECT_DOUBLE_EQ(report.steps(2).end_s(), start(2));
  EXPECT_NEAR(start(3), start(2) + 0.002, 1e-6);
  EXPECT_NEAR(start(4), start(3) + 1.002, 1e-6);
  EXPECT_THAT(report.faults(), SizeIs(4)) << "an instant is no fault";
  EXPECT_THAT(report.faults(2).targets(), ElementsAre("server"));
  const auto mark = sim.heard().Find("mark", StepEdge::kStart);
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark->lo, mark->hi);
}

TEST(EngineRunTest, TheJudgeHearsOfARequestAtItsTimeAndOfTheSpanOfTheStart) {
  RunSim sim(kOneDelay);
  sim.AddAgent("local");
  size_t early = 99;
  sim.AtRun(1.5, [&] { early = sim.heard().edges.size(); });
  sim.Run();
  EXPECT_EQ(early, 0u);
  const auto requested = sim.heard().Find("trigger", StepEdge::kRequested);
  const auto start = sim.heard().Find("trigger", StepEdge::kStart);
  const auto end = sim.heard().Find("trigger", StepEdge::kEnd);
  ASSERT_TRUE(requested && start && end);
  EXPECT_DOUBLE_EQ(sim.InRun(requested->lo), 2);
  EXPECT_NEAR(sim.InRun(start->lo), 2.002, 1e-6);
  EXPECT_GT(end->lo, start->hi);
}

constexpr char kWhen[] = R"(
  name: "when"
  targets { name: "server" }
  links { name: "im" from {} to { role: "server" } }
  invariants { name: "pool_floor" expr: "always pool >= 20" }
  steps { name: "trigger" when { expr: "online >= 99" within { seconds: 10 } %s } for { seconds: 1 }
          fault { on { link: "im" } delay { latency { seconds: 1 } } } }
  steps { name: "next" after: "trigger.end" }
)";

std::string When(const std::string& otherwise) {
  std::string text = kWhen;
  return text.replace(text.find("%s"), 2, otherwise);
}

TEST(EngineRunTest, AConditionReleasesItsStepOnceItHolds) {
  RunSim sim(When(""), {.script = {.when = {{"trigger", 4.0}}}});
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  EXPECT_GE(report.faults(0).armed_s(), 4.0);
  EXPECT_LT(report.faults(0).armed_s(), 4.2);
  EXPECT_EQ(report.steps(1).outcome(), "done");
}

TEST(EngineRunTest, AConditionThatNeverHoldsAbortsAndNothingIsArmed) {
  RunSim sim(When(""));
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::ABORTED);
  EXPECT_EQ(report.reason(), "condition_not_met");
  EXPECT_THAT(report.reason_detail(), HasSubstr("trigger: `online >= 99` did not become true within 10 s"));
  EXPECT_THAT(sim.agent("local").CommandsOf(ToAgent::kRelease), IsEmpty());
  EXPECT_EQ(sim.engine().exit_code(), 4);
}

TEST(EngineRunTest, OtherwiseSkipLeavesOutTheStepAndWhatFollowsIt) {
  RunSim sim(When("otherwise: SKIP"));
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  EXPECT_EQ(report.steps(0).outcome(), "skipped");
  EXPECT_EQ(report.steps(1).outcome(), "skipped");
  EXPECT_FALSE(report.faults(0).has_armed_s());
  EXPECT_TRUE(sim.heard().Find("next", StepEdge::kGivenUp));
  EXPECT_THAT(report.notes(), ::testing::Contains(HasSubstr("step trigger was skipped")));
}

TEST(EngineRunTest, OtherwiseGoReleasesTheStepAnyway) {
  RunSim sim(When("otherwise: GO"));
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  EXPECT_NEAR(report.faults(0).armed_s(), 10.05, 0.1);
}

TEST(EngineRunTest, TheRunWaitsForWhatIsStillToBeDecided) {  // the recovery after the last fault
  RunSim sim(kOneDelay, {.script = {.decided_s = 15}});
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS);
  EXPECT_GE(report.duration_s(), 15);
  EXPECT_LT(report.duration_s(), 16);
}

TEST(EngineRunTest, ALengthEndsTheRunItsTimeAfterTheAnchor) {
  RunSim sim(std::string(kCrashes) + R"(run { length { seconds: 8 } from: "mark.start" })",
             {.behaviour = {.done_at_once = {"crash", "start"}}});
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  EXPECT_DOUBLE_EQ(report.duration_s(), 8);
  EXPECT_NEAR(sim.InRun(sim.heard().finished), report.steps(2).start_s() + 8, 1e-6);
}

TEST(EngineRunTest, WhatComesAfterTheEndIsNotJudged) {
  RunSim sim(std::string(kOneDelay) + "run { length { seconds: 6 nanos: 20000000 } }",
             {.script = {.invariants = {{"pool_floor", {.violated_s = 6.03}}}}});
  sim.AddAgent("local");
  EXPECT_EQ(sim.Run().verdict(), report::v1::PASS);
  EXPECT_EQ(sim.InRun(sim.heard().judged), 6.02);
}

TEST(EngineRunTest, TheDrawsOfVariantsAreLogged) {
  RunSim sim(R"(
    name: "variants" invariants { name: "pool_floor" expr: "x" }
    targets { name: "server" count: 4
              variants { name: "version" values { name: "1" share: "50%" } values { name: "2" share: "rest" } } }
  )");
  sim.AddAgent("local");
  EXPECT_GT(sim.Run().draws_size(), 0);
}

TEST(EngineRunTest, AStepThatTheEndCutsOffIsNeverArmedAndTheRunCannotPass) {
  RunSim sim(std::string(kOneDelay) + "run { length { seconds: 1 } }");
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::INCONCLUSIVE);
  EXPECT_EQ(report.reason(), "step_not_reached");
  EXPECT_EQ(report.steps(0).outcome(), "not_reached");
  EXPECT_EQ(sim.agent("local").armed_at("trigger"), 0);
  EXPECT_THAT(sim.agent("local").CommandsOf(ToAgent::kLift), SizeIs(1));
}

TEST(EngineRunTest, AFaultThatOutlastsTheRunIsLiftedAtItsEnd) {
  RunSim sim(std::string(kOneDelay) + "run { length { seconds: 3 } }");
  sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  EXPECT_NEAR(report.faults(0).lifted_s(), 3, 0.1);
}

TEST(EngineRunTest, AttachedAgentsShareOutARoleInOrderOfTheirNames) {
  RunSim sim(R"(
    name: "attached"
    targets { name: "server" attach { expect: 2 } }
    invariants { name: "pool_floor" expr: "x" }
    steps { name: "stop" at { seconds: 1 } for { seconds: 1 } fault { on { role: "server" all: true } hang {} } }
  )");
  sim.AddAgent("b", "server");
  sim.JoinAt(5, "a", "server");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::PASS) << report.reason_detail();
  EXPECT_THAT(report.faults(0).targets(), ElementsAre("server/0", "server/1"));
  EXPECT_EQ(sim.agent("a").opened().first_index().at("server"), 0);
  EXPECT_EQ(sim.agent("b").opened().first_index().at("server"), 1);
  const auto prepared = sim.agent("b").CommandsOf(ToAgent::kPrepare).at(0).prepare();
  ASSERT_THAT(prepared.instances(), SizeIs(1));
  EXPECT_EQ(prepared.instances(0).target(), "server/1");
}

TEST(EngineRunTest, TheStatusLineTellsStepFaultAndMargin) {
  RunSim sim(kOneDelay);
  sim.AddAgent("local");
  std::string line;
  sim.AtRun(3, [&] { line = sim.engine().StatusLine(); });
  sim.Run();
  EXPECT_THAT(line, HasSubstr("t 3.0 s | trigger | live: trigger | pool_floor UNKNOWN"));
  EXPECT_THAT(sim.engine().StatusLine(), HasSubstr("done | no fault live | pool_floor HOLDS +2"));
}

TEST(EngineRunTest, EventsAreInOrderOfTimeAndRelativeToTheStart) {
  RunSim sim(kOneDelay);
  sim.AddAgent("local");
  sim.Run();
  std::vector<std::string> kinds;
  double last = -1e9;
  for (const EventRecord& event : sim.engine().Events()) {
    EXPECT_GE(event.t_s, last);
    last = event.t_s;
    kinds.push_back(event.kind);
    if (event.kind == "target_ready") {
      EXPECT_LE(event.t_s, 0);
    }
  }
  EXPECT_EQ(kinds.front(), "agent_joined");
  EXPECT_EQ(kinds.back(), "verdict");
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"phase", "target_started", "step_released", "fault_armed", "step_started",
                                              "fault_lifted", "step_ended"}));
}

TEST(EngineRunTest, HowLateTicksCameIsReported) {
  RunSim sim(kOneDelay, {.engine = {.lease_ns = 10 * kSecond}});
  sim.AddAgent("local").behaviour().streams = false;
  sim.Freeze(0.5, 0.9);
  const auto report = sim.Run();
  EXPECT_GE(report.overhead().engine_tick_late_ms_max(), 290);
  EXPECT_LE(report.overhead().engine_tick_late_ms_max(), 410);
}

}  // namespace
}  // namespace squall

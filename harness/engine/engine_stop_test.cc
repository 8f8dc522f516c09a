// Runs that end before their time, and runs that cannot be green.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/engine/testing/run_sim.h"

namespace squall {
namespace {

using agent::v1::ToAgent;
using testing::FakeAgent;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::RunSim;
using ::testing::SizeIs;

constexpr char kPlan[] = R"(
  name: "plan"
  targets { name: "server" count: 2 }
  links { name: "im" from {} to { role: "server" } }
  invariants { name: "pool_floor" expr: "always pool >= 20" }
  steps { name: "trigger" at { seconds: 2 } for { seconds: 3 }
          fault { on { link: "im" } delay { latency { seconds: 1 } } } }
)";

struct Ended {
  report::v1::RunReport report;
  int exit_code;
};

Ended RunWith(FakeAgent::Behaviour behaviour, testing::Script script = {}, const std::string& plan = kPlan) {
  RunSim sim(plan, {.script = std::move(script), .behaviour = std::move(behaviour)});
  sim.AddAgent("local");
  auto report = sim.Run();
  EXPECT_TRUE(sim.engine().done());
  EXPECT_FALSE(sim.agent("local").AnyArmed() && sim.agent("local").behaviour().lifts);
  return {report, sim.engine().exit_code()};
}

// --- before it starts ---

TEST(EngineStopTest, WithoutAnAgentForItsTargetsTheRunIsAborted) {
  RunSim sim(kPlan);
  sim.AddAgent("other", "client");
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::ABORTED);
  EXPECT_EQ(report.reason(), "no_agent_for_role");
  EXPECT_EQ(report.invariants(0).reason(), "run_not_started");
  EXPECT_THAT(sim.agent("other").commands(), IsEmpty()) << "nobody was touched";
  EXPECT_NEAR(static_cast<double>(sim.now() - sim.started()) / kSecond, 30, 0.2);
}

TEST(EngineStopTest, TooFewAttachedAgentsAbortTheRunAndTellTheCount) {
  RunSim sim(R"(name: "x" targets { name: "server" attach { expect: 3 within { seconds: 4 } } })");
  sim.AddAgent("a", "server");
  sim.JoinAt(1, "b", "server");
  const auto report = sim.Run();
  EXPECT_EQ(report.reason(), "agents_missing");
  EXPECT_THAT(report.reason_detail(), HasSubstr("role server: 2 of 3 agents"));
  EXPECT_EQ(sim.engine().exit_code(), 4);
}

TEST(EngineStopTest, AnAgentThatLeavesWhileOthersAreAwaitedIsNoError) {
  RunSim sim(R"(name: "x" targets { name: "server" attach { expect: 2 within { seconds: 9 } } }
                invariants { name: "pool_floor" expr: "x" })");
  sim.AddAgent("a", "server");
  sim.At(1, [&] { sim.Lose("a"); });
  sim.JoinAt(2, "b", "server");
  sim.JoinAt(3, "c", "server");
  EXPECT_EQ(sim.Run().verdict(), report::v1::PASS);
}

TEST(EngineStopTest, LinksNeedAnAgentThatCarriesThem) {
  RunSim sim(R"(name: "x" targets { name: "server" attach { expect: 1 } } links { name: "im" to { role: "server" } })");
  sim.AddAgent("a", "server", {"process"});
  EXPECT_EQ(sim.Run().reason(), "no_agent_for_links");
}

TEST(EngineStopTest, AnAttachedAgentWithALinkCapabilityCarriesThem) {
  RunSim sim(R"(name: "x" targets { name: "server" attach { expect: 1 } } links { name: "im" to { role: "server" } }
                invariants { name: "pool_floor" expr: "x" })");
  sim.AddAgent("a", "server", {"process", "link"});
  EXPECT_EQ(sim.Run().verdict(), report::v1::PASS);
  EXPECT_TRUE(sim.agent("a").opened().carries_links());
}

TEST(EngineStopTest, TargetsThatAreNeverReadyAbortTheRunByName) {
  const Ended ended = RunWith({.ready_after = -1}, {}, std::string(kPlan) + "run { start_within { seconds: 5 } }");
  EXPECT_EQ(ended.report.reason(), "targets_not_ready");
  EXPECT_THAT(ended.report.reason_detail(), HasSubstr("server/0: started, but not ready; server/1"));
  EXPECT_EQ(ended.exit_code, 4);
}

TEST(EngineStopTest, ATargetThatDiesBeforeItIsReadyAbortsAtOnceWithTheCause) {
  const Ended ended = RunWith({.dies_before_ready = true});
  EXPECT_EQ(ended.report.reason(), "targets_not_ready");
  EXPECT_THAT(ended.report.reason_detail(), HasSubstr("server/0: exited with code 7 (by itself)"));
  ASSERT_GE(ended.report.targets(0).exits_size(), 1);
}

TEST(EngineStopTest, ASelectionThatFitsNobodyAbortsTheRun) {
  const Ended ended = RunWith({}, {}, R"(
    name: "x" targets { name: "server" count: 2 } invariants { name: "pool_floor" expr: "x" }
    steps { name: "bad" fault { on { role: "server" labels { name: "zone" value: "b" } } hang {} } })");
  EXPECT_EQ(ended.report.reason(), "schedule_refused");
  EXPECT_THAT(ended.report.reason_detail(), HasSubstr("bad"));
}

TEST(EngineStopTest, AnAgentThatCannotOpenTheRunIsAnErrorWithItsWords) {
  const Ended ended = RunWith({.open_failure = "no such file: /no/server"});
  EXPECT_EQ(ended.report.verdict(), report::v1::ERROR);
  EXPECT_EQ(ended.report.reason(), "agent_refused");
  EXPECT_THAT(ended.report.reason_detail(), HasSubstr("local: no such file: /no/server"));
  EXPECT_EQ(ended.exit_code, 5);
}

TEST(EngineStopTest, AnExpressionThatCannotBeJudgedTouchesNothing) {
  RunSim sim(kPlan, {.engine = {}});
  sim.AddAgent("local");
  EngineOptions options;
  options.agents = {{"local"}};
  options.judging = [](const plan::v1::Plan&) {
    return absl::InvalidArgumentError("column 3: unknown metric `poool`");
  };
  Engine engine(testing::PlanOf(kPlan), options);
  EXPECT_THAT(engine.Step({kSecond, Tick{}}), IsEmpty());
  EXPECT_TRUE(engine.done());
  EXPECT_EQ(engine.Report().reason(), "judge_failed");
  EXPECT_EQ(engine.exit_code(), 5);
}

// --- answers that are no, or none ---

struct Refusal {
  ToAgent::CommandCase command;
  std::string reason;
};
class EngineRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(EngineRefusalTest, ACommandThatFailsIsAnError) {
  const Ended ended = RunWith({.refuse = {{GetParam().command, absl::NotFoundError("no such proxy")}}});
  EXPECT_EQ(ended.report.verdict(), report::v1::ERROR);
  EXPECT_EQ(ended.report.reason(), GetParam().reason);
  EXPECT_THAT(ended.report.reason_detail(), HasSubstr("no such proxy"));
}

TEST_P(EngineRefusalTest, WhatTheAgentsOwnPolicyRefusesAborts) {
  const Ended ended = RunWith({.refuse = {{GetParam().command, absl::PermissionDeniedError("not on the allow-list")}}});
  EXPECT_EQ(ended.report.verdict(), report::v1::ABORTED);
  EXPECT_EQ(ended.report.reason(), "refused_by_policy");
}

INSTANTIATE_TEST_SUITE_P(All, EngineRefusalTest,
                         ::testing::Values(Refusal{ToAgent::kOpenRun, "agent_refused"},
                                           Refusal{ToAgent::kPrepare, "fault_not_armed"},
                                           Refusal{ToAgent::kBegin, "agent_refused"},
                                           Refusal{ToAgent::kRelease, "fault_not_armed"},
                                           Refusal{ToAgent::kRenew, "lease_lost"}));

class EngineSilenceTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(EngineSilenceTest, ACommandWithoutAnswerDoesNotHangTheRun) {
  RunSim sim(kPlan, {.behaviour = {.ignore = {GetParam().command}}});
  sim.AddAgent("local");
  const auto report = sim.Run(200);
  EXPECT_TRUE(sim.engine().done());
  EXPECT_EQ(report.reason(), GetParam().reason);
  EXPECT_NE(report.verdict(), report::v1::PASS);
}

INSTANTIATE_TEST_SUITE_P(All, EngineSilenceTest,
                         ::testing::Values(Refusal{ToAgent::kOpenRun, "agent_silent"},
                                           Refusal{ToAgent::kPrepare, "agent_silent"},
                                           Refusal{ToAgent::kBegin, "targets_not_ready"},
                                           Refusal{ToAgent::kRelease, "fault_not_armed"},
                                           Refusal{ToAgent::kCloseRun, "close_timeout"}));

TEST(EngineStopTest, AnAgentThatRefusesTheRunIsNeitherHaltedNorClosed) {
  RunSim sim(kPlan, {.behaviour = {.refuse = {{ToAgent::kOpenRun, absl::PermissionDeniedError("no")},
                                              {ToAgent::kHalt, absl::FailedPreconditionError("not open here")},
                                              {ToAgent::kCloseRun, absl::FailedPreconditionError("not open here")}}}});
  FakeAgent& agent = sim.AddAgent("local");
  EXPECT_EQ(sim.Run().reason(), "refused_by_policy");
  EXPECT_THAT(agent.commands(), SizeIs(1));
}

// --- faults that go wrong ---

TEST(EngineStopTest, AFaultThatCannotBeArmedIsAnErrorWithTheCause) {
  const Ended ended = RunWith({.fail_arming = "EPERM: kill of another user's process"});
  EXPECT_EQ(ended.report.verdict(), report::v1::ERROR);
  EXPECT_EQ(ended.report.reason(), "fault_not_armed");
  EXPECT_THAT(ended.report.reason_detail(), HasSubstr("trigger on im/1: EPERM"));
  EXPECT_THAT(ended.report.faults(0).error(), HasSubstr("EPERM"));
  EXPECT_FALSE(ended.report.faults(0).has_armed_s()) << "one of two is not armed";
  EXPECT_THAT(ended.report.steps(0).outcome(), HasSubstr("failed: "));
}

TEST(EngineStopTest, AFaultThatCannotBeArmedOutranksAViolation) {
  const Ended ended = RunWith({.fail_arming = "ESRCH"}, {.invariants = {{"pool_floor", {.violated_s = 0.5}}}});
  EXPECT_EQ(ended.report.verdict(), report::v1::ERROR);
  EXPECT_EQ(ended.report.invariants(0).verdict(), report::v1::VIOLATED) << "still told";
}

TEST(EngineStopTest, AFaultWithoutWitnessIsInconclusive) {
  const Ended ended = RunWith({.witness = false});
  EXPECT_EQ(ended.report.verdict(), report::v1::INCONCLUSIVE);
  EXPECT_EQ(ended.report.reason(), "fault_without_witness");
  EXPECT_EQ(ended.exit_code, 3);
}

TEST(EngineStopTest, AFaultThatWasNotSeenToBeGoneIsAnError) {
  const Ended ended = RunWith({.sees_it_gone = false});
  EXPECT_EQ(ended.report.reason(), "fault_not_lifted");
  EXPECT_FALSE(ended.report.faults(0).witness().gone());
}

TEST(EngineStopTest, ALiftThatIsNeverConfirmedIsAnError) {
  const Ended ended = RunWith({.lifts = false});
  EXPECT_EQ(ended.report.reason(), "fault_not_lifted");
  EXPECT_FALSE(ended.report.faults(0).has_lifted_s());
}

TEST(EngineStopTest, EdgesThatOvertakeEachOtherCountOnce) {
  const Ended ended = RunWith({.lifted_before_armed = true});
  EXPECT_EQ(ended.report.verdict(), report::v1::PASS) << ended.report.reason_detail();
  EXPECT_LE(ended.report.faults(0).armed_s(), ended.report.faults(0).lifted_s());
}

class EngineLapseTest : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(EngineLapseTest, AFaultThatWasLostCannotPass) {
  RunSim sim(kPlan);
  FakeAgent& agent = sim.AddAgent("local");
  sim.AtRun(3, [&] { agent.EndAll(GetParam()[0]); });
  const auto report = sim.Run();
  EXPECT_EQ(report::v1::Verdict_Name(report.verdict()), GetParam()[1]);
  EXPECT_EQ(report.reason(), GetParam()[2]);
  EXPECT_EQ(report.faults(0).ended_by(), GetParam()[3]);
}

INSTANTIATE_TEST_SUITE_P(
    All, EngineLapseTest,
    ::testing::Values(std::vector<std::string>{"lease", "ERROR", "fault_lapsed", "lapsed"},
                      std::vector<std::string>{"host_lost", "ERROR", "fault_host_lost", "host_lost"},
                      std::vector<std::string>{"halted", "ABORTED", "halted_on_host", "halted"},
                      std::vector<std::string>{"target_exited", "PASS", "all_hold", "target_exited"}));

TEST(EngineStopTest, AnEngineThatHangsDoesNotRenew) {
  RunSim sim(kPlan, {.engine = {.lease_ns = 500 * kMillisecond}});
  FakeAgent& agent = sim.AddAgent("local");
  sim.Freeze(3, 4);
  sim.Run();
  int64_t longest = 0;
  for (size_t i = 1; i < agent.renewals().size(); ++i) {
    longest = std::max(longest, agent.renewals()[i] - agent.renewals()[i - 1]);
  }
  EXPECT_GE(longest, 900 * kMillisecond) << "beyond the lease: the agent has lifted everything by itself";
}

// --- halts ---

TEST(EngineStopTest, AnInterruptLiftsEverythingAndExitsWithTheSignalsCode) {
  for (const int code : {130, 143}) {
    RunSim sim(kPlan);
    FakeAgent& agent = sim.AddAgent("local");
    sim.AtRun(3, [&] { sim.Halt("SIGINT", code); });
    const auto report = sim.Run();
    EXPECT_EQ(report.verdict(), report::v1::ABORTED);
    EXPECT_EQ(report.reason(), "interrupted");
    EXPECT_EQ(sim.engine().exit_code(), code);
    EXPECT_THAT(agent.CommandsOf(ToAgent::kHalt), SizeIs(1));
    EXPECT_THAT(agent.CommandsOf(ToAgent::kCloseRun), SizeIs(1));
    EXPECT_EQ(report.faults(0).ended_by(), "halted");
    EXPECT_NEAR(report.duration_s(), 3, 1e-6);
    EXPECT_LT(sim.InRun(sim.now()), 4.2);
  }
}

TEST(EngineStopTest, AnInterruptBeforeTheStartEndsAtOnce) {
  RunSim sim(R"(name: "x" targets { name: "server" attach { expect: 3 } })");
  sim.At(1, [&] { sim.Halt("SIGTERM", 143); });
  EXPECT_EQ(sim.Run().reason(), "interrupted");
  EXPECT_EQ(sim.engine().exit_code(), 143);
}

TEST(EngineStopTest, AnAgentThatDiesOfTheSameInterruptIsNoError) {
  RunSim sim(kPlan);
  sim.AddAgent("local");
  sim.AtRun(3, [&] {
    sim.Halt("SIGINT", 130);
    sim.Lose("local");
  });
  EXPECT_EQ(sim.Run().reason(), "interrupted");
  EXPECT_EQ(sim.engine().exit_code(), 130);
}

TEST(EngineStopTest, AHaltByAPersonIsAborted) {
  RunSim sim(kPlan);
  sim.AddAgent("local");
  sim.AtRun(3, [&] { sim.Halt("the console", 0); });
  const auto report = sim.Run();
  EXPECT_EQ(report.reason(), "halted");
  EXPECT_EQ(sim.engine().exit_code(), 4);
}

TEST(EngineStopTest, AViolationBeforeAHaltIsAFail) {
  RunSim sim(kPlan, {.script = {.invariants = {{"pool_floor", {.violated_s = 2.5}}}}});
  sim.AddAgent("local");
  sim.AtRun(3, [&] { sim.Halt("the console", 0); });
  EXPECT_EQ(sim.Run().verdict(), report::v1::FAIL);
}

TEST(EngineStopTest, WhatOnlyTheEndOfAHaltedRunDecidesIsNoFail) {
  RunSim sim(kPlan, {.script = {.invariants = {{"pool_floor", {.end = report::v1::VIOLATED}}}}});
  sim.AddAgent("local");
  sim.AtRun(3, [&] { sim.Halt("the console", 0); });
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::ABORTED);
  EXPECT_EQ(report.invariants(0).verdict(), report::v1::UNKNOWN);
  EXPECT_EQ(report.invariants(0).reason(), "run_stopped");
}

TEST(EngineStopTest, AbortWhenHaltsTheRun) {
  RunSim sim(kPlan, {.script = {.abort_s = 2.5}});
  FakeAgent& agent = sim.AddAgent("local");
  const auto report = sim.Run();
  EXPECT_EQ(report.reason(), "abort_when");
  EXPECT_THAT(report.reason_detail(), HasSubstr("too_bad: load was 9"));
  EXPECT_THAT(agent.CommandsOf(ToAgent::kHalt), SizeIs(1));
}

TEST(EngineStopTest, ALostAgentIsAnErrorAndTheOthersAreHalted) {
  RunSim sim(R"(
    name: "two" targets { name: "server" attach { expect: 2 } } invariants { name: "pool_floor" expr: "x" }
    steps { name: "stop" at { seconds: 1 } for { seconds: 9 } fault { on { role: "server" all: true } hang {} } })");
  sim.AddAgent("a", "server");
  sim.AddAgent("b", "server");
  sim.AtRun(3, [&] { sim.Lose("a"); });
  const auto report = sim.Run();
  EXPECT_EQ(report.verdict(), report::v1::ERROR);
  EXPECT_EQ(report.reason(), "agent_lost");
  EXPECT_THAT(sim.agent("b").CommandsOf(ToAgent::kHalt), SizeIs(1));
  EXPECT_FALSE(sim.agent("b").AnyArmed());
  EXPECT_EQ(sim.engine().exit_code(), 5);
}

TEST(EngineStopTest, AnAnchorThatCannotComeAbortsTheRun) {
  const Ended ended = RunWith({}, {}, R"(
    name: "x" targets { name: "server" } invariants { name: "pool_floor" expr: "x" }
    steps { name: "barrier" when { expr: "x" within { seconds: 3 } otherwise: SKIP } }
    run { length { seconds: 5 } from: "barrier.start" })");
  EXPECT_EQ(ended.report.reason(), "anchor_not_reached");
}

TEST(EngineStopTest, NoRunIsLongerThanTheCap) {
  RunSim sim(kPlan, {.script = {.decided_s = 1e6}, .engine = {.longest_ns = 60 * kSecond}});
  sim.AddAgent("local");
  EXPECT_EQ(sim.Run().reason(), "run_too_long");
}

// --- judged, but not green ---

TEST(EngineStopTest, WhatIsUnknownOrVacuousIsInconclusive) {
  const Ended unknown = RunWith({}, {.invariants = {{"a", {}}, {"b", {.end = report::v1::UNKNOWN}}}});
  EXPECT_EQ(unknown.report.reason(), "invariant_unknown");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_EQ(RunWith({}, {.invariants = {{"a", {.end = report::v1::VACUOUS}}}}).report.reason(), "invariant_vacuous");
  EXPECT_EQ(RunWith({}, {.invariants = {}}).report.reason(), "no_invariants");
}

TEST(EngineStopTest, ABrokenValidWhileOutranksAViolation) {
  const Ended ended =
      RunWith({}, {.invariants = {{"a", {.violated_s = 1.0}}}, .valid_while = {{"generator", {.violated_s = 1.5}}}});
  EXPECT_EQ(ended.report.verdict(), report::v1::INCONCLUSIVE);
  EXPECT_EQ(ended.report.reason(), "valid_while_broken");
}

TEST(EngineStopTest, DataThatNeverComesDoesNotHangTheEnd) {
  const Ended ended = RunWith({.streams = false}, {}, std::string(kPlan) + "run { length { seconds: 7 } }");
  EXPECT_DOUBLE_EQ(ended.report.duration_s(), 7);
}

}  // namespace
}  // namespace squall

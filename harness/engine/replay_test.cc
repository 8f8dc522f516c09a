// A run is a function of its inputs.
#include <gtest/gtest.h>

#include "harness/engine/testing/run_sim.h"

namespace squall {
namespace {

using testing::Heard;
using testing::RunSim;

constexpr char kPlan[] = R"(
  name: "plan"
  targets { name: "server" count: 4 }
  links { name: "im" from {} to { role: "server" } }
  invariants { name: "pool_floor" expr: "always pool >= 20" }
  steps { name: "trigger" at { seconds: 2 } for { seconds: 3 }
          fault { on { link: "im" } delay { latency { seconds: 1 } } } }
  steps { name: "crash" when { expr: "x" } fault { on { role: "server" count: 2 } crash {} } }
)";

std::vector<std::string> Bytes(const std::vector<Outgoing>& all) {
  std::vector<std::string> bytes;
  for (const Outgoing& out : all) {
    bytes.push_back(out.agent + ": " + out.message.ShortDebugString());
  }
  return bytes;
}

std::string EventsOf(const Engine& engine) {
  std::string text;
  for (const EventRecord& e : engine.Events()) text += std::to_string(e.t_s) + e.kind + e.subject + e.detail + "\n";
  return text;
}

void ExpectReplayable(RunSim* sim) {
  const auto report = sim->Run();
  engine::v1::Journal read;
  ASSERT_TRUE(read.ParseFromString(sim->journal().SerializeAsString()));
  auto again = sim->MakeEngine(std::make_shared<Heard>());
  EXPECT_EQ(Bytes(Replay(read, again.get())), Bytes(sim->said()));
  EXPECT_TRUE(again->done());
  EXPECT_EQ(again->Report().ShortDebugString(), report.ShortDebugString());
  EXPECT_EQ(EventsOf(*again), EventsOf(sim->engine()));
}

TEST(ReplayTest, TheRecordedInputsGiveTheSameMessagesAndReport) {
  RunSim sim(kPlan, {.script = {.invariants = {{"pool_floor", {.violated_s = 3.3}}}, .when = {{"crash", 4.0}}}});
  sim.AddAgent("local");
  ExpectReplayable(&sim);
  EXPECT_GE(sim.said().size(), 8u);
}

TEST(ReplayTest, AlsoWhenTheRunWasInterrupted) {
  RunSim sim(kPlan);
  sim.AddAgent("local");
  sim.AtRun(2.5, [&] { sim.Halt("SIGINT", 130); });
  ExpectReplayable(&sim);
}

TEST(ReplayTest, AlsoWhenAnAgentWasLost) {
  RunSim sim(kPlan);
  sim.AddAgent("local");
  sim.AtRun(2.5, [&] { sim.Lose("local"); });
  ExpectReplayable(&sim);
}

TEST(ReplayTest, AnEntryOfNoKnownKindIsATick) {
  EXPECT_TRUE(std::holds_alternative<Tick>(ToInput(engine::v1::JournalEntry()).what));
}

}  // namespace
}  // namespace squall

// What holds for every fault kind, on the fakes: armed -> effective -> lifted -> gone.
#include <functional>
#include <map>
#include <string>

#include "faults/catalog.h"
#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using faults::v1::Fault;

// All seams of a host, and a world that goes on behind them.
struct World {
  SimulatedClock clock;
  FakeProcess process{&clock};
  FakeInstances instances{"node", 3};
  FakeLink link{&clock};
  FakeLoad load{&clock};

  Seams seams() { return {&process, &instances, &link, &load}; }
  ArmContext context() const {
    return {.clock = &clock, .deadline_ns = clock.Now() + 10 * kSecond, .seed = 1, .site = "contract", .count = 2};
  }
  // Two seconds in which instances become ready or end, and bytes pass.
  void Pass() {
    link.Send(0, faults::v1::UPSTREAM, 100);
    clock.Advance(2 * kSecond);
    link.Deliver();
    instances.MakeReady("node/3");
    instances.MakeReady("node/4");
    instances.End("node/1");
    instances.End("node/2");
  }
  void Fail(const absl::Status& status) { process.error = instances.error = link.error = load.error = status; }
};

struct Kind {
  std::function<void(Fault*)> fill;
  bool undone;  // the seam is asked to undo it
};

const std::map<std::string, Kind>& Kinds() {
  static const auto* const kinds = new std::map<std::string, Kind>{
      {"crash", {[](Fault* fault) { fault->mutable_crash()->set_signal("SEGV"); }, false}},
      {"hang", {[](Fault* fault) { fault->mutable_hang(); }, true}},
      {"delay", {[](Fault* fault) { fault->mutable_delay()->mutable_latency()->set_seconds(1); }, true}},
      {"load_spike", {[](Fault* fault) { fault->mutable_load_spike()->set_multiplier(4); }, true}},
      {"start", {[](Fault* fault) { fault->mutable_start(); }, false}},
      {"drain", {[](Fault* fault) { fault->mutable_drain(); }, false}},
  };
  return *kinds;
}

class FaultContractTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<FaultKind> Make() const {
    Fault fault;
    Kinds().at(GetParam()).fill(&fault);
    EXPECT_EQ(KindName(fault), GetParam());
    auto kind = MakeFault(fault);
    EXPECT_TRUE(kind.ok()) << kind.status();
    return *std::move(kind);
  }
  bool undone() const { return Kinds().at(GetParam()).undone; }
};

TEST_P(FaultContractTest, IsArmedThenEffectiveThenLiftedThenGone) {
  World world;
  auto armed = Make()->Arm(world.seams(), world.context());
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_TRUE(armed->armed());
  world.Pass();
  const auto during = armed->Observe();
  EXPECT_TRUE(during.effective()) << during.detail();
  EXPECT_EQ(during.gone(), !undone()) << during.detail();
  EXPECT_GT(during.count(), 0u);
  EXPECT_FALSE(during.detail().empty());
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_FALSE(armed->armed());
  EXPECT_TRUE(armed->Observe().gone()) << armed->Observe().detail();
  EXPECT_TRUE(armed->Observe().effective()) << "what it did is not forgotten";
  EXPECT_TRUE(armed->Lift().ok());
}

TEST_P(FaultContractTest, IsGoneAtItsDeadlineThoughNobodyLiftsIt) {
  World world;
  auto armed = Make()->Arm(world.seams(), world.context());
  ASSERT_TRUE(armed.ok());
  world.Pass();
  EXPECT_TRUE(armed->Observe().effective());
  world.Fail(absl::UnavailableError("the holder of the fault is dead"));
  world.clock.Advance(8 * kSecond);
  EXPECT_TRUE(armed->Observe().gone());
}

TEST_P(FaultContractTest, AFailedLiftCanBeRepeated) {
  World world;
  auto armed = Make()->Arm(world.seams(), world.context());
  ASSERT_TRUE(armed.ok());
  world.Pass();
  world.Fail(absl::UnavailableError("away"));
  EXPECT_EQ(armed->Lift().ok(), !undone());
  EXPECT_EQ(armed->armed(), undone());
  EXPECT_EQ(armed->Observe().gone(), !undone());
  world.Fail(absl::OkStatus());
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_TRUE(armed->Observe().gone());
}

TEST_P(FaultContractTest, WhatTheSeamRefusesIsNotArmed) {
  World world;
  world.Fail(absl::UnavailableError("away"));
  EXPECT_EQ(Make()->Arm(world.seams(), world.context()).status(), absl::UnavailableError("away"));
}

TEST_P(FaultContractTest, NeedsItsSeam) {
  World world;
  const auto status = Make()->Arm({}, world.context()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()).rfind(GetParam() + ": ", 0), 0u) << status;
}

TEST_P(FaultContractTest, IsNotArmedBeyondItsDeadline) {
  World world;
  ArmContext late = world.context();
  late.deadline_ns = world.clock.Now();
  EXPECT_EQ(Make()->Arm(world.seams(), late).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(world.process.signals.empty());
}

TEST_P(FaultContractTest, OneKindCanBeArmedOnSeveralObjects) {
  World a, b;
  const auto kind = Make();
  auto first = kind->Arm(a.seams(), a.context());
  auto second = kind->Arm(b.seams(), b.context());
  ASSERT_TRUE(first.ok() && second.ok());
  a.Pass();
  b.Pass();
  EXPECT_TRUE(first->Lift().ok());
  EXPECT_EQ(second->Observe().gone(), !undone());
  EXPECT_TRUE(second->Observe().effective());
}

INSTANTIATE_TEST_SUITE_P(AllKinds, FaultContractTest,
                         ::testing::ValuesIn(std::vector<std::string>(KindNames().begin(), KindNames().end())),
                         [](const auto& info) { return info.param; });

TEST(FaultContractCoverageTest, NoKindIsLeftOut) {
  for (const std::string& name : KindNames()) EXPECT_TRUE(Kinds().contains(name)) << name << " has no contract test";
}

}  // namespace
}  // namespace squall

#include "faults/process/start.h"

#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

class StartTest : public ::testing::Test {
 protected:
  absl::StatusOr<ArmedFault> Arm(uint32_t count) {
    return (*StartFault::Create({}))
        ->Arm({.instances = &instances_}, {.clock = &clock_, .deadline_ns = clock_.Now() + kSecond, .count = count});
  }
  SimulatedClock clock_;
  FakeInstances instances_{"mega", 1};
};

TEST_F(StartTest, IsEffectiveOnceAllAreReady) {
  auto armed = Arm(2);
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_FALSE(armed->Observe().effective());
  clock_.Advance(300 * kMillisecond);
  instances_.MakeReady("mega/1");
  EXPECT_FALSE(armed->Observe().effective());
  EXPECT_EQ(armed->Observe().count(), 1u);
  instances_.MakeReady("mega/2");
  EXPECT_TRUE(armed->Observe().effective());
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_EQ(armed->Observe().detail(), "2 of 2 ready after 300ms (mega/1, mega/2)");
}

TEST_F(StartTest, OneThatWasReadyAndThenEndedStillCounts) {
  auto armed = Arm(1);
  ASSERT_TRUE(armed.ok());
  instances_.MakeReady("mega/1");
  EXPECT_TRUE(armed->Observe().effective());
  instances_.End("mega/1");
  EXPECT_TRUE(armed->Observe().effective());
}

TEST_F(StartTest, LiftingEndsNothing) {
  auto armed = Arm(1);
  ASSERT_TRUE(armed.ok());
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_FALSE(instances_.Ended("mega/1"));
}

TEST_F(StartTest, NoneIsRefused) { EXPECT_EQ(Arm(0).status().message(), "start: count: must be at least 1"); }

TEST_F(StartTest, AFailureToStartIsTheFaultsFailure) {
  instances_.error = absl::NotFoundError("no such binary");
  EXPECT_EQ(Arm(1).status(), absl::NotFoundError("no such binary"));
}

}  // namespace
}  // namespace squall

#include "faults/load/load_spike.h"

#include <cmath>

#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

class LoadSpikeTest : public ::testing::Test {
 protected:
  absl::StatusOr<ArmedFault> Arm(double multiplier, int64_t ramp_s = 0) {
    faults::v1::LoadSpike params;
    params.set_multiplier(multiplier);
    params.mutable_ramp()->set_seconds(ramp_s);
    auto kind = LoadSpikeFault::Create(params);
    if (!kind.ok()) return kind.status();
    return (*kind)->Arm({.load = &load_}, {.clock = &clock_, .deadline_ns = clock_.Now() + 10 * kSecond});
  }
  SimulatedClock clock_;
  FakeLoad load_{&clock_};
};

TEST_F(LoadSpikeTest, MultipliesUntilLifted) {
  auto armed = Arm(5);
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_EQ(load_.Multiplier(), 5);
  EXPECT_FALSE(armed->Observe().effective()) << "nothing more was scheduled yet";
  clock_.Advance(2 * kSecond);
  EXPECT_TRUE(armed->Observe().effective());
  EXPECT_FALSE(armed->Observe().gone());
  EXPECT_EQ(armed->Observe().count(), 800u);
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_EQ(load_.Multiplier(), 1);
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_EQ(armed->Observe().detail(), "800 requests scheduled beyond the base rate, multiplier seen up to 5");
}

TEST_F(LoadSpikeTest, RisesOverItsRamp) {
  auto armed = Arm(11, 5);
  ASSERT_TRUE(armed.ok());
  clock_.Advance(2500 * kMillisecond);
  EXPECT_DOUBLE_EQ(load_.Multiplier(), 6);
  clock_.Advance(2500 * kMillisecond);
  EXPECT_DOUBLE_EQ(load_.Multiplier(), 11);
  EXPECT_EQ(armed->Observe().count(), 2500u);
}

TEST_F(LoadSpikeTest, EndsByItselfAtTheDeadline) {
  auto armed = Arm(2);
  ASSERT_TRUE(armed.ok());
  clock_.Advance(10 * kSecond);
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_EQ(armed->Observe().count(), 1000u);
}

TEST_F(LoadSpikeTest, ALateLiftDoesNotEndTheNextSpike) {
  auto first = Arm(2);
  ASSERT_TRUE(first.ok());
  clock_.Advance(10 * kSecond);
  auto second = Arm(3);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_TRUE(first->Lift().ok());
  EXPECT_EQ(load_.Multiplier(), 3);
}

TEST_F(LoadSpikeTest, ASecondSpikeOnTheSameLoadIsRefused) {
  auto first = Arm(2);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(Arm(3).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(load_.Multiplier(), 2);
}

TEST_F(LoadSpikeTest, ALullIsSeenByItsMultiplier) {
  auto armed = Arm(0.25);
  ASSERT_TRUE(armed.ok());
  clock_.Advance(kSecond);
  ASSERT_TRUE(armed->Lift().ok());
  EXPECT_TRUE(armed->Observe().effective());
  EXPECT_EQ(armed->Observe().detail(), "multiplier seen down to 0.25");
}

TEST_F(LoadSpikeTest, SenselessMultipliersAreRefusedByName) {
  EXPECT_EQ(Arm(0).status().message(), "multiplier: must be in (0, 1000], is 0");
  EXPECT_EQ(Arm(-2).status().message(), "multiplier: must be in (0, 1000], is -2");
  EXPECT_EQ(Arm(std::nan("")).status().message(), "multiplier: must be in (0, 1000], is nan");
  EXPECT_FALSE(Arm(INFINITY).ok());
  EXPECT_FALSE(Arm(1000.5).ok());
  EXPECT_EQ(Arm(1).status().message(), "multiplier: 1 changes nothing");
  EXPECT_EQ(Arm(2, -1).status().message(), "ramp: must be in [0, 15m], is -1s");
}

}  // namespace
}  // namespace squall

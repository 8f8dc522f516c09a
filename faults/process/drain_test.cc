#include "faults/process/drain.h"

#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

class DrainTest : public ::testing::Test {
 protected:
  absl::StatusOr<ArmedFault> Arm(uint32_t count) {
    auto kind = DrainFault::Create(params_);
    if (!kind.ok()) return kind.status();
    return (*kind)->Arm({.instances = &instances_},
                        {.clock = &clock_, .deadline_ns = clock_.Now() + kSecond, .count = count});
  }
  SimulatedClock clock_;
  FakeInstances instances_{"mega", 5};
  faults::v1::Drain params_;
};

TEST_F(DrainTest, IsEffectiveOnceAllHaveEnded) {
  auto armed = Arm(2);
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_FALSE(armed->Observe().effective());
  instances_.End("mega/4");
  EXPECT_FALSE(armed->Observe().effective());
  instances_.End("mega/3");
  EXPECT_TRUE(armed->Observe().effective());
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_EQ(armed->Observe().count(), 2u);
}

TEST_F(DrainTest, GraceIsTenSecondsUnlessSaidOtherwise) {
  ASSERT_TRUE(Arm(1).ok());
  EXPECT_EQ(instances_.over_ns, 0);
  EXPECT_EQ(instances_.grace_ns, 10 * kSecond);
  params_.mutable_over()->set_seconds(60);
  params_.mutable_grace();  // said: none
  ASSERT_TRUE(Arm(1).ok());
  EXPECT_EQ(instances_.over_ns, 60 * kSecond);
  EXPECT_EQ(instances_.grace_ns, 0);
}

TEST_F(DrainTest, TimesOutsideTheirRangeAreRefused) {
  params_.mutable_over()->set_seconds(901);
  EXPECT_EQ(Arm(1).status().message(), "over: must be in [0, 15m], is 15m1s");
  params_.mutable_over()->set_seconds(0);
  params_.mutable_grace()->set_seconds(-1);
  EXPECT_EQ(Arm(1).status().message(), "grace: must be in [0, 15m], is -1s");
}

TEST_F(DrainTest, MoreThanRunAreRefused) {
  EXPECT_FALSE(Arm(6).ok());
  EXPECT_EQ(Arm(0).status().message(), "drain: count: must be at least 1");
}

}  // namespace
}  // namespace squall

#include "faults/process/hang.h"

#include <signal.h>

#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

class HangTest : public ::testing::Test {
 protected:
  absl::StatusOr<ArmedFault> Arm() {
    return (*HangFault::Create({}))
        ->Arm({.process = &process_}, {.clock = &clock_, .deadline_ns = clock_.Now() + 5 * kSecond});
  }
  SimulatedClock clock_;
  FakeProcess process_{&clock_};
};

TEST_F(HangTest, StopsAndContinues) {
  auto armed = Arm();
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_TRUE(process_.Look().stopped);
  EXPECT_TRUE(armed->Observe().effective());
  EXPECT_FALSE(armed->Observe().gone());
  clock_.Advance(3 * kSecond);
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_FALSE(process_.Look().stopped);
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_EQ(armed->Observe().detail(), "all threads stopped after 0, seen stopped for 3s");
}

TEST_F(HangTest, IsNotEffectiveUnlessTheProcessWasSeenStopped) {
  process_.obeys = false;
  auto armed = Arm();
  ASSERT_TRUE(armed.ok());
  clock_.Advance(kSecond);
  EXPECT_FALSE(armed->Observe().effective());
  ASSERT_TRUE(armed->Lift().ok());
  EXPECT_FALSE(armed->Observe().effective());
  EXPECT_EQ(armed->Observe().detail(), "was told to stop, never seen stopped");
}

TEST_F(HangTest, IsGoneByItselfAtTheDeadline) {
  auto armed = Arm();
  ASSERT_TRUE(armed.ok());
  EXPECT_TRUE(armed->Observe().effective());
  clock_.Advance(5 * kSecond);
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_TRUE(armed->Lift().ok());
}

TEST_F(HangTest, AFailedLiftIsNotGoneAndCanBeRepeated) {
  auto armed = Arm();
  ASSERT_TRUE(armed.ok());
  process_.error = absl::UnavailableError("the guardian is away");
  EXPECT_FALSE(armed->Lift().ok());
  EXPECT_FALSE(armed->Observe().gone());
  process_.error = absl::OkStatus();
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_TRUE(armed->Observe().gone());
}

TEST_F(HangTest, ItsEndWhileStoppedCountsAsGone) {
  auto armed = Arm();
  ASSERT_TRUE(armed.ok());
  EXPECT_TRUE(armed->Observe().effective());
  process_.End(SIGKILL);
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_TRUE(armed->Observe().gone());
}

TEST_F(HangTest, DestructionContinuesTheProcess) {
  {
    auto armed = Arm();
  }
  EXPECT_FALSE(process_.Look().stopped);
  EXPECT_EQ(process_.signals, (std::vector<int>{SIGSTOP, SIGCONT}));
}

TEST_F(HangTest, AProcessThatDoesNotRunIsRefused) {
  process_.End(0);
  EXPECT_EQ(Arm().status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace squall

#include "faults/process/crash.h"

#include <signal.h>

#include <string>

#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

class CrashTest : public ::testing::Test {
 protected:
  absl::StatusOr<ArmedFault> Arm(const std::string& signal) {
    faults::v1::Crash params;
    params.set_signal(signal);
    auto kind = CrashFault::Create(params);
    if (!kind.ok()) return kind.status();
    return (*kind)->Arm({.process = &process_}, {.clock = &clock_, .deadline_ns = clock_.Now() + kSecond});
  }
  SimulatedClock clock_;
  FakeProcess process_{&clock_};
};

TEST_F(CrashTest, KillsByDefault) {
  auto armed = Arm("");
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_EQ(process_.signals, std::vector<int>{SIGKILL});
  EXPECT_TRUE(armed->Observe().effective());
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_EQ(armed->Observe().detail(), "ended by SIGKILL");
}

TEST_F(CrashTest, IsNotEffectiveWhileTheProcessRunsOn) {
  process_.obeys = false;
  auto armed = Arm("TERM");
  ASSERT_TRUE(armed.ok());
  EXPECT_FALSE(armed->Observe().effective());
  EXPECT_EQ(armed->Observe().detail(), "SIGTERM was sent, the process runs on");
  process_.End(SIGTERM);
  EXPECT_TRUE(armed->Observe().effective());
}

TEST_F(CrashTest, AnEndOfAnotherCauseIsNotItsDoing) {
  process_.obeys = false;
  auto armed = Arm("TERM");
  ASSERT_TRUE(armed.ok());
  process_.End(0);
  EXPECT_FALSE(armed->Observe().effective());
  EXPECT_EQ(armed->Observe().detail(), "SIGTERM was sent, the process ended by itself");
  process_.Restart();
  process_.End(SIGTERM);  // of the next incarnation, and not by this fault
  EXPECT_FALSE(armed->Observe().effective());
}

TEST_F(CrashTest, IsSeenThoughThePolicyHasRestartedTheProcess) {
  auto armed = Arm("SEGV");
  ASSERT_TRUE(armed.ok());
  process_.Restart();
  EXPECT_TRUE(process_.Look().running);
  EXPECT_TRUE(armed->Observe().effective());
}

TEST_F(CrashTest, LiftingDoesNotTouchTheProcess) {
  auto armed = Arm("KILL");
  ASSERT_TRUE(armed.ok());
  EXPECT_TRUE(armed->Lift().ok());
  EXPECT_EQ(process_.signals.size(), 1u);
}

TEST_F(CrashTest, AProcessThatDoesNotRunIsRefused) {
  process_.End(0);
  EXPECT_EQ(Arm("KILL").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(process_.signals.empty());
}

TEST_F(CrashTest, SignalsThatEndNothingAreRefused) {
  EXPECT_EQ(Arm("STOP").status().message(), "signal: SIGSTOP ends no process; use hang");
  EXPECT_EQ(Arm("SIGCONT").status().message(), "signal: SIGCONT ends no process");
  EXPECT_EQ(Arm("KIL").status().message(), "signal: unknown signal \"KIL\"; did you mean KILL?");
}

}  // namespace
}  // namespace squall

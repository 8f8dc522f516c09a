// Who is left when somebody dies, and how the guardian itself ends.
#include <signal.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/guardian/test/harness.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

using Case = guardian::v1::Event::EventCase;

pid_t SpawnDaemon(Harness& harness) {
  EXPECT_EQ(harness.Spawn("d/0", {"daemon"}).code(), 0);
  const pid_t daemon = std::stoi(harness.FirstLine("d/0").substr(7));
  EXPECT_TRUE(Eventually([&] { return Alive(daemon); }));
  return daemon;
}

TEST(DeathTest, TheAgentsExitCodeIsTheGuardians) {
  Harness harness;
  harness.ExitAgent(42);
  EXPECT_EQ(*harness.guardian->Wait(kPatience), 42);
}

TEST(DeathTest, TestModeNothingOutlivesTheAgentNotEvenADaemon) {
  Harness harness;
  SpawnDaemon(harness);
  ASSERT_EQ(harness.Spawn("a/0", {"deaf"}).code(), 0);
  harness.Kill(harness.agent);
  EXPECT_EQ(*harness.guardian->Wait(kUndone), 128 + SIGKILL);
  EXPECT_TRUE(harness.Survivors().empty());
}

TEST(DeathTest, TestModeNothingOutlivesTheAgentsExit) {
  Harness harness;
  SpawnDaemon(harness);
  ASSERT_EQ(harness.Spawn("a/0", {"stay"}).code(), 0);
  harness.ExitAgent(0);
  EXPECT_EQ(*harness.guardian->Wait(kPatience), 0);
  EXPECT_TRUE(harness.Survivors().empty());
}

TEST(DeathTest, AttachTargetsOutliveTheAgentAndTheGuardianWaitsForThem) {
  Harness harness({.attach = true});
  const pid_t target = harness.Spawn("a/0", {"stay"}).pid();
  harness.ExitAgent(3);
  ASSERT_TRUE(Eventually([&] { return !Alive(harness.agent); }));
  EXPECT_FALSE(harness.guardian->Wait(300 * kMillisecond).ok());
  EXPECT_TRUE(Alive(target));
  harness.Kill(target);
  EXPECT_EQ(*harness.guardian->Wait(kPatience), 3);
}

TEST(DeathTest, TestModeGuardianKilledLeavesNoTargetAndNoAgent) {
  Harness harness({.agent_flags = {"--stays"}});
  const pid_t target = harness.Spawn("a/0", {"stay"}).pid();
  harness.Kill(harness.guardian->pid());
  EXPECT_TRUE(Eventually([&] { return !Alive(target) && !Alive(harness.agent); }, kUndone));
}

TEST(DeathTest, KillTreeFindsTheDaemonThatAKilledGuardianLeft) {
  Harness harness;
  const pid_t daemon = SpawnDaemon(harness);
  harness.Kill(harness.guardian->pid());
  ASSERT_TRUE(Eventually([&] { return !Alive(harness.agent); }, kUndone));
  EXPECT_TRUE(Alive(daemon)) << "no parent-death signal reaches it";
  EXPECT_TRUE(KillTree(kPatience).ok());
  EXPECT_FALSE(Alive(daemon));
}

TEST(DeathTest, AttachGuardianKilledLeavesTheTargetRunning) {
  Harness harness({.attach = true, .agent_flags = {"--stays"}});
  const pid_t target = harness.Spawn("a/0", {"stay"}).pid();
  harness.Kill(harness.guardian->pid());
  EXPECT_TRUE(Eventually([&] { return !Alive(harness.agent); }, kUndone));
  EXPECT_TRUE(Alive(target));
  EXPECT_TRUE(Eventually([&] { return harness.Survivors() == std::vector<pid_t>{target}; }));
}

TEST(DeathTest, TestModeEndsAtOnceWhenWhoeverStartedItDies) {
  Harness harness({.agent_flags = {"--ignore_term"}});
  SpawnDaemon(harness);
  ASSERT_EQ(harness.Spawn("a/0", {"deaf"}).code(), 0);
  harness.guardian->CloseParentEnd();
  EXPECT_TRUE(harness.guardian->Wait(kUndone).ok());
  EXPECT_TRUE(harness.Survivors().empty());
}

TEST(DeathTest, AttachDoesNotCareWhenWhoeverStartedItDies) {
  Harness harness({.attach = true});
  const pid_t target = harness.Spawn("a/0", {"stay"}).pid();
  harness.guardian->CloseParentEnd();
  EXPECT_FALSE(harness.guardian->Wait(300 * kMillisecond).ok());
  EXPECT_TRUE(Alive(target) && Alive(harness.agent));
  EXPECT_EQ(harness.Signal("a/0", SIGKILL).code(), 0) << "and still serves";
}

TEST(DeathTest, EndTerminatesThenKillsAndTellsEveryExit) {
  Harness harness({.attach = true});
  SpawnDaemon(harness);
  ASSERT_EQ(harness.Spawn("polite/0", {"stay"}).code(), 0);
  ASSERT_EQ(harness.Spawn("deaf/0", {"deaf"}).code(), 0);
  ASSERT_EQ(harness.End().code(), 0);
  std::map<std::string, int> sent;
  for (int i = 0; i < 3; ++i) {
    const auto event = harness.Next(Case::kExited);
    ASSERT_TRUE(event.has_value());
    sent[event->exited().key()] = event->exited().sent_signal();
  }
  EXPECT_EQ(sent, (std::map<std::string, int>{{"d/0", SIGTERM}, {"polite/0", SIGTERM}, {"deaf/0", SIGKILL}}));
  EXPECT_EQ(*harness.guardian->Wait(kPatience), 91) << "the agent saw the channel close and left in its own way";
  EXPECT_TRUE(harness.Survivors().empty());
}

TEST(DeathTest, EndThawsFirstSoThatAHungTargetCanEndInPeace) {
  Harness harness;
  harness.lease->Extend(harness.clock.Now() + 600 * kSecond);
  ASSERT_EQ(harness.Spawn("a/0", {"stay"}).code(), 0);
  ASSERT_EQ(harness.Hang("a/0", 600 * kSecond).code(), 0);
  ASSERT_EQ(harness.End().code(), 0);
  EXPECT_EQ(harness.Next(Case::kExited)->exited().sent_signal(), SIGTERM);
}

TEST(DeathTest, NothingIsStartedOnceItIsEnding) {
  Harness harness;
  ASSERT_EQ(harness.Spawn("a/0", {"deaf"}).code(), 0);
  ASSERT_EQ(harness.End().code(), 0);
  EXPECT_THAT(harness.Spawn("b/0", {"stay"}, false).error(), ::testing::HasSubstr("ending"));
}

TEST(DeathTest, TermGoesToTheAgentWhichDrains) {
  Harness harness({.agent_flags = {"--on_term=17"}});
  ASSERT_TRUE(harness.guardian->Signal(SIGTERM).ok());
  EXPECT_EQ(*harness.guardian->Wait(kPatience), 17);
}

TEST(DeathTest, ASecondSignalEndsADeafAgentToo) {
  Harness harness({.attach = true, .agent_flags = {"--ignore_term", "--stays"}});
  ASSERT_EQ(harness.Spawn("a/0", {"stay"}).code(), 0);
  ASSERT_TRUE(harness.guardian->Signal(SIGTERM).ok());
  EXPECT_FALSE(harness.guardian->Wait(200 * kMillisecond).ok());
  ASSERT_TRUE(harness.guardian->Signal(SIGINT).ok());
  EXPECT_EQ(*harness.guardian->Wait(kPatience), 128 + SIGINT) << "by the second, not 5 s after the first";
  EXPECT_TRUE(harness.Survivors().empty());
}

TEST(DeathTest, FiveSecondsAfterTermADeafAgentIsEnded) {
  Harness harness({.agent_flags = {"--ignore_term"}});
  const int64_t asked = harness.clock.Now();
  ASSERT_TRUE(harness.guardian->Signal(SIGTERM).ok());
  EXPECT_TRUE(harness.guardian->Wait(kPatience).ok());
  EXPECT_GE(harness.clock.Now() - asked, 5 * kSecond);
  EXPECT_TRUE(harness.Survivors().empty());
}

TEST(LauncherTest, AMissingGuardianOrOutputIsAnError) {
  GuardianLaunch launch;
  launch.guardian = "/no/such/guardian";
  launch.agent_argv = {"x", "agent"};
  EXPECT_EQ(StartGuardian(launch).status().code(), absl::StatusCode::kNotFound);
  launch.output = "/no/such/dir/file";
  EXPECT_EQ(StartGuardian(launch).status().code(), absl::StatusCode::kNotFound);
}

TEST(LauncherTest, AMissingAgentIsExitCode127AndAMissingCommand2) {
  GuardianLaunch launch;
  launch.guardian = Runfile("targets/guardian/squall-guardian");
  launch.output = ::testing::TempDir() + "/launcher.log";
  launch.agent_argv = {"/no/such/agent", "agent"};
  EXPECT_EQ(*StartGuardian(launch)->Wait(kPatience), 127);
  EXPECT_THAT(ReadAll(launch.output), ::testing::HasSubstr("/no/such/agent"));
  launch.agent_argv = {"/no/such/agent"};
  EXPECT_EQ(*StartGuardian(launch)->Wait(kPatience), 2);
}

}  // namespace
}  // namespace squall

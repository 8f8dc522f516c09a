// Whoever of ours is killed while faults are armed on a hand-started target: the target runs on, thawed, without added
// latency, and nobody of ours is left who should not be. Absence is bounded by 4 x what is promised; `ci/bench kill`
// prints the times themselves.
#include <signal.h>

#include <functional>
#include <set>
#include <string>

#include "faults/core/clock.h"
#include "gtest/gtest.h"
#include "harness/cli/test/attach_rig.h"

namespace squall {
namespace {

constexpr double kDelayMs = 400;

void ArmHang(const AttachRig& rig) {
  const Ended armed = rig.Squall({"arm", "hang", "--on", "role=cache", "--for", "60s"});
  ASSERT_EQ(armed.code, 0) << armed.err;
  ASSERT_TRUE(Eventually([&] { return StateOf(rig.target()) == 'T'; }));
}

void ArmDelay(const AttachRig& rig) {
  const Ended armed =
      rig.Squall({"arm", "delay", "--on", "link=in", "--for", "60s", "latency=400ms", "direction=DOWNSTREAM"});
  ASSERT_EQ(armed.code, 0) << armed.err;
  ASSERT_GE(rig.PingThroughLink(), kDelayMs);
}

// Within `promised_ms` x 4.
bool Soon(double promised_ms, const std::function<bool()>& condition) {
  const RealClock clock;
  const int64_t until = clock.Now() + static_cast<int64_t>(4 * promised_ms * kMillisecond);
  while (clock.Now() < until) {
    if (condition()) return true;
  }
  return condition();
}

std::multiset<std::string> Commands(const AttachRig& rig) {
  std::multiset<std::string> commands;
  for (const pid_t pid : Descendants(rig.guardian())) commands.insert(CommandOf(pid));
  return commands;
}

TEST(KillAttach, AgentMidHang) {
  AttachRig rig;
  ArmHang(rig);
  rig.Kill(rig.agent());
  EXPECT_TRUE(Soon(500, [&] { return StateOf(rig.target()) != 'T'; }));
  EXPECT_TRUE(Alive(rig.target()));
  EXPECT_GE(rig.PingThroughLink(), 0) << "the relay goes on as a pipe";
  EXPECT_TRUE(Eventually([&] { return Commands(rig) == std::multiset<std::string>{"redis-server", "squall-relay"}; }));
}

TEST(KillAttach, AgentMidDelay) {
  AttachRig rig;
  ArmDelay(rig);
  rig.Kill(rig.agent());
  EXPECT_TRUE(Soon(500, [&] { return rig.PingThroughLink() < kDelayMs / 2; }));
  EXPECT_TRUE(Alive(rig.target()));
}

TEST(KillAttach, RelayMidDelay) {
  AttachRig rig;
  ArmDelay(rig);
  const pid_t first = rig.relay();
  rig.Kill(first);
  EXPECT_TRUE(Soon(500, [&] {
    const double ping = rig.PingThroughLink();
    return ping >= 0 && ping < kDelayMs / 2;
  })) << "the same address, without the fault";
  EXPECT_NE(rig.relay(), first);
  EXPECT_TRUE(Alive(rig.target()));
  EXPECT_TRUE(Eventually([&] { return rig.Squall({"list"}).out.find("no fault is armed") != std::string::npos; }));
}

TEST(KillAttach, GuardianMidHangAndDelay) {
  AttachRig rig;
  ArmDelay(rig);
  ArmHang(rig);
  const pid_t relay = rig.relay();
  rig.Kill(rig.guardian());
  EXPECT_TRUE(Soon(500, [&] { return StateOf(rig.target()) != 'T'; })) << "the kernel thaws it";
  EXPECT_TRUE(Eventually([&] { return !Alive(rig.agent()) && !Alive(relay); })) << "nobody beyond the target";
  EXPECT_TRUE(Alive(rig.target()));
  EXPECT_GE(rig.PingDirectly(), 0);
  EXPECT_LT(rig.PingDirectly(), kDelayMs / 2);
}

TEST(KillAttach, AgentAndGuardianMidHang) {
  AttachRig rig;
  ArmHang(rig);
  const pid_t relay = rig.relay();
  rig.Kill(rig.agent());
  rig.Kill(rig.guardian());
  EXPECT_TRUE(Soon(500, [&] { return StateOf(rig.target()) != 'T'; }));
  EXPECT_TRUE(Eventually([&] { return !Alive(rig.agent()) && !Alive(relay); }));
  EXPECT_TRUE(Alive(rig.target()));
  EXPECT_GE(rig.PingDirectly(), 0);
}

TEST(ByHand, LiftAndHaltEndFaultsAndHaltLatches) {
  AttachRig rig;
  ArmDelay(rig);
  const Ended lifted = rig.Squall({"lift", "delay-1"});
  EXPECT_EQ(lifted.code, 0) << lifted.err;
  EXPECT_LT(rig.PingThroughLink(), kDelayMs / 2);
  ArmHang(rig);
  EXPECT_EQ(rig.Squall({"halt"}).code, 0);
  EXPECT_TRUE(Eventually([&] { return StateOf(rig.target()) != 'T'; }));
  const Ended refused = rig.Squall({"arm", "hang", "--on", "role=cache", "--for", "1s"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("halt"), std::string::npos) << refused.err;
  EXPECT_EQ(rig.Squall({"halt", "--clear"}).code, 0);
  EXPECT_EQ(rig.Squall({"arm", "hang", "--on", "role=cache", "--for", "1s"}).code, 0);
  EXPECT_TRUE(Eventually([&] { return StateOf(rig.target()) != 'T'; })) << "it ends by itself";
}

TEST(ByHand, WhatDoesNotExistIsRefusedByName) {
  AttachRig rig;
  const Ended nobody = rig.Squall({"arm", "hang", "--on", "role=nobody", "--for", "1s"});
  EXPECT_NE(nobody.code, 0);
  EXPECT_NE(nobody.err.find("nobody"), std::string::npos) << nobody.err;
  const Ended nowhere = rig.Squall({"arm", "delay", "--on", "link=out", "--for", "1s", "latency=1s"});
  EXPECT_NE(nowhere.code, 0);
  EXPECT_NE(nowhere.err.find("out"), std::string::npos) << nowhere.err;
  EXPECT_NE(rig.Squall({"arm", "hang", "--on", "role=cache", "--for", "16m"}).code, 0) << "15 min at most";
  EXPECT_NE(rig.Squall({"lift", "nothing"}).code, 0);
}

}  // namespace
}  // namespace squall

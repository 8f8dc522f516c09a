// A fleet over the real guardian with real processes. The test starts a guardian whose agent is the test itself.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "faults/core/lease.h"
#include "targets/guardian/client.h"
#include "targets/guardian/launcher.h"
#include "targets/process/fleet_harness.h"
#include "targets/process/guardian_spawner.h"

namespace squall {
namespace {

int guardian_fd = -1;
int lease_fd = -1;
std::string program;

// The channel is the process's one and outlives the tests.
class GuardedFleetTest : public FleetHarness {
 protected:
  static GuardianClient* Client() {
    static auto* const client = [] {
      GuardianClient::Events events;
      events.exited = [](const guardian::v1::Exited& exited) {
        if (now != nullptr && now->fleet_.has_value()) {
          now->fleet_->OnExited(exited.key(), exited.pid(), exited.wait_status(), exited.sent_signal(), exited.at_ns(),
                                static_cast<double>(exited.cpu_ns()) / kSecond);
        }
      };
      return new GuardianClient(guardian_fd, std::move(events));
    }();
    return client;
  }
  static LeasePage* Lease() {
    static auto* const lease = new LeasePage(*LeasePage::Map(lease_fd));
    return lease;
  }

  GuardedFleetTest() {
    now = this;
    Lease()->Extend(clock_.Now() + 60 * kSecond);
    loop_.Watch(Client()->fd(), EPOLLIN, [](uint32_t) { Client()->OnReadable(); });
    fleet_.emplace(Options(&real_));
  }
  ~GuardedFleetTest() override {
    bool ended = false;
    fleet_->EndAll(0, [&] { ended = true; });
    EXPECT_TRUE(Until([&] { return ended; }));
    loop_.Unwatch(Client()->fd());
    now = nullptr;
  }
  TargetSpec Target(const std::string& role, std::vector<std::string> argv, uint32_t count = 1) {
    TargetSpec spec = Spec(role, count);
    spec.argv = {"${bin.target}"};
    spec.argv.insert(spec.argv.end(), argv.begin(), argv.end());
    return spec;
  }
  void Start(std::vector<TargetSpec> specs) {
    ASSERT_EQ(fleet_->Open(std::move(specs)), absl::OkStatus());
    ASSERT_EQ(fleet_->Begin({{"bin.target", program}}), absl::OkStatus());
  }

  inline static GuardedFleetTest* now = nullptr;
  GuardianSpawner real_{Client()};
};

TEST_F(GuardedFleetTest, AServerServesOnItsPortThroughCrashAndRestart) {
  TargetSpec spec = Target("server", {"serve", "${port}"}, 3);
  spec.ready = {.how = Readiness::TCP_CONNECT};
  spec.restart.when = RestartPolicy::ON_CRASH;
  Start({spec});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(UntilHeard("ready server/" + std::to_string(i)));
  ProcessSeam* process = fleet_->Process("server/1");
  for (uint32_t incarnation = 1; incarnation < 4; ++incarnation) {
    ASSERT_EQ(process->Look().incarnation, incarnation);
    ASSERT_EQ(process->Signal(SIGKILL), absl::OkStatus());
    ASSERT_TRUE(Until([&] { return fleet_->Find("server/1")->incarnation > incarnation; }));
    EXPECT_EQ(process->Look().exit_signal, SIGKILL);
    ASSERT_TRUE(Until([&] { return fleet_->Find("server/1")->ready; })) << "the same port again";
  }
  EXPECT_EQ(Count("exited server/1 by us 9"), 3u);
  EXPECT_EQ(Count("started server/0"), 1u);
}

TEST_F(GuardedFleetTest, OutputIsReadFromTheFile) {
  TargetSpec spec = Target("server", {"serve", "${port}"});
  spec.ready = {.how = Readiness::LOG_LINE, .regex = "^serving$"};
  spec.events = {{"bye", "^bye$"}};
  Start({spec});
  ASSERT_TRUE(UntilHeard("ready server/0"));
  ASSERT_TRUE(fleet_->InstancesOf("server")->DrainSome(1, 0, 20 * kSecond).ok());
  ASSERT_TRUE(UntilHeard("exited server/0 by us 0 wanted"));
  EXPECT_LT(PlaceOf("event server/0 bye 1"), PlaceOf("exited server/0 by us 0 wanted"));
}

TEST_F(GuardedFleetTest, AllThatAShortLivedTargetWroteIsSeen) {
  TargetSpec spec = Target("burst", {"burst", "50000"});
  spec.events = {{"line", "line"}};
  Start({spec});
  ASSERT_TRUE(UntilHeard("exited burst/0 by itself 0"));
  EXPECT_EQ(Count("event burst/0 line 1"), 50000u);
}

TEST_F(GuardedFleetTest, AStoppedTargetIsSeenStoppedAndHearsTermAtTheEnd) {
  TargetSpec spec = Target("server", {"serve", "${port}"});
  spec.ready = {.how = Readiness::TCP_CONNECT};
  Start({spec});
  ASSERT_TRUE(UntilHeard("ready server/0"));
  ProcessSeam* process = fleet_->Process("server/0");
  ASSERT_EQ(process->Stop(clock_.Now() + 30 * kSecond), absl::OkStatus());
  EXPECT_TRUE(Until([&] { return process->Look().stopped; }));
  ASSERT_EQ(process->Continue(), absl::OkStatus());
  EXPECT_TRUE(Until([&] { return !process->Look().stopped; }));
  ASSERT_EQ(process->Stop(clock_.Now() + 30 * kSecond), absl::OkStatus());
  bool ended = false;
  fleet_->EndAll(20 * kSecond, [&] { ended = true; });
  ASSERT_TRUE(Until([&] { return ended; }));
  EXPECT_TRUE(Heard("exited server/0 by us 0 wanted")) << "it could say goodbye";
}

TEST_F(GuardedFleetTest, TheDeafAreKilled) {
  TargetSpec spec = Target("deaf", {"deaf"}, 2);
  spec.ready = {.how = Readiness::LOG_LINE, .regex = "deaf"};
  Start({spec});
  ASSERT_TRUE(UntilHeard("ready deaf/0"));
  ASSERT_TRUE(UntilHeard("ready deaf/1"));
  bool ended = false;
  fleet_->EndAll(50 * kMillisecond, [&] { ended = true; });
  ASSERT_TRUE(Until([&] { return ended; }));
  EXPECT_TRUE(Heard("exited deaf/0 by us 9 wanted"));
}

TEST_F(GuardedFleetTest, WhatCannotRunSaysWhy) {
  TargetSpec missing = Target("missing", {});
  missing.argv = {"/no/such/program"};
  TargetSpec broken = Target("broken", {"exit", "3"});
  broken.ready = {.how = Readiness::TCP_CONNECT};
  Start({missing, broken});
  ASSERT_TRUE(UntilHeard("failed broken/0"));
  ASSERT_EQ(errors_.size(), 2u);
  EXPECT_NE(errors_[0].find("/no/such/program"), std::string::npos) << errors_[0];
  EXPECT_EQ(errors_[1], "broken/0 ended with code 3 before it was ready; its last lines:\nexiting with 3");
}

TEST_F(GuardedFleetTest, UsageIsThatOfTheProcess) {
  TargetSpec spec = Target("server", {"serve", "${port}"});
  spec.ready = {.how = Readiness::TCP_CONNECT};
  Start({spec});
  ASSERT_TRUE(UntilHeard("ready server/0"));
  const InstanceUsage usage = fleet_->Usage("server/0");
  EXPECT_GT(usage.rss_bytes, 100e3);
  EXPECT_GE(usage.fds, 4) << "three and its listener";
}

// The test as its own agent: a guardian starts it again with its channel.
int RunUnderGuardian(char** argv) {
  GuardianLaunch launch;
  const std::string runfiles = std::string(getenv("TEST_SRCDIR")) + "/" + getenv("TEST_WORKSPACE") + "/";
  launch.guardian = runfiles + "targets/guardian/squall-guardian";
  launch.agent_argv = {"/proc/self/exe", "agent", "--target=" + runfiles + "targets/process/test_target"};
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  launch.agent_argv[0] = std::string(self, length > 0 ? length : 0);
  for (char** argument = argv + 1; *argument != nullptr; ++argument) launch.agent_argv.push_back(*argument);
  auto guardian = StartGuardian(launch);
  if (!guardian.ok()) {
    fprintf(stderr, "%s\n", guardian.status().ToString().c_str());
    return 1;
  }
  const auto code = guardian->Wait(300 * kSecond);
  return code.ok() ? *code : 1;
}

}  // namespace
}  // namespace squall

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const std::string value(flag.substr(flag.find('=') + 1));
    if (flag.starts_with("--guardian_fd=")) squall::guardian_fd = std::stoi(value);
    if (flag.starts_with("--lease_fd=")) squall::lease_fd = std::stoi(value);
    if (flag.starts_with("--target=")) squall::program = value;
  }
  if (squall::guardian_fd < 0) return squall::RunUnderGuardian(argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

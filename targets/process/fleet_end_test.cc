// How a fleet's instances are hurt, end, and come back.
#include <signal.h>

#include <string>

#include "targets/process/fleet.h"
#include "targets/process/fleet_harness.h"

namespace squall {
namespace {

using Strings = std::vector<std::string>;
using Calls = std::vector<std::pair<std::string, std::string>>;

class FleetEndTest : public FleetHarness {};

TEST_F(FleetEndTest, CausesTellOurDoingFromTheirs) {
  TargetSpec spec = Spec("node");
  spec.restart.when = RestartPolicy::ALWAYS;
  Begin({spec});
  const auto end = [&](const std::function<void()>& how) {
    ASSERT_TRUE(Until([&] { return fleet_->Find("node/0")->pid != 0; }));
    heard_.clear();
    how();
    ASSERT_FALSE(heard_.empty());
    heard_.resize(1);
  };
  end([&] { EndsBySignal("node/0", SIGSEGV); });
  EXPECT_EQ(heard_, Strings{"exited node/0 by signal 11"});
  end([&] { EndsBySignal("node/0", SIGKILL, SIGKILL); });
  EXPECT_EQ(heard_, Strings{"exited node/0 by us 9"});
  end([&] { EndsBySignal("node/0", SIGSEGV, SIGTERM); });
  EXPECT_EQ(heard_, Strings{"exited node/0 by signal 11"}) << "crashed by itself though TERM was sent";
  end([&] { EndsWithCode("node/0", 0); });
  EXPECT_EQ(heard_, Strings{"exited node/0 by itself 0"});
  end([&] { EndsWithCode("node/0", 7, SIGUSR1); });
  EXPECT_EQ(heard_, Strings{"exited node/0 by itself 7"});
}

TEST_F(FleetEndTest, OnCrashRestartsAfterCrashesOnly) {
  TargetSpec spec = Spec("node");
  spec.restart.when = RestartPolicy::ON_CRASH;
  Begin({spec});
  EndsWithCode("node/0", 1);
  ASSERT_TRUE(Until([&] { return Count("started node/0") == 2; }));
  EndsBySignal("node/0", SIGKILL, SIGKILL);
  ASSERT_TRUE(Until([&] { return Count("started node/0") == 3; }));
  EXPECT_EQ(fleet_->Find("node/0")->incarnation, 3u);
  EXPECT_EQ(spawner_.spawned[2].argv, spawner_.spawned[0].argv);
  EndsWithCode("node/0", 0);
  RunFor(60 * kMillisecond);
  EXPECT_EQ(Count("started node/0"), 3u);
}

TEST_F(FleetEndTest, NeverMeansNever) {
  Begin({Spec("node")});
  EndsBySignal("node/0", SIGSEGV);
  RunFor(60 * kMillisecond);
  EXPECT_EQ(Count("started node/0"), 1u);
}

TEST_F(FleetEndTest, RestartsAreLimited) {
  TargetSpec spec = Spec("node");
  spec.restart = {.when = RestartPolicy::ALWAYS, .at_most = 2};
  Begin({spec});
  for (size_t starts = 1; starts <= 3; ++starts) {
    ASSERT_TRUE(Until([&] { return Count("started node/0") == starts; }));
    EndsBySignal("node/0", SIGSEGV);
  }
  RunFor(60 * kMillisecond);
  EXPECT_EQ(Count("started node/0"), 3u);
}

TEST_F(FleetEndTest, ARestartWaitsItsDelayWithinItsJitter) {
  TargetSpec spec = Spec("node", 8);
  spec.restart = {.when = RestartPolicy::ALWAYS, .after_ns = 200 * kMillisecond, .jitter = 0.5};
  Begin({spec});
  const int64_t ended = clock_.Now();
  for (int i = 0; i < 8; ++i) EndsBySignal("node/" + std::to_string(i), SIGSEGV);
  heard_.clear();
  ASSERT_TRUE(Until([&] { return !heard_.empty(); }));
  EXPECT_GE(clock_.Now() - ended, 100 * kMillisecond);
  ASSERT_TRUE(Until([&] { return heard_.size() >= 16; }));  // started and ready
  Strings order;
  for (const SpawnRequest& request : spawner_.spawned) order.push_back(request.key);
  order.erase(order.begin(), order.begin() + 8);
  EXPECT_NE(order, (Strings{"node/0", "node/1", "node/2", "node/3", "node/4", "node/5", "node/6", "node/7"}));
}

TEST_F(FleetEndTest, StartedLaterInstancesGetTheNextNames) {
  TargetSpec spec = Spec("mega", 1);
  spec.ready = {.how = Readiness::LOG_LINE, .regex = "up"};
  spec.labels = {{{"n", "0"}}, {{"n", "1"}}};
  Begin({spec});
  InstancesSeam* megas = fleet_->InstancesOf("mega");
  const auto names = megas->StartMore(2);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(*names, (Strings{"mega/1", "mega/2"}));
  EXPECT_EQ(fleet_->Find("mega/1")->labels.at("n"), "1");
  EXPECT_FALSE(megas->Ready("mega/1"));
  spawner_.Write("mega/1", "up\n");
  EXPECT_TRUE(Until([&] { return megas->Ready("mega/1"); }));
  EXPECT_EQ(fleet_->InstancesOf("nobody"), nullptr);
}

TEST_F(FleetEndTest, MoreThatCannotAllBeStartedAreNotStarted) {
  ObeySignals();
  Begin({Spec("mega", 0)});
  InstancesSeam* megas = fleet_->InstancesOf("mega");
  spawner_.spawn_error = absl::ResourceExhaustedError("no more processes");
  EXPECT_EQ(megas->StartMore(1).status().message(), "mega/0 could not be started");
  EXPECT_TRUE(fleet_->Instances().empty());
  spawner_.spawn_error = absl::OkStatus();
  EXPECT_EQ(*megas->StartMore(1), Strings{"mega/0"});
}

TEST_F(FleetEndTest, NobodyIsStartedBeforeTheirRole) {
  TargetSpec base = Spec("base");
  base.ready = {.how = Readiness::LOG_LINE, .regex = "up"};
  TargetSpec mega = Spec("mega", 0);
  mega.needs = {"base"};
  Begin({base, mega});
  EXPECT_EQ(fleet_->InstancesOf("mega")->StartMore(1).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(FleetEndTest, DrainingEndsTheHighestOneAfterTheOther) {
  ObeySignals();
  TargetSpec spec = Spec("mega", 5);
  spec.restart.when = RestartPolicy::ALWAYS;
  Begin({spec});
  InstancesSeam* megas = fleet_->InstancesOf("mega");
  const int64_t from = clock_.Now();
  const auto names = megas->DrainSome(3, 300 * kMillisecond, kSecond);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(*names, (Strings{"mega/4", "mega/3", "mega/2"}));
  EXPECT_TRUE(fleet_->Find("mega/2")->drained);
  ASSERT_TRUE(UntilHeard("exited mega/4 by us 15 wanted"));
  ASSERT_TRUE(UntilHeard("exited mega/3 by us 15 wanted"));
  EXPECT_GE(clock_.Now() - from, 100 * kMillisecond);
  ASSERT_TRUE(Until([&] { return megas->Ended("mega/2"); }));
  EXPECT_GE(clock_.Now() - from, 200 * kMillisecond);
  EXPECT_FALSE(megas->Ended("mega/1"));
  RunFor(60 * kMillisecond);
  EXPECT_EQ(Count("started mega/4"), 1u) << "no restart whatever the policy says";
  EXPECT_FALSE(megas->DrainSome(3, 0, 0).ok()) << "two run";
  EXPECT_EQ(*megas->DrainSome(2, 0, 0), (Strings{"mega/1", "mega/0"}));
}

TEST_F(FleetEndTest, ADrainedInstanceThatCrashesBeforeItsTurnStaysDown) {
  TargetSpec spec = Spec("mega", 2);
  spec.restart.when = RestartPolicy::ALWAYS;
  Begin({spec});
  ASSERT_TRUE(fleet_->InstancesOf("mega")->DrainSome(2, 3600 * kSecond, 0).ok());
  EndsBySignal("mega/0", SIGSEGV);
  EXPECT_TRUE(Heard("exited mega/0 by signal 11"));
  RunFor(60 * kMillisecond);
  EXPECT_EQ(Count("started mega/0"), 1u);
}

TEST_F(FleetEndTest, WhoIsDeafToTermIsKilledAfterItsGrace) {
  spawner_.on_signal = [this](const std::string& key, int signo) {
    if (signo == SIGKILL) loop_.After(0, [this, key] { EndsBySignal(key, SIGKILL, SIGKILL); });
  };
  Begin({Spec("deaf")});
  const int64_t from = clock_.Now();
  ASSERT_TRUE(fleet_->InstancesOf("deaf")->DrainSome(1, 0, 100 * kMillisecond).ok());
  ASSERT_TRUE(UntilHeard("exited deaf/0 by us 9 wanted"));
  EXPECT_GE(clock_.Now() - from, 100 * kMillisecond);
  EXPECT_EQ(spawner_.calls, (Calls{{"deaf/0", "continue"}, {"deaf/0", "15"}, {"deaf/0", "9"}}));
}

TEST_F(FleetEndTest, EndAllEndsAllAndCallsBackOnce) {
  ObeySignals();
  TargetSpec a = Spec("a", 3);
  a.restart.when = RestartPolicy::ALWAYS;
  TargetSpec late = Spec("late");
  late.needs = {"never"};
  TargetSpec never = Spec("never");
  never.ready = {.how = Readiness::LOG_LINE, .regex = "x"};
  Begin({a, never, late});
  EndsBySignal("a/1", SIGSEGV);  // its restart is pending
  int called = 0;
  fleet_->EndAll(kSecond, [&] { ++called; });
  EXPECT_EQ(called, 0);
  ASSERT_TRUE(Until([&] { return called == 1; }));
  RunFor(100 * kMillisecond);
  EXPECT_EQ(called, 1);
  for (const InstanceInfo& info : fleet_->Instances()) EXPECT_EQ(info.pid, 0) << info.name;
  EXPECT_EQ(Count("started a/1"), 1u);
  EXPECT_FALSE(Heard("started late/0"));
  EXPECT_FALSE(Heard("failed never/0")) << "ended on purpose before it was ready";
  EXPECT_FALSE(fleet_->InstancesOf("a")->StartMore(1).ok());
}

TEST_F(FleetEndTest, EndAllOfNothingCallsBackToo) {
  fleet_.emplace(Options(&spawner_));
  bool called = false;
  fleet_->EndAll(0, [&] {
    called = true;
    fleet_.reset();  // the owner may be done with it
  });
  EXPECT_TRUE(Until([&] { return called; }));
}

TEST_F(FleetEndTest, TheProcessSeamReachesItsInstance) {
  Begin({Spec("node", 2)});
  ProcessSeam* process = fleet_->Process("node/1");
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(fleet_->Process("node/2"), nullptr);
  EXPECT_EQ(fleet_->Process("node"), nullptr);
  EXPECT_TRUE(process->Look().running);
  EXPECT_EQ(process->Look().incarnation, 1u);
  EXPECT_TRUE(process->Signal(SIGUSR1).ok());
  EXPECT_TRUE(process->Stop(clock_.Now() + 50 * kMillisecond).ok());
  EXPECT_TRUE(fleet_->Find("node/1")->stopped);
  EXPECT_TRUE(Until([&] { return !fleet_->Find("node/1")->stopped; })) << "the guardian thaws it at the deadline";
  EXPECT_TRUE(process->Continue().ok());
  EXPECT_EQ(spawner_.calls, (Calls{{"node/1", "10"}, {"node/1", "stop"}, {"node/1", "continue"}}));
  EndsBySignal("node/1", SIGABRT);
  EXPECT_FALSE(process->Look().running);
  EXPECT_EQ(process->Look().exit_signal, SIGABRT);
  EXPECT_EQ(process->Signal(SIGKILL).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(process->Stop(clock_.Now() + kSecond).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(process->Continue().ok()) << "what has ended is stopped no more";
}

TEST_F(FleetEndTest, AnEndThatIsNotKnownYetIsNoTarget) {
  Begin({Spec("node")});
  spawner_.Forget("node/0");  // its Exited is on the way
  EXPECT_EQ(fleet_->Process("node/0")->Signal(SIGKILL).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(FleetEndTest, NewsOfOthersIsNotTaken) {
  Begin({Spec("node")});
  EXPECT_FALSE(fleet_->OnExited("relay/im", 1, 0, 0, clock_.Now(), 0));
  EXPECT_TRUE(fleet_->OnExited("node/0", spawner_.pid("node/0") + 1, 0, 0, clock_.Now(), 0));
  EXPECT_TRUE(fleet_->Process("node/0")->Look().running) << "another incarnation's end";
}

TEST_F(FleetEndTest, CpuOfEndedIncarnationsIsKept) {
  TargetSpec spec = Spec("node");
  spec.restart.when = RestartPolicy::ALWAYS;
  Begin({spec});
  EndsBySignal("node/0", SIGSEGV);
  ASSERT_TRUE(Until([&] { return Count("started node/0") == 2; }));
  EndsBySignal("node/0", SIGSEGV);
  EXPECT_DOUBLE_EQ(fleet_->TotalCpuSeconds(), 1.0);
  EXPECT_EQ(fleet_->Usage("node/0").rss_bytes, 0);
  EXPECT_EQ(fleet_->Usage("nobody").fds, 0);
}

}  // namespace
}  // namespace squall

// How a fleet starts: order, references, readiness, output.
#include "targets/process/fleet.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "targets/process/fleet_harness.h"

namespace squall {
namespace {

class FleetTest : public FleetHarness {
 protected:
  std::string OpenError(const TargetSpec& spec) {
    Fleet fleet(Options(&spawner_));
    return std::string(fleet.Open({spec}).message());
  }
  std::string BeginError(const TargetSpec& spec, const std::map<std::string, std::string>& variables = {}) {
    Fleet fleet(Options(&spawner_));
    EXPECT_EQ(fleet.Open({spec}), absl::OkStatus());
    return std::string(fleet.Begin(variables).message());
  }
};

TEST_F(FleetTest, ARoleStartsOnceAllInstancesItNeedsAreReady) {
  TargetSpec base = Spec("base", 2);
  base.ready = {.how = Readiness::LOG_LINE, .regex = "up"};
  TargetSpec middle = Spec("middle");
  middle.needs = {"base"};
  TargetSpec top = Spec("top");
  top.needs = {"middle", "base", "elsewhere"};
  Begin({top, middle, base});
  EXPECT_EQ(spawner_.spawned.size(), 2u) << "several instances in parallel";
  spawner_.Write("base/0", "up\n");
  ASSERT_TRUE(UntilHeard("ready base/0"));
  RunFor(50 * kMillisecond);
  EXPECT_FALSE(Heard("started middle/0"));
  spawner_.Write("base/1", "up\n");
  ASSERT_TRUE(UntilHeard("ready top/0"));
  EXPECT_LT(PlaceOf("ready base/1"), PlaceOf("started middle/0"));
  EXPECT_LT(PlaceOf("ready middle/0"), PlaceOf("started top/0"));
}

TEST_F(FleetTest, ReferencesAreFilledInEverywhere) {
  TargetSpec spec = Spec("node", 2);
  spec.ports = {"main", "admin"};
  spec.common_labels = {{"zone", "a"}, {"version", "old"}};
  spec.labels = {{{"version", "new"}}};
  spec.argv = {"${bin.node}",
               "--port=${port}",
               "--admin=${port.admin}",
               "--zone=${label.zone}",
               "--id=${role}.${index}",
               "--version=${label.version}",
               "--peer=${link.im.address}"};
  spec.env = {{"HOME", "${dir}"}};
  Begin({spec}, {{"bin.node", "/opt/node"}, {"link.im.address", "127.0.0.1:9"}});
  ASSERT_EQ(spawner_.spawned.size(), 2u);
  const SpawnRequest& second = spawner_.spawned[1];
  const InstanceInfo& info = *fleet_->Find("node/1");
  EXPECT_EQ(second.key, "node/1");
  EXPECT_EQ(second.argv[0], "/opt/node");
  EXPECT_EQ("127.0.0.1:" + second.argv[1].substr(7), info.ports.at("main"));
  EXPECT_EQ("127.0.0.1:" + second.argv[2].substr(8), info.ports.at("admin"));
  EXPECT_EQ(second.argv[3], "--zone=a");
  EXPECT_EQ(second.argv[4], "--id=node.1");
  EXPECT_EQ(second.argv[5], "--version=old");
  EXPECT_EQ(spawner_.spawned[0].argv[5], "--version=new");
  EXPECT_EQ(second.argv[6], "--peer=127.0.0.1:9");
  EXPECT_EQ(second.cwd, directory_ + "/node.1");
  EXPECT_EQ(second.env[0], "HOME=" + directory_ + "/node.1");
  EXPECT_TRUE(absl::StartsWith(second.env[1], "PATH=")) << "and nothing else of our own environment";
  EXPECT_EQ(second.env.size(), 2u);
  EXPECT_EQ(second.output, directory_ + "/node.1.log");
  EXPECT_EQ(access(second.cwd.c_str(), W_OK), 0);
}

TEST_F(FleetTest, EveryPortIsItsInstancesAlone) {
  TargetSpec spec = Spec("node", 20);
  spec.ports = {"a", "b"};
  Begin({spec});
  std::set<std::string> addresses;
  for (const InstanceInfo& info : fleet_->Instances()) {
    for (const auto& [name, address] : info.ports) addresses.insert(address);
  }
  EXPECT_EQ(addresses.size(), 40u);
}

TEST_F(FleetTest, FixedPortsAreTakenAsTheyAre) {
  TargetSpec spec = Spec("node");
  spec.fixed_ports = {{"port", "127.0.0.1:6379"}};
  spec.argv = {"x", "${port}"};
  Begin({spec});
  EXPECT_EQ(spawner_.spawned[0].argv[1], "6379");
}

TEST_F(FleetTest, AnUnknownReferenceIsNamedBeforeAnythingStarts) {
  TargetSpec spec = Spec("node", 2);
  spec.argv = {"x", "--to=${link.im.adress}"};
  EXPECT_EQ(BeginError(spec, {{"link.im.address", "a"}}),
            "target node/0: argv[1]: nothing is known as ${link.im.adress}; did you mean ${link.im.address}?");
  spec.argv = {"x"};
  spec.env = {{"A", "${nothing}"}};
  EXPECT_EQ(BeginError(spec), "target node/0: env.A: nothing is known as ${nothing}");
  spec.env.clear();
  spec.argv = {"x", "${label.version}"};
  spec.labels = {{{"version", "1"}}};  // of index 0 alone
  EXPECT_EQ(BeginError(spec), "target node/1: argv[1]: nothing is known as ${label.version}");
  spec.count = 0;  // nobody starts yet
  spec.labels.clear();
  EXPECT_EQ(BeginError(spec), "target node/0: argv[1]: nothing is known as ${label.version}");
  EXPECT_TRUE(spawner_.spawned.empty());
}

TEST_F(FleetTest, SpecsThatCannotWorkAreRefusedAtOnce) {
  TargetSpec spec = Spec("node");
  spec.ready.how = Readiness::GRPC_HEALTH;
  EXPECT_EQ(OpenError(spec), "role node: ready: gRPC health is not asked for here");
  spec = Spec("node");
  spec.events = {{"e", "("}};
  EXPECT_EQ(OpenError(spec), "role node: events.e: missing ): (");
  spec = Spec("node");
  spec.needs = {"node"};
  EXPECT_EQ(OpenError(spec), "role node: needs: a cycle: node needs node");
}

TEST_F(FleetTest, ARefusedSpecAddsNothing) {
  fleet_.emplace(Options(&spawner_));
  TargetSpec bad = Spec("bad");
  bad.events = {{"e", "("}};
  EXPECT_FALSE(fleet_->Open({Spec("good"), bad}).ok());
  EXPECT_TRUE(fleet_->Instances().empty());
  EXPECT_TRUE(fleet_->Open({Spec("good")}).ok());
}

TEST_F(FleetTest, ALineMakesReadyOnceItIsWhole) {
  TargetSpec spec = Spec("node");
  spec.ready = {.how = Readiness::LOG_LINE, .regex = "accept connections$"};
  Begin({spec});
  spawner_.Write("node/0", "starting\nReady to accept conn");
  RunFor(60 * kMillisecond);
  EXPECT_FALSE(fleet_->Find("node/0")->ready);
  spawner_.Write("node/0", "ections\n");
  EXPECT_TRUE(UntilHeard("ready node/0"));
}

// The line of an earlier life, or of an earlier run in the same directory, says nothing about this one.
TEST_F(FleetTest, AnEarlierIncarnationsLineMakesNobodyReady) {
  TargetSpec spec = Spec("node");
  spec.ready = {.how = Readiness::LOG_LINE, .regex = "up"};
  spec.restart.when = RestartPolicy::ALWAYS;
  {
    UniqueFd old(open((directory_ + "/node.0.log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(write(old.get(), "up\n", 3), 3);
  }
  Begin({spec});
  RunFor(60 * kMillisecond);
  EXPECT_FALSE(fleet_->Find("node/0")->ready);
  spawner_.Write("node/0", "up\n");
  ASSERT_TRUE(UntilHeard("ready node/0"));
  spawner_.Write("node/0", "up\nhalf a line");
  EndsBySignal("node/0", SIGSEGV);
  ASSERT_TRUE(Until([&] { return fleet_->Find("node/0")->incarnation == 2; }));
  RunFor(60 * kMillisecond);
  EXPECT_FALSE(fleet_->Find("node/0")->ready);
  spawner_.Write("node/0", "up\n");
  EXPECT_TRUE(Until([&] { return fleet_->Find("node/0")->ready; }));
}

TEST_F(FleetTest, APortThatAcceptsMakesReady) {
  TargetSpec spec = Spec("node");
  spec.ready = {.how = Readiness::TCP_CONNECT};
  Begin({spec});
  RunFor(60 * kMillisecond);
  EXPECT_FALSE(fleet_->Find("node/0")->ready);
  int port = 0;
  const std::string address = fleet_->Find("node/0")->ports.at("port");
  ASSERT_TRUE(absl::SimpleAtoi(address.substr(address.find(':') + 1), &port));
  UniqueFd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(server.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<uint16_t>(port));
  ASSERT_EQ(bind(server.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  ASSERT_EQ(listen(server.get(), 8), 0);
  EXPECT_TRUE(UntilHeard("ready node/0"));
}

TEST_F(FleetTest, HealthIsAskedUntilItIsGood) {
  TargetSpec spec = Spec("node");
  spec.ports = {"http", "grpc"};
  spec.ready = {.how = Readiness::GRPC_HEALTH, .port = "grpc", .service = "s"};
  std::string asked;
  int times = 0;
  std::function<void(absl::Status)> answer;
  Fleet::Options options = Options(&spawner_);
  options.grpc_health = [&](const std::string& address, const std::string& service, int64_t timeout_ns, auto done) {
    asked = address + " " + service;
    EXPECT_GT(timeout_ns, 0);
    ++times;
    answer = done;
  };
  fleet_.emplace(std::move(options));
  ASSERT_EQ(fleet_->Open({spec}), absl::OkStatus());
  ASSERT_EQ(fleet_->Begin({}), absl::OkStatus());
  EXPECT_EQ(asked, fleet_->Find("node/0")->ports.at("grpc") + " s");
  RunFor(60 * kMillisecond);
  EXPECT_EQ(times, 1) << "not again before the answer";
  answer(absl::UnavailableError("connecting"));
  ASSERT_TRUE(Until([&] { return times == 2; }));
  answer(absl::OkStatus());
  EXPECT_TRUE(Heard("ready node/0"));
  const auto late = answer;
  fleet_.reset();
  late(absl::OkStatus());  // an answer that comes after us is nobody's
}

TEST_F(FleetTest, NotReadyInTimeIsSaidOnceWithTheLastLinesAndStillWaitedFor) {
  TargetSpec spec = Spec("node");
  spec.ready = {.how = Readiness::LOG_LINE, .regex = "up", .within_ns = 60 * kMillisecond};
  Begin({spec});
  spawner_.Write("node/0", "cannot open /data\nretrying\n");
  ASSERT_TRUE(UntilHeard("failed node/0"));
  EXPECT_EQ(errors_[0], "node/0 was not ready within 60ms; its last lines:\ncannot open /data\nretrying");
  RunFor(150 * kMillisecond);
  EXPECT_EQ(Count("failed node/0"), 1u);
  spawner_.Write("node/0", "up\n");
  EXPECT_TRUE(UntilHeard("ready node/0"));
}

TEST_F(FleetTest, AnEndBeforeReadyIsSaidWithTheLastLines) {
  TargetSpec spec = Spec("node");
  spec.ready = {.how = Readiness::LOG_LINE, .regex = "up"};
  Begin({spec});
  spawner_.Write("node/0", "bad flag --x\n");
  EndsWithCode("node/0", 2);
  EXPECT_EQ(heard_, (std::vector<std::string>{"started node/0", "exited node/0 by itself 2", "failed node/0"}));
  EXPECT_EQ(errors_[0], "node/0 ended with code 2 before it was ready; its last lines:\nbad flag --x");
}

TEST_F(FleetTest, WhatCannotBeSpawnedIsAFailureWithItsReason) {
  spawner_.spawn_error = absl::NotFoundError("/bin/node: no such file");
  Begin({Spec("node")});
  EXPECT_EQ(heard_, std::vector<std::string>{"failed node/0"});
  EXPECT_EQ(errors_[0], "node/0 could not be started: /bin/node: no such file");
  EXPECT_EQ(fleet_->Find("node/0")->incarnation, 0u);
}

TEST_F(FleetTest, AJobIsReadyWhenItIsDone) {
  TargetSpec job = Spec("setup");
  job.job = true;
  job.restart.when = RestartPolicy::ALWAYS;
  TargetSpec node = Spec("node");
  node.needs = {"setup"};
  Begin({job, node});
  RunFor(60 * kMillisecond);
  EXPECT_FALSE(Heard("started node/0"));
  EndsWithCode("setup/0", 0);
  ASSERT_TRUE(UntilHeard("started node/0"));
  EXPECT_TRUE(Heard("ready setup/0"));
  EXPECT_TRUE(Heard("exited setup/0 by itself 0 wanted"));
  EXPECT_EQ(Count("started setup/0"), 1u) << "a job runs once";
}

TEST_F(FleetTest, AJobThatFailsIsAFailure) {
  TargetSpec job = Spec("setup");
  job.job = true;
  Begin({job});
  EndsWithCode("setup/0", 3);
  EXPECT_TRUE(Heard("exited setup/0 by itself 3"));
  EXPECT_EQ(errors_, std::vector<std::string>{"setup/0 ended with code 3; it wrote nothing"});
  EXPECT_FALSE(fleet_->Find("setup/0")->ready);
}

TEST_F(FleetTest, LinesOfOutputBecomeEvents) {
  TargetSpec spec = Spec("node");
  spec.events = {{"drop", "^role dropped"}, {"load", R"(load=(?P<value>\d+))"}};
  Begin({spec});
  spawner_.Write("node/0", "role dropped\nrole dropped load=42\nnothing\n");
  ASSERT_TRUE(UntilHeard("event node/0 load 42"));
  EXPECT_EQ(Count("event node/0 drop 1"), 2u);
}

TEST_F(FleetTest, WhatItSaidLastComesBeforeItsEnd) {
  TargetSpec spec = Spec("node");
  spec.events = {{"panic", "panic"}};
  Begin({spec});
  spawner_.Write("node/0", "panic: out of luck");  // no newline
  EndsBySignal("node/0", SIGABRT);
  EXPECT_LT(PlaceOf("event node/0 panic 1"), PlaceOf("exited node/0 by signal 6"));
  EXPECT_TRUE(Heard("event node/0 panic 1"));
}

TEST_F(FleetTest, AFastWriterLosesNothingAndDoesNotHoldTheLoop) {
  TargetSpec spec = Spec("node");
  spec.events = {{"tick", "t"}};
  Begin({spec});
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "t\n";
  for (int i = 0; i < 3; ++i) spawner_.Write("node/0", text);
  int rounds = 0;
  EXPECT_TRUE(Until([&] {
    ++rounds;
    return heard_.size() >= 60'000;
  }));
  EXPECT_GT(rounds, 20);
}

TEST_F(FleetTest, EventRulesCanBeReplacedWhileItRuns) {
  Begin({Spec("node")});
  spawner_.Write("node/0", "before\nhalf ");
  RunFor(60 * kMillisecond);
  ASSERT_EQ(fleet_->SetEventRules("node", {{"all", "."}}), absl::OkStatus());
  spawner_.Write("node/0", "line\nafter\n");
  ASSERT_TRUE(UntilHeard("event node/0 all 1"));
  RunFor(60 * kMillisecond);
  EXPECT_EQ(Count("event node/0 all 1"), 1u) << "not for what came before, nor for the rest of a line";
  EXPECT_FALSE(fleet_->SetEventRules("node", {{"all", "("}}).ok());
  EXPECT_FALSE(fleet_->SetEventRules("nobody", {}).ok());
}

}  // namespace
}  // namespace squall

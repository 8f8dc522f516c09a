// Starting processes: what they find, every way it can fail, and how their end is told.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "faults/core/os.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/guardian/test/harness.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Case = guardian::v1::Event::EventCase;

guardian::v1::Request SpawnRequest(const std::string& program, const std::string& output = "") {
  guardian::v1::Request request;
  request.mutable_spawn()->set_key("a/0");
  request.mutable_spawn()->add_argv(program);
  request.mutable_spawn()->set_output(output);
  return request;
}

std::string MakeFile(const std::string& name, const std::string& content, mode_t mode) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/", name);
  std::ofstream(path) << content;
  chmod(path.c_str(), mode);
  return path;
}

void ExpectRefused(const guardian::v1::Reply& reply, absl::StatusCode code, const std::string& text) {
  EXPECT_EQ(reply.code(), static_cast<int>(code)) << reply.error();
  EXPECT_THAT(reply.error(), HasSubstr(text));
}

TEST(SpawnTest, ATargetFindsExactlyWhatItWasGiven) {
  Harness harness;
  guardian::v1::Request request = SpawnRequest(Runfile("targets/guardian/test/target"), harness.Output("a/0"));
  guardian::v1::Spawn& spawn = *request.mutable_spawn();
  spawn.add_argv("describe");
  spawn.add_env("NAME=two words; $(touch x)");
  spawn.set_cwd("/proc");
  ASSERT_EQ(harness.Call(request).code(), 0);
  ASSERT_TRUE(harness.Next(Case::kExited).has_value());
  EXPECT_EQ(ReadAll(harness.Output("a/0")),
            "cwd /proc\nenv NAME=two words; $(touch x)\nenv SQUALL_TARGET=a/0\ncore 0\nfiles at maximum yes\n"
            "own session yes\nTERM blocked no\nPIPE default yes\nnull stdin yes\nfds 0 1 2\n");
}

TEST(SpawnTest, OutputIsAppendedToAPrivateFile) {
  Harness harness;
  struct stat info;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(harness.Spawn("a/0", {"tree", "0"}, false).code(), 0);
    const std::string expected = i == 0 ? "ready\n" : "ready\nready\n";
    EXPECT_TRUE(Eventually([&] { return ReadAll(harness.Output("a/0")) == expected; }));
    ASSERT_EQ(harness.Signal("a/0", SIGKILL).code(), 0);
    ASSERT_TRUE(harness.Next(Case::kExited).has_value());
  }
  ASSERT_EQ(stat(harness.Output("a/0").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(SpawnTest, ProgramsWithoutASlashAreLookedUpInTheTargetsOwnPath) {
  Harness harness;
  guardian::v1::Request request = SpawnRequest("target");
  request.mutable_spawn()->add_env("PATH=/nowhere:" + Runfile("targets/guardian/test"));
  EXPECT_EQ(harness.Call(request).code(), 0);
  EXPECT_EQ(WEXITSTATUS(harness.Next(Case::kExited)->exited().wait_status()), 0);
  request.mutable_spawn()->set_env(0, "PATH=/nowhere");
  ExpectRefused(harness.Call(request), absl::StatusCode::kNotFound, "no program 'target' in PATH /nowhere");
}

TEST(SpawnTest, EveryFailureNamesItsCauseAndLeavesTheKeyFree) {
  Harness harness;
  const std::string target = Runfile("targets/guardian/test/target");
  ExpectRefused(harness.Call(SpawnRequest("/no/such/program")), absl::StatusCode::kNotFound, "/no/such/program");
  ExpectRefused(harness.Call(SpawnRequest(MakeFile("plain", "x", 0644))), absl::StatusCode::kPermissionDenied, "plain");
  ExpectRefused(harness.Call(SpawnRequest(MakeFile("noscript", "x", 0755))), absl::StatusCode::kUnknown, "format");
  ExpectRefused(harness.Call(SpawnRequest(MakeFile("script", "#!/no/interpreter\n", 0755))),
                absl::StatusCode::kNotFound, "interpreter is missing");
  ExpectRefused(harness.Call(SpawnRequest(::testing::TempDir())), absl::StatusCode::kPermissionDenied, "starting");
  ExpectRefused(harness.Call(SpawnRequest(target, "/no/such/dir/out")), absl::StatusCode::kNotFound, "output file");
  ExpectRefused(harness.Call(SpawnRequest(target, ::testing::TempDir())), absl::StatusCode::kFailedPrecondition,
                "output file");
  const std::string fifo = absl::StrCat(::testing::TempDir(), "/fifo");
  mkfifo(fifo.c_str(), 0600);
  ExpectRefused(harness.Call(SpawnRequest(target, fifo)), absl::StatusCode::kNotFound, "fifo");
  guardian::v1::Request request = SpawnRequest(target);
  request.mutable_spawn()->set_cwd("/no/such/dir");
  ExpectRefused(harness.Call(request), absl::StatusCode::kNotFound, "working directory /no/such/dir");
  request = SpawnRequest(target);
  request.mutable_spawn()->add_env("no equals sign");
  ExpectRefused(harness.Call(request), absl::StatusCode::kInvalidArgument, "NAME=value");
  ExpectRefused(harness.Call(SpawnRequest("")), absl::StatusCode::kInvalidArgument, "argv");
  request = SpawnRequest(target);
  request.mutable_spawn()->clear_key();
  ExpectRefused(harness.Call(request), absl::StatusCode::kInvalidArgument, "key");
  ASSERT_EQ(harness.Spawn("a/0", {"stay"}).code(), 0);
  ExpectRefused(harness.Call(SpawnRequest(target)), absl::StatusCode::kAlreadyExists, "a/0 runs already");
  EXPECT_FALSE(harness.Next(Case::kExited, kMillisecond).has_value()) << "what never ran did not exit";
  EXPECT_EQ(ChildrenOf(harness.guardian->pid()).size(), 2u) << "the agent and the last target";
}

TEST(SpawnTest, AnEmptyOrUnknownRequestIsAnswered) {
  Harness harness;
  EXPECT_EQ(harness.Call(guardian::v1::Request()).code(), static_cast<int>(absl::StatusCode::kUnimplemented));
}

TEST(SpawnTest, TheEndOfATargetTellsItsCause) {
  Harness harness;
  ASSERT_EQ(harness.Spawn("a/0", {"exit", "7"}, false).code(), 0);
  guardian::v1::Exited exited = harness.Next(Case::kExited)->exited();
  EXPECT_EQ(exited.key(), "a/0");
  EXPECT_EQ(WEXITSTATUS(exited.wait_status()), 7);
  EXPECT_EQ(exited.sent_signal(), 0) << "it ended by itself";
  EXPECT_GT(exited.max_rss_bytes(), 0);
  EXPECT_LE(exited.at_ns(), harness.clock.Now());

  const guardian::v1::Reply spawned = harness.Spawn("a/0", {"stay"});
  ASSERT_EQ(harness.Signal("a/0", SIGCONT).code(), 0) << "not fatal";
  ASSERT_EQ(harness.Signal("a/0", SIGABRT).code(), 0);
  exited = harness.Next(Case::kExited)->exited();
  EXPECT_EQ(exited.pid(), spawned.pid());
  EXPECT_EQ(WTERMSIG(exited.wait_status()), SIGABRT);
  EXPECT_FALSE(WCOREDUMP(exited.wait_status()));
  EXPECT_EQ(exited.sent_signal(), SIGABRT);

  const pid_t stranger = harness.Spawn("a/0", {"stay"}).pid();
  harness.Kill(stranger);  // not by the guardian
  exited = harness.Next(Case::kExited)->exited();
  EXPECT_EQ(WTERMSIG(exited.wait_status()), SIGKILL);
  EXPECT_EQ(exited.sent_signal(), 0) << "not by us";
}

TEST(SpawnTest, SignalsThatCannotBeSentAreRefused) {
  Harness harness;
  ExpectRefused(harness.Signal("a/0", SIGTERM), absl::StatusCode::kNotFound, "a/0 does not run");
  ASSERT_EQ(harness.Spawn("a/0", {"stay"}).code(), 0);
  ExpectRefused(harness.Signal("a/0", 0), absl::StatusCode::kInvalidArgument, "no signal 0");
  ExpectRefused(harness.Signal("a/0", 4711), absl::StatusCode::kInvalidArgument, "no signal 4711");
  ExpectRefused(harness.Signal("a/0", SIGSTOP), absl::StatusCode::kInvalidArgument, "deadline");
  ExpectRefused(harness.Signal("a/0", SIGTSTP), absl::StatusCode::kInvalidArgument, "deadline");
}

int64_t CpuTicks(pid_t pid) {
  int64_t user = 0, system = 0;
  const std::string text = ReadAll(absl::StrCat("/proc/", pid, "/stat"));
  sscanf(text.c_str() + text.rfind(')') + 1, " %*c %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld %ld", &user, &system);
  return user + system;
}

TEST(SpawnTest, AnAgentThatStoodStillHearsOfEveryExitAndTheGuardianRestsAgain) {
  constexpr int kTargets = 400;  // more than the channel holds
  Harness harness;
  std::vector<pid_t> targets;
  for (int i = 0; i < kTargets; ++i) {
    targets.push_back(harness.Spawn(absl::StrCat("a/", i), {"stay"}, false).pid());
    ASSERT_GT(targets.back(), 0);
  }
  const UniqueFd agent(RealOs()->PidfdOpen(harness.agent));
  ASSERT_EQ(RealOs()->SendSignal(agent.get(), SIGSTOP), 0);
  for (const pid_t target : targets) harness.Kill(target);
  ASSERT_TRUE(Eventually([&] { return ChildrenOf(harness.guardian->pid()).size() == 1; }));
  ASSERT_EQ(RealOs()->SendSignal(agent.get(), SIGCONT), 0);
  for (int i = 0; i < kTargets; ++i) ASSERT_TRUE(harness.Next(Case::kExited).has_value()) << "after " << i;
  const int64_t before = CpuTicks(harness.guardian->pid());
  EXPECT_FALSE(harness.Next(Case::kExited, 500 * kMillisecond).has_value());
  EXPECT_LE(CpuTicks(harness.guardian->pid()) - before, sysconf(_SC_CLK_TCK) / 10) << "it spins";
}

TEST(SpawnTest, OrphansAreReapedAndNoZombieIsLeft) {
  Harness harness;
  const pid_t target = harness.Spawn("a/0", {"orphans", "100"}).pid();
  EXPECT_TRUE(Eventually([&] {
    for (const pid_t child : ChildrenOf(harness.guardian->pid())) {
      if (child != target && child != harness.agent) return false;
    }
    return true;
  }));
}

TEST(SpawnTest, WhatIsLeftOfATargetsGroupEndsWithItsLeader) {
  Harness harness;
  const pid_t target = harness.Spawn("a/0", {"tree", "3"}).pid();
  ASSERT_TRUE(Eventually([&] { return DescendantsOf(target).size() == 6; }));
  ASSERT_EQ(harness.Signal("a/0", SIGKILL).code(), 0);
  ASSERT_TRUE(harness.Next(Case::kExited).has_value());
  EXPECT_TRUE(Eventually([&] { return DescendantsOf(harness.guardian->pid()).size() == 1; }))
      << "only the agent is left";
}

}  // namespace
}  // namespace squall

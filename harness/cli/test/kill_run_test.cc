// Whoever of ours is killed during `squall run`: no process of the run is left. And a controller that dies leaves no
// fault behind at agents started by hand.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "gtest/gtest.h"
#include "harness/cli/test/program.h"

namespace squall {
namespace {

constexpr char kSquall[] = "harness/cli/squall";
constexpr char kRedis[] = "targets/redis/redis-server";
constexpr char kPlan[] = "harness/cli/test/hang.yaml";

void Kill(pid_t pid) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return;
  syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
  close(pidfd);
}

// `squall run` of the plan, in the middle of its hang.
class Running {
 public:
  Running() {
    program_ = std::make_unique<Program>(std::vector<std::string>{
        OurProgram(kSquall), "run", OurProgram(kPlan), "--seed=1", absl::StrCat("--bin=server=", OurProgram(kRedis)),
        absl::StrCat("--report_dir=", ShortDirectory())});
    EXPECT_TRUE(Eventually([this] { return Find("redis-server") != 0 && StateOf(Find("redis-server")) == 'T'; }))
        << program_->out() << program_->err();
    all_ = Descendants(program_->pid());
  }
  pid_t Find(const std::string& command) const {
    for (const pid_t pid : Descendants(program_->pid())) {
      if (CommandOf(pid) == command) return pid;
    }
    return 0;
  }
  Program& program() { return *program_; }
  void ExpectNobodyLeft() const {
    for (const pid_t pid : all_) EXPECT_TRUE(Eventually([pid] { return !Alive(pid); })) << CommandOf(pid) << " " << pid;
  }

 private:
  std::unique_ptr<Program> program_;
  std::vector<pid_t> all_;
};

TEST(KillRun, TheRunItself) {
  Running run;
  run.program().Signal(SIGKILL);
  run.program().Wait();
  run.ExpectNobodyLeft();
}

TEST(KillRun, ItsAgent) {
  Running run;
  Kill(run.Find("squall"));
  EXPECT_EQ(run.program().Wait().code, 5) << "a lost agent is an ERROR, never a verdict";
  run.ExpectNobodyLeft();
}

TEST(KillRun, ItsGuardian) {
  Running run;
  Kill(run.Find("squall-guardian"));
  EXPECT_EQ(run.program().Wait().code, 5);
  run.ExpectNobodyLeft();
}

TEST(KillRun, ItsAgentAndGuardian) {
  Running run;
  const pid_t agent = run.Find("squall"), guardian = run.Find("squall-guardian");
  Kill(agent);
  Kill(guardian);
  EXPECT_EQ(run.program().Wait().code, 5);
  run.ExpectNobodyLeft();
}

TEST(KillRun, ItsRelayIsReplacedAndTheRunCannotPass) {
  Running run;
  Kill(run.Find("squall-relay"));
  EXPECT_TRUE(Eventually([&] { return run.Find("squall-relay") != 0; }));
  const Ended ended = run.program().Wait();
  EXPECT_NE(ended.code, 0) << ended.out;
  EXPECT_NE(ended.code, 1) << "nothing was wrong with the target: " << ended.out;
  run.ExpectNobodyLeft();
}

TEST(KillRun, AnInterruptWritesTheReportAsAborted) {
  Running run;
  run.program().Signal(SIGINT);
  const Ended ended = run.program().Wait();
  EXPECT_EQ(ended.code, 130) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("ABORTED"), std::string::npos) << ended.out;
  run.ExpectNobodyLeft();
}

TEST(KillController, ItsFaultsAtAgentsStartedByHandLapse) {
  const std::string directory = ShortDirectory();
  const std::string socket = absl::StrCat("unix:", directory, "/c/controller.sock");
  Program controller({OurProgram(kSquall), "controller", absl::StrCat("--listen=", socket)});
  ASSERT_TRUE(Eventually([&] { return controller.out().find("listening") != std::string::npos; })) << controller.err();
  Program host({OurProgram(kSquall), "agent", "--name=host", "--socket=none", absl::StrCat("--directory=", directory),
                absl::StrCat("--controller=", socket)});
  Program run({OurProgram(kSquall), "run", OurProgram(kPlan), "--seed=1", absl::StrCat("--controller=", socket),
               absl::StrCat("--bin=server=", OurProgram(kRedis)), absl::StrCat("--report_dir=", directory, "/report")});
  pid_t target = 0;
  ASSERT_TRUE(Eventually([&] {
    for (const pid_t pid : Descendants(host.pid())) {
      if (CommandOf(pid) == "redis-server") target = pid;
    }
    return target != 0 && StateOf(target) == 'T';
  })) << run.out()
      << run.err() << host.err();
  controller.Signal(SIGKILL);
  controller.Wait();
  const RealClock clock;
  const int64_t until = clock.Now() + 4 * kSecond;  // 4 x (lease + 500 ms)
  while (StateOf(target) == 'T' && clock.Now() < until) {
  }
  EXPECT_NE(StateOf(target), 'T') << "nothing outlives its lease";
  EXPECT_TRUE(Alive(target)) << "attach mode: the target lives on";
  EXPECT_EQ(run.Wait().code, 5);
  Kill(target);
  host.Signal(SIGTERM);
  host.Wait();
}

}  // namespace
}  // namespace squall

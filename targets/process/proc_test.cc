#include "targets/process/proc.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "faults/core/clock.h"
#include "faults/core/os.h"
#include "faults/core/unique_fd.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

// A child that runs `body`, then waits for ever.
class Child {
 public:
  explicit Child(const std::function<void()>& body = [] {}) {
    int pidfd = -1;
    pid_ = RealOs()->Fork(&pidfd);
    if (pid_ == 0) {
      body();
      for (;;) pause();
    }
    pidfd_ = UniqueFd(pidfd);
  }
  ~Child() {
    Signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void Signal(int signo) { EXPECT_EQ(RealOs()->SendSignal(pidfd_.get(), signo), 0); }
  int pid() const { return pid_; }

 private:
  int pid_;
  UniqueFd pidfd_;
};

bool Eventually(const std::function<bool()>& condition) {
  RealClock clock;
  for (const int64_t end = clock.Now() + 20 * kSecond; clock.Now() < end; poll(nullptr, 0, 1)) {
    if (condition()) return true;
  }
  return false;
}

TEST(ProcTest, AStoppedProcessIsSeenStoppedAndARunningOneIsNot) {
  Child child;
  EXPECT_FALSE(IsStopped(child.pid()));
  child.Signal(SIGSTOP);
  EXPECT_TRUE(Eventually([&] { return IsStopped(child.pid()); }));
  child.Signal(SIGCONT);
  EXPECT_TRUE(Eventually([&] { return !IsStopped(child.pid()); }));
}

void* WaitForEver(void*) {
  for (;;) pause();
}

TEST(ProcTest, AProcessWhoseMainThreadHasEndedCanBeSeenStopped) {
  Child child([] {
    pthread_t thread;
    pthread_create(&thread, nullptr, WaitForEver, nullptr);
    syscall(SYS_exit, 0);  // this thread alone
  });
  EXPECT_FALSE(IsStopped(child.pid()));
  child.Signal(SIGSTOP);
  EXPECT_TRUE(Eventually([&] { return IsStopped(child.pid()); }));
}

TEST(ProcTest, UsageCountsWhatTheProcessHas) {
  volatile double sink = 1;
  for (int i = 0; i < 100'000'000; ++i) sink = sink * 1.0000001;  // some tens of ms of CPU
  const InstanceUsage before = UsageOf(getpid());
  EXPECT_GT(before.cpu_seconds, 0.02);
  EXPECT_GT(before.rss_bytes, 500e3);
  EXPECT_GE(before.fds, 3);
  std::vector<UniqueFd> files;
  for (int i = 0; i < 10; ++i) files.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(UsageOf(getpid()).fds, before.fds + 10);
}

TEST(ProcTest, NobodyUsesNothing) {
  for (const int pid : {0, -1, 1 << 30}) {
    EXPECT_EQ(UsageOf(pid).rss_bytes, 0);
    EXPECT_EQ(UsageOf(pid).cpu_seconds, 0);
    EXPECT_EQ(UsageOf(pid).fds, 0);
    EXPECT_FALSE(IsStopped(pid));
  }
}

}  // namespace
}  // namespace squall

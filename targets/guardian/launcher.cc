#include "targets/guardian/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "faults/core/os.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

constexpr int64_t kPauseNs = 5 * kMillisecond;

void WaitOn(int fd, int64_t wait_ns) {
  pollfd entry{fd, POLLIN, 0};
  const timespec limit{wait_ns / kSecond, wait_ns % kSecond};
  ppoll(&entry, fd >= 0 ? 1 : 0, &limit, nullptr);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// posix_spawn's two arguments, with an owner.
struct SpawnSetup {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  SpawnSetup() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

absl::StatusOr<RunningGuardian> StartGuardian(const GuardianLaunch& launch) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe to the guardian");
  const UniqueFd theirs(ends[0]);
  RunningGuardian running;
  running.parent_end_.reset(ends[1]);
  std::vector<std::string> argv = {launch.guardian, launch.attach ? "--mode=attach" : "--mode=test",
                                   absl::StrCat("--parent_fd=", theirs.get()), "--"};
  argv.insert(argv.end(), launch.agent_argv.begin(), launch.agent_argv.end());
  SpawnSetup setup;
  posix_spawn_file_actions_adddup2(&setup.files, theirs.get(), theirs.get());  // clears close-on-exec
  UniqueFd output;
  if (!launch.output.empty()) {
    output.reset(open(launch.output.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (!output.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("output file ", launch.output));
    posix_spawn_file_actions_adddup2(&setup.files, output.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&setup.files, output.get(), STDERR_FILENO);
  }
  const std::vector<char*> env = Pointers(launch.env);
  const int error = posix_spawn(&running.pid_, launch.guardian.c_str(), &setup.files, &setup.attributes,
                                Pointers(argv).data(), launch.env.empty() ? environ : env.data());
  if (error != 0) return absl::ErrnoToStatus(error, absl::StrCat("starting ", launch.guardian));
  running.pidfd_.reset(RealOs()->PidfdOpen(running.pid_));
  if (running.pidfd_.valid()) return running;
  const absl::Status failed = absl::ErrnoToStatus(errno, "pidfd_open of the guardian");
  running.parent_end_.reset();  // it ends by itself in test mode
  return failed;
}

absl::Status RunningGuardian::Signal(int signo) {
  if (RealOs()->SendSignal(pidfd_.get(), signo) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("signal ", signo, " to the guardian"));
}

absl::StatusOr<int> RunningGuardian::Wait(int64_t wait_ns) {
  if (code_.has_value()) return *code_;
  WaitOn(pidfd_.get(), wait_ns);
  int status = 0;
  const pid_t reaped = waitpid(pid_, &status, WNOHANG);
  if (reaped == 0) return absl::DeadlineExceededError("the guardian still runs");
  if (reaped < 0) return absl::ErrnoToStatus(errno, "waiting for the guardian");
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *code_;
}

absl::Status BecomeSubreaper() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "PR_SET_CHILD_SUBREAPER");
}

absl::Status KillTree(int64_t within_ns) {
  const RealClock clock;
  const int64_t until = clock.Now() + within_ns;
  for (;;) {
    KillDescendants(RealOs());
    for (const pid_t child : ChildrenOf(getpid())) waitpid(child, nullptr, WNOHANG);
    if (ChildrenOf(getpid()).empty()) return absl::OkStatus();
    if (clock.Now() >= until) return absl::DeadlineExceededError("some processes do not end, SIGKILL or not");
    WaitOn(-1, kPauseNs);
  }
}

}  // namespace squall

// squall-guardian --mode=test|attach [--parent_fd=N] -- squall agent [flags]
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "faults/core/clock.h"
#include "faults/core/unique_fd.h"
#include "targets/guardian/guardian.h"

namespace squall {
namespace {

constexpr char kUsage[] =
    "usage: squall-guardian --mode=test|attach [--parent_fd=N] -- PROGRAM COMMAND [ARGUMENTS]\n"
    "Starts PROGRAM COMMAND --guardian_fd=N --lease_fd=N [ARGUMENTS], and the processes it asks for.\n"
    "  --mode=test      whatever dies, nothing of the run is left\n"
    "  --mode=attach    whatever dies, targets run on, without faults\n"
    "  --parent_fd=N    a pipe or socket: its end of file means that whoever started this died\n";

int Refuse(absl::string_view why) {
  fprintf(stderr, "squall-guardian: %.*s\n%s", static_cast<int>(why.size()), why.data(), kUsage);
  return 2;
}

bool IsPipeOrSocket(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

// A shell's foreground job must stay one: else Ctrl-C would not reach it.
bool InTerminalForeground() {
  const UniqueFd terminal(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  return terminal.valid() && tcgetpgrp(terminal.get()) == getpgrp();
}

void RaiseFileLimit() {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

int Main(int argc, char** argv) {
  GuardianOptions options;
  std::string mode;
  int i = 1;
  for (; i < argc && absl::string_view(argv[i]) != "--"; ++i) {
    const absl::string_view flag = argv[i];
    if (absl::StartsWith(flag, "--mode=")) {
      mode = std::string(flag.substr(strlen("--mode=")));
    } else if (absl::StartsWith(flag, "--parent_fd=")) {
      if (!absl::SimpleAtoi(flag.substr(strlen("--parent_fd=")), &options.parent_fd) ||
          !IsPipeOrSocket(options.parent_fd)) {
        return Refuse("--parent_fd is not an open pipe or socket");
      }
    } else if (flag == "--help") {
      fputs(kUsage, stdout);
      return 0;
    } else {
      return Refuse("unknown flag " + std::string(flag));
    }
  }
  if (mode != "test" && mode != "attach") return Refuse("--mode must be test or attach");
  if (argc - i < 3) return Refuse("after -- a program and its sub-command are needed");
  options.attach = mode == "attach";
  options.agent_argv.assign(argv + i + 1, argv + argc);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (strchr(*entry, '=') != nullptr) options.agent_env.push_back(*entry);
  }
  close_range(STDERR_FILENO + 1, ~0u,
              CLOSE_RANGE_CLOEXEC);  // what whoever started us left open is not for our children
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    fprintf(stderr, "squall-guardian: PR_SET_CHILD_SUBREAPER: %s\n", strerror(errno));
    return 1;
  }
  if (!InTerminalForeground()) setsid();  // fails for the leader of a group, which then stays where it is
  RaiseFileLimit();
  const RealClock clock;
  absl::StatusOr<std::unique_ptr<Guardian>> guardian = Guardian::Create(options, RealOs(), &clock);
  if (!guardian.ok()) {
    fprintf(stderr, "squall-guardian: %s\n", std::string(guardian.status().message()).c_str());
    return 1;
  }
  return (*guardian)->Run();
}

}  // namespace
}  // namespace squall

int main(int argc, char** argv) { return squall::Main(argc, argv); }

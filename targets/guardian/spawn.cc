#include "targets/guardian/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

// What the child tells when it could not exec.
enum Step : int { kStdio, kParentGone, kChdir, kExec };
struct Failure {
  int step;
  int error;
};

// Everything the child needs, made before the fork: after it only async-signal-safe calls are made.
struct Plan {
  std::vector<char*> argv, env;
  const char* path;
  const char* cwd;
  int output;
  int report, parent_report;
  const std::vector<int>* inherited;
  int parent_death_signal;
  pid_t parent;
};

[[noreturn]] void Fail(const Plan& plan, Step step, int error) {
  const Failure failure{step, error};
  (void)!write(plan.report, &failure, sizeof(failure));
  _exit(127);
}

void ResetSignals() {
  for (int signo = 1; signo < NSIG; ++signo) signal(signo, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void SetLimits() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

[[noreturn]] void RunChild(const Plan& plan) {
  setsid();
  if (plan.parent_death_signal != 0) prctl(PR_SET_PDEATHSIG, plan.parent_death_signal);
  close(plan.parent_report);                 // else we would never see the parent's end of it close
  if (getppid() != plan.parent) _exit(127);  // it died before the kernel knew what to send us
  char go;
  ssize_t got;
  do {
    got = read(plan.report, &go, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);
  ResetSignals();
  SetLimits();
  const int null = open("/dev/null", O_RDONLY);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0) Fail(plan, kStdio, errno);
  if (null != STDIN_FILENO) close(null);
  if (plan.output >= 0 && (dup2(plan.output, STDOUT_FILENO) < 0 || dup2(plan.output, STDERR_FILENO) < 0)) {
    Fail(plan, kStdio, errno);
  }
  for (const int fd : *plan.inherited) {
    if (fcntl(fd, F_SETFD, 0) != 0) Fail(plan, kStdio, errno);
  }
  if (plan.cwd[0] != '\0' && chdir(plan.cwd) != 0) Fail(plan, kChdir, errno);
  execve(plan.path, plan.argv.data(), plan.env.data());
  Fail(plan, kExec, errno);
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

absl::StatusOr<UniqueFd> OpenOutput(Os* os, const std::string& path) {
  // Non-blocking for the open alone: a FIFO without a reader must not hold the guardian up.
  UniqueFd fd(os->Open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK, 0600));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("output file ", path));
  const int flags = fcntl(fd.get(), F_GETFL);
  if (flags < 0 || fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("output file ", path));
  }
  return fd;
}

absl::Status Check(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty()) return absl::InvalidArgumentError("argv is empty");
  auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::any_of(command.argv.begin(), command.argv.end(), has_nul)) {
    return absl::InvalidArgumentError("argv holds a NUL character");
  }
  for (const std::string& entry : command.env) {
    if (has_nul(entry) || entry.find('=') == std::string::npos || entry[0] == '=') {
      return absl::InvalidArgumentError(absl::StrCat("env entry '", entry.substr(0, 40), "' is not NAME=value"));
    }
  }
  if (has_nul(command.cwd) || has_nul(command.output))
    return absl::InvalidArgumentError("a path holds a NUL character");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> FindProgram(const std::string& program, const std::vector<std::string>& env) {
  if (absl::StrContains(program, '/')) return program;
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : env) {
    if (absl::StartsWith(entry, "PATH=")) path = entry.substr(5);
  }
  std::string not_executable;
  for (const absl::string_view directory : absl::StrSplit(path, ':')) {
    const std::string candidate = absl::StrCat(directory.empty() ? "." : directory, "/", program);
    struct stat info;
    if (stat(candidate.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    not_executable = candidate;
  }
  if (!not_executable.empty()) return absl::PermissionDeniedError(absl::StrCat(not_executable, " is not executable"));
  return absl::NotFoundError(absl::StrCat("no program '", program, "' in PATH ", path));
}

absl::StatusOr<Started> Start(Os* os, const Command& command) {
  RETURN_IF_ERROR(Check(command));
  Started started;
  ASSIGN_OR_RETURN(started.path, FindProgram(command.argv[0], command.env));
  UniqueFd output;
  if (!command.output.empty()) {
    ASSIGN_OR_RETURN(output, OpenOutput(os, command.output));
  }
  int ends[2];
  if (os->SocketPair(SOCK_SEQPACKET, ends) != 0) return absl::ErrnoToStatus(errno, "socketpair for a child");
  started.report.reset(ends[0]);
  UniqueFd child_end(ends[1]);
  fcntl(started.report.get(), F_SETFL, O_NONBLOCK);
  Plan plan;
  plan.argv = Pointers(command.argv);
  plan.env = Pointers(command.env);
  plan.path = started.path.c_str();
  plan.cwd = command.cwd.c_str();
  plan.output = output.get();
  plan.report = child_end.get();
  plan.parent_report = started.report.get();
  plan.inherited = &command.inherited;
  plan.parent_death_signal = command.parent_death_signal;
  plan.parent = getpid();
  int pidfd = -1;
  started.pid = os->Fork(&pidfd);
  if (started.pid < 0) return absl::ErrnoToStatus(errno, absl::StrCat("fork for ", started.path));
  if (started.pid == 0) RunChild(plan);
  started.pidfd.reset(pidfd);
  return started;
}

void Go(const Started& started) { (void)!send(started.report.get(), "g", 1, MSG_NOSIGNAL); }

absl::Status ReadResult(const Started& started, const Command& command) {
  Failure failure{};
  ssize_t got;
  do {
    got = read(started.report.get(), &failure, sizeof(failure));
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return absl::UnavailableError("not known yet");
  if (got != sizeof(failure)) return absl::OkStatus();  // exec closed it
  switch (failure.step) {
    case kChdir:
      return absl::ErrnoToStatus(failure.error, absl::StrCat("working directory ", command.cwd));
    case kExec: {
      const bool exists = access(started.path.c_str(), F_OK) == 0;
      const bool relative = !command.cwd.empty() && started.path[0] != '/';
      return absl::ErrnoToStatus(
          failure.error, absl::StrCat("starting ", started.path, relative ? " in " + command.cwd : "",
                                      failure.error == ENOENT && exists ? " (its interpreter is missing)" : ""));
    }
    default:
      return absl::ErrnoToStatus(failure.error, absl::StrCat("preparing ", started.path));
  }
}

}  // namespace squall

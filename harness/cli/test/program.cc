#include "harness/cli/test/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

constexpr int kPatienceMs = 60'000;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

// The fields of /proc/PID/stat behind the name.
std::vector<std::string> Stat(pid_t pid) {
  const std::string text = ReadAll(absl::StrCat("/proc/", pid, "/stat"));
  std::vector<std::string> fields;
  const size_t close = text.rfind(')');
  if (close == text.npos) return fields;
  std::istringstream rest(text.substr(close + 1));
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

}  // namespace

Program::Program(std::vector<std::string> argv, std::string directory) {
  static int count = 0;
  const std::string stem = absl::StrCat(::testing::TempDir(), "/program-", getpid(), "-", ++count);
  out_path_ = stem + ".out";
  err_path_ = stem + ".err";
  std::vector<char*> arguments;
  for (std::string& argument : argv) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(126);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(open(out_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDOUT_FILENO);
    dup2(open(err_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

Program::~Program() {
  if (pid_ < 0) return;
  Signal(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Program::Signal(int signo) { syscall(SYS_pidfd_send_signal, pidfd_.get(), signo, nullptr, 0); }

Ended Program::Wait() {
  pollfd watched{pidfd_.get(), POLLIN, 0};
  if (poll(&watched, 1, kPatienceMs) != 1) {
    ADD_FAILURE() << "still running after 60 s; stderr: " << err();
    Signal(SIGKILL);
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  Ended ended;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = out();
  ended.err = err();
  return ended;
}

std::string Program::out() const { return ReadAll(out_path_); }
std::string Program::err() const { return ReadAll(err_path_); }

Ended RunProgram(std::vector<std::string> argv, std::string directory) {
  return Program(std::move(argv), std::move(directory)).Wait();
}

bool Eventually(const std::function<bool()>& condition) {
  for (int waited = 0; waited < kPatienceMs; waited += 10) {
    if (condition()) return true;
    poll(nullptr, 0, 10);
  }
  return condition();
}

std::string OurProgram(const std::string& label_path) {
  return std::filesystem::absolute(label_path).string();  // a test starts in its runfiles
}

std::string ShortDirectory() {
  std::string path = "/tmp/squall-e2e-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) ADD_FAILURE() << "mkdtemp failed";
  return path;
}

std::vector<pid_t> Descendants(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::vector<std::string> fields = Stat(pid);
    if (fields.size() > 1 && fields[0] != "Z") children.emplace(std::atoi(fields[1].c_str()), pid);
  }
  std::vector<pid_t> found, open = {root};
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    for (auto [it, end] = children.equal_range(parent); it != end; ++it) {
      found.push_back(it->second);
      open.push_back(it->second);
    }
  }
  return found;
}

char StateOf(pid_t pid) {
  const std::vector<std::string> fields = Stat(pid);
  return fields.empty() ? 0 : fields[0][0];
}

bool Alive(pid_t pid) {
  const char state = StateOf(pid);
  return state != 0 && state != 'Z' && state != 'X';
}

std::string CommandOf(pid_t pid) {
  std::string name = ReadAll(absl::StrCat("/proc/", pid, "/comm"));  // not cmdline: redis-server rewrites its own
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

}  // namespace squall

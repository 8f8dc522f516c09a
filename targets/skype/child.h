// For tests: one of this folder's programs as a real process, with its lines and its metrics.
#ifndef TARGETS_SKYPE_CHILD_H_
#define TARGETS_SKYPE_CHILD_H_

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "targets/skype/dial.h"
#include "targets/skype/net.h"
#include "targets/skype/test_loop.h"

namespace skype {

// Ends with the object. The program's path is relative to the runfiles, where Bazel starts a test.
class Child {
 public:
  Child(Loop* loop, const std::string& program, std::vector<std::string> flags) : loop_(loop) {
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC) != 0) std::abort();
    out_ = pipe_fds[0];
    fcntl(out_, F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
    flags.insert(flags.begin(), "targets/skype/" + program);
    std::vector<char*> argv;
    for (std::string& flag : flags) argv.push_back(flag.data());
    argv.push_back(nullptr);
    if (posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) std::abort();
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_fds[1]);
    pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    loop_->Watch(out_, EPOLLIN, [this](uint32_t) { Read(); });
  }
  ~Child() {
    loop_->Unwatch(out_);
    Signal(SIGKILL);
    if (!status_.has_value()) waitpid(pid_, nullptr, 0);
    close(out_);
    close(pidfd_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void Signal(int signal) {
    if (!status_.has_value()) syscall(SYS_pidfd_send_signal, pidfd_, signal, nullptr, 0);
  }
  // The wait status, once it has ended.
  std::optional<int> Ended() {
    int status = 0;
    if (!status_.has_value() && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_;
  }
  const std::string& output() const { return output_; }
  bool Printed(const std::string& text) const { return output_.find(text) != std::string::npos; }
  // N out of "name=N" in its first line of that kind; waits for it.
  int Announced(const std::string& name) {
    const std::string key = " " + name + "=";
    RunUntil(*loop_, [&] { return Printed(key) || Ended().has_value(); });
    const size_t at = output_.find(key);
    return at == std::string::npos ? -1 : std::atoi(output_.c_str() + at + key.size());
  }
  // A sample of its /metrics, labels included in `series`; -1: no answer or no such series.
  double Metric(const std::string& series) {
    const Dialed dialed = Dialer().Dial(*ParseAddress("127.0.0.1:" + std::to_string(Announced("metrics_port"))),
                                        "GET /metrics HTTP/1.0\r\n\r\n");
    std::string answer;
    RunUntil(*loop_, [&] {
      char buffer[8192];
      const ssize_t count = recv(dialed.fd, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (count > 0) answer.append(buffer, count);
      return count == 0 || (count < 0 && errno != EAGAIN);
    });
    ResetAndClose(dialed.fd);
    for (const absl::string_view line : absl::StrSplit(answer, '\n')) {
      const std::vector<std::string> parts = absl::StrSplit(line, ' ');
      double value = 0;
      if (parts.size() == 2 && parts[0] == series && absl::SimpleAtod(parts[1], &value)) return value;
    }
    return -1;
  }

 private:
  void Read() {
    char buffer[4096];
    const ssize_t count = read(out_, buffer, sizeof(buffer));
    if (count > 0) output_.append(buffer, count);
    if (count == 0) loop_->Unwatch(out_);
  }

  Loop* const loop_;
  pid_t pid_ = -1;
  int pidfd_ = -1, out_ = -1;
  std::optional<int> status_;
  std::string output_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_CHILD_H_

// A target for tests: `target WHAT [ARGUMENT]`. Prints one line when it is set up.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

namespace {

void Say(const std::string& line) { (void)!write(STDOUT_FILENO, (line + "\n").c_str(), line.size() + 1); }

[[noreturn]] void Stay() {
  for (;;) pause();
}

// Children that have children, all in its session.
void Tree(int width) {
  for (int i = 0; i < width; ++i) {
    if (fork() != 0) continue;
    if (fork() == 0) Stay();
    Stay();
  }
  Say("ready");
  Stay();
}

// Leaves a grandchild behind, in a session of its own, as daemons do; says its pid.
void Daemon() {
  int ends[2];
  if (pipe(ends) != 0) exit(1);
  if (fork() == 0) {
    setsid();
    const pid_t daemon = fork();
    if (daemon != 0) {
      (void)!write(ends[1], &daemon, sizeof(daemon));
      _exit(0);
    }
    signal(SIGTERM, SIG_IGN);
    Stay();
  }
  pid_t daemon = 0;
  (void)!read(ends[0], &daemon, sizeof(daemon));
  Say("daemon " + std::to_string(daemon));
}

// Grandchildren that lose their parent and then end.
void Orphans(int count) {
  for (int i = 0; i < count; ++i) {
    if (fork() != 0) continue;
    if (fork() == 0) _exit(3);
    _exit(0);
  }
  Say("ready");
  Stay();
}

// What it was started with.
void Describe() {
  rlimit core, files;
  getrlimit(RLIMIT_CORE, &core);
  getrlimit(RLIMIT_NOFILE, &files);
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  struct sigaction pipe_action;
  sigaction(SIGPIPE, nullptr, &pipe_action);
  struct stat in, null;
  fstat(STDIN_FILENO, &in);
  stat("/dev/null", &null);
  char cwd[4096];
  Say(std::string("cwd ") + getcwd(cwd, sizeof(cwd)));
  for (char** entry = environ; *entry != nullptr; ++entry) Say(std::string("env ") + *entry);
  Say("core " + std::to_string(core.rlim_max));
  Say(std::string("files at maximum ") + (files.rlim_cur == files.rlim_max ? "yes" : "no"));
  Say(std::string("own session ") + (getsid(0) == getpid() ? "yes" : "no"));
  Say(std::string("TERM blocked ") + (sigismember(&mask, SIGTERM) ? "yes" : "no"));
  Say(std::string("PIPE default ") + (pipe_action.sa_handler == SIG_DFL ? "yes" : "no"));
  Say(std::string("null stdin ") + (in.st_rdev == null.st_rdev ? "yes" : "no"));
  std::string open_fds = "fds";
  for (int fd = 0; fd < 256; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) open_fds += " " + std::to_string(fd);
  }
  Say(open_fds);
}

// Answers each connection on its first listener with its pid, as a fault host would serve. Ends with the guardian if
// told.
void Host(const std::vector<std::string>& flags) {
  int listener = -1, guardian = -1, control = -1;
  for (const std::string& flag : flags) {
    if (flag.starts_with("--listener=")) listener = std::stoi(flag.substr(flag.rfind('=') + 1));
    if (flag.starts_with("--guardian_fd=")) guardian = std::stoi(flag.substr(flag.rfind('=') + 1));
    if (flag.starts_with("--control_fd=")) control = std::stoi(flag.substr(flag.rfind('=') + 1));
  }
  const std::string answer = std::to_string(getpid()) + "\n";
  (void)!write(control, "hello", 5);
  for (;;) {
    pollfd ready[] = {{listener, POLLIN, 0}, {guardian, POLLIN, 0}};
    poll(ready, 2, -1);
    if (ready[1].revents != 0) _exit(0);
    const int peer = accept(listener, nullptr, nullptr);
    if (peer < 0) continue;
    (void)!write(peer, answer.data(), answer.size());
    close(peer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (what == "exit") return number;
  if (what == "tree") Tree(number);
  if (what == "orphans") Orphans(number);
  if (what == "describe") Describe();
  if (what == "host") Host({argv + 2, argv + argc});
  if (what == "daemon") Daemon();
  if (what == "daemon") Stay();
  if (what == "deaf") signal(SIGTERM, SIG_IGN);
  if (what == "deaf" || what == "stay") Say("ready");
  if (what == "deaf" || what == "stay") Stay();
  return 0;
}

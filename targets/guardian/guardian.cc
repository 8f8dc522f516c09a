#include "targets/guardian/guardian.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "targets/guardian/protocol.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

constexpr int64_t kTermGraceNs = 2 * kSecond;    // between TERM and KILL
constexpr int64_t kLeaveGraceNs = kSecond;       // for the agent to exit by itself once all is ended
constexpr int64_t kStopGraceNs = 5 * kSecond;    // for the agent to drain after a signal
constexpr int64_t kSilentGraceNs = 3 * kSecond;  // for an agent that closed its channel to exit
constexpr int64_t kKillAllNs = 10 * kSecond;

int ExitCode(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

absl::StatusOr<std::unique_ptr<Guardian>> Guardian::Create(const GuardianOptions& options, Os* os, const Clock* clock) {
  if (options.agent_argv.size() < 2) {
    return absl::InvalidArgumentError("the agent's argv needs a program and a sub-command");
  }
  ASSIGN_OR_RETURN(LeasePage lease, LeasePage::Create());
  ASSIGN_OR_RETURN(Liveness liveness, Liveness::Create());
  std::unique_ptr<Guardian> guardian(new Guardian(options, os, clock, std::move(lease), std::move(liveness)));
  RETURN_IF_ERROR(guardian->WatchSignals());
  return guardian;
}

Guardian::Guardian(const GuardianOptions& options, Os* os, const Clock* clock, LeasePage lease, Liveness liveness)
    : options_(options),
      os_(os),
      clock_(clock),
      lease_(std::move(lease)),
      liveness_(std::move(liveness)),
      loop_(clock) {}

Guardian::~Guardian() = default;

absl::Status Guardian::WatchSignals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  action.sa_flags = SA_NOCLDSTOP;
  sigaction(SIGCHLD, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signo : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&mask, signo);
  if (sigprocmask(SIG_BLOCK, &mask, nullptr) != 0) return absl::ErrnoToStatus(errno, "blocking signals");
  signals_.reset(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.valid()) return absl::ErrnoToStatus(errno, "signalfd");
  loop_.Watch(signals_.get(), EPOLLIN, [this](uint32_t) { OnSignals(); });
  return absl::OkStatus();
}

absl::Status Guardian::StartAgent() {
  int ends[2];
  if (os_->SocketPair(SOCK_SEQPACKET, ends) != 0) return absl::ErrnoToStatus(errno, "socketpair for the agent");
  agent_.reset(ends[0]);
  const UniqueFd theirs(ends[1]);
  Command command;
  command.argv = options_.agent_argv;
  command.argv.insert(command.argv.begin() + 2,
                      {absl::StrCat("--guardian_fd=", theirs.get()), absl::StrCat("--lease_fd=", lease_.fd())});
  command.env = options_.agent_env;
  command.inherited = {theirs.get(), lease_.fd()};
  command.parent_death_signal = SIGKILL;
  RETURN_IF_ERROR(Launch(Kind::kAgent, "", std::move(command), 0).status());
  WatchAgent();
  return absl::OkStatus();
}

int Guardian::Run() {
  if (options_.parent_fd >= 0) {
    loop_.Watch(options_.parent_fd, EPOLLIN, [this](uint32_t) {
      char ignored[64];
      if (read(options_.parent_fd, ignored, sizeof(ignored)) <= 0) OnParentGone();
    });
  }
  if (const absl::Status started = StartAgent(); !started.ok()) {
    fprintf(stderr, "squall-guardian: %s\n", std::string(started.message()).c_str());
    return 127;
  }
  while (stage_ != Stage::kOver) loop_.RunOnce(kSecond);
  return exit_code_;
}

void Guardian::OnSignals() {
  signalfd_siginfo info;
  while (read(signals_.get(), &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo != SIGCHLD) OnStopSignal(static_cast<int>(info.ssi_signo));
  }
  Reap();
}

void Guardian::OnStopSignal(int signo) {
  Child* agent = Agent();
  if (stop_requested_ || agent == nullptr) return BeginEnd(128 + signo);
  stop_requested_ = true;
  SendSignal(agent, signo);
  loop_.After(kStopGraceNs, [this, signo] {
    if (Agent() != nullptr) BeginEnd(128 + signo);  // else it has drained, and has left what it meant to leave
  });
}

void Guardian::OnParentGone() {
  loop_.Unwatch(options_.parent_fd);
  if (options_.attach) return;
  KillAll();
  Leave(128 + SIGKILL);
}

// The agent's channel closed, or it exited: whichever is seen first.
void Guardian::OnAgentGone() {
  if (!agent_.valid()) return;
  loop_.Unwatch(agent_.get());
  agent_.reset();
  unsent_.clear();
  lease_.End();
  ThawAll();
  DropDrivers();
  if (stage_ != Stage::kServing) return;
  loop_.After(kSilentGraceNs, [this] {
    if (Child* agent = Agent()) SendSignal(agent, SIGKILL);
  });
}

void Guardian::Reap() {
  // Looks before it takes: the rest of the group is killed while the leader's number is still its own.
  for (int refused = 0; refused < 3;) {
    siginfo_t ended{};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) break;
    const auto found = children_.find(ended.si_pid);
    if (found != children_.end()) kill(-ended.si_pid, SIGKILL);
    int status = 0;
    rusage usage{};
    if (os_->Wait(ended.si_pid, &status, WNOHANG, &usage) != ended.si_pid) {
      ++refused;
      continue;
    }
    if (found == children_.end()) continue;  // an orphan that was handed to us
    OnReport(ended.si_pid);
    std::unique_ptr<Child> child = std::move(found->second);
    children_.erase(found);
    OnExit(std::move(child), status, usage);
  }
  Advance();
}

void Guardian::OnExit(std::unique_ptr<Child> child, int status, const rusage& usage) {
  if (child->thaw.has_value()) loop_.Cancel(*child->thaw);
  child->frozen.reset();
  if (child->kind == Kind::kAgent) return OnAgentExit(status);
  if (child->kind == Kind::kHost) OnHostExit(*child);  // its listeners are closed before its end is told
  if (!child->executed) return;                        // nobody was told that it ran
  guardian::v1::Event event;
  guardian::v1::Exited& exited = *event.mutable_exited();
  exited.set_key(child->key);
  exited.set_pid(child->started.pid);
  exited.set_wait_status(status);
  exited.set_sent_signal(child->sent_signal);
  exited.set_at_ns(clock_->Now());
  exited.set_cpu_ns((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * kSecond +
                    (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000);
  exited.set_max_rss_bytes(usage.ru_maxrss * 1024);
  Send(event);
}

void Guardian::OnAgentExit(int status) {
  exit_code_ = stage_ != Stage::kServing && WIFSIGNALED(status) ? exit_code_ : ExitCode(status);
  OnAgentGone();
  if (options_.attach || stage_ != Stage::kServing) return;
  if (WIFEXITED(status)) return BeginEnd(exit_code_);
  KillAll();
  Leave(exit_code_);
}

// TERM to all but the relay, which serves them until they are gone; the rest is Advance's.
void Guardian::BeginEnd(int exit_code) {
  if (stage_ != Stage::kServing) return;
  exit_code_ = exit_code;
  stage_ = Stage::kTerminating;
  stage_until_ = clock_->Now() + kTermGraceNs;
  ThawAll();
  DropDrivers();
  for (auto& [pid, child] : children_) {
    if (child->kind == Kind::kTarget) SendSignal(child.get(), SIGTERM);
  }
  loop_.At(stage_until_, [this] { Advance(); });
  Advance();
}

void Guardian::Advance() {
  const bool late = clock_->Now() >= stage_until_;
  switch (stage_) {
    case Stage::kServing:  // attach, and the agent has left: so do we after the last target
      if (!options_.attach || Agent() != nullptr || Count(Kind::kTarget) > 0) return;
      for (auto& [pid, child] : children_) SendSignal(child.get(), SIGKILL);
      return Leave(exit_code_);
    case Stage::kTerminating:
      if (Count(Kind::kTarget) > 0 && !late) return;
      for (auto& [pid, child] : children_) {
        if (child->kind != Kind::kAgent) SendSignal(child.get(), SIGKILL);
      }
      stage_ = Stage::kClosing;
      stage_until_ = clock_->Now() + kLeaveGraceNs;
      loop_.At(stage_until_, [this] { Advance(); });
      return Advance();
    case Stage::kClosing:
      if (Count(Kind::kTarget) + Count(Kind::kHost) == 0 && agent_.valid()) {
        Flush();
        shutdown(agent_.get(), SHUT_WR);  // it has seen every Exited; now it sees that we are leaving
      }
      if (!children_.empty() && !late) return;
      KillAll();
      return Leave(exit_code_);
    case Stage::kOver:
      return;
  }
}

// KILLs until no child is left: who loses his parent becomes ours (subreaper) and is found the next time round.
void Guardian::KillAll() {
  for (const int64_t give_up = clock_->Now() + kKillAllNs; clock_->Now() < give_up;) {
    KillDescendants(os_);
    pid_t reaped;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno == ECHILD) return;
    pollfd entry{signals_.get(), POLLIN, 0};
    poll(&entry, 1, 10);
    signalfd_siginfo info;
    while (read(signals_.get(), &info, sizeof(info)) == sizeof(info)) {
    }
  }
  fprintf(stderr, "squall-guardian: some processes do not end, SIGKILL or not\n");
}

void Guardian::Leave(int exit_code) {
  exit_code_ = exit_code;
  stage_ = Stage::kOver;
}

Guardian::Child* Guardian::Find(const std::string& key) {
  if (key.empty()) return nullptr;
  for (auto& [pid, child] : children_) {
    if (child->kind != Kind::kAgent && child->key == key) return child.get();
  }
  return nullptr;
}

Guardian::Child* Guardian::Agent() {
  for (auto& [pid, child] : children_) {
    if (child->kind == Kind::kAgent) return child.get();
  }
  return nullptr;
}

size_t Guardian::Count(Kind kind) const {
  size_t count = 0;
  for (const auto& [pid, child] : children_) count += child->kind == kind;
  return count;
}

void Guardian::SendSignal(Child* child, int signo) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (os_->SendSignal(child->started.pidfd.get(), signo) != 0) continue;
    child->sent_signal = signo;
    return;
  }
}

}  // namespace squall

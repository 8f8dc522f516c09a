// Instance: how it is hurt, ends, and is restarted.
#include <signal.h>
#include <sys/wait.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/random.h"
#include "faults/core/status_macros.h"
#include "targets/process/instance.h"
#include "targets/process/proc.h"

namespace squall {
namespace {
constexpr int kPollsAtEnd = 32;  // the rest is polled as before, until the next start
}  // namespace

void Instance::End(int64_t grace_ns) {
  ending_ = true;
  options_->loop->Cancel(restart_timer_);
  options_->loop->Cancel(drain_timer_);
  if (!running()) return;
  (void)Continue();  // a stopped process does not hear TERM
  (void)options_->spawner->Signal(info_.name, SIGTERM);
  SetTimer(&kill_timer_, options_->clock->Now() + grace_ns, [this] {
    if (running()) (void)options_->spawner->Signal(info_.name, SIGKILL);
  });
}

void Instance::DrainAt(int64_t when_ns, int64_t grace_ns) {
  info_.drained = true;
  options_->loop->Cancel(restart_timer_);
  SetTimer(&drain_timer_, when_ns, [this, grace_ns] { End(grace_ns); });
}

FleetObserver::Exit Instance::ExitOf(int wait_status, int sent_signal, double cpu_seconds) const {
  FleetObserver::Exit exit;
  exit.cpu_seconds = cpu_seconds;
  if (WIFSIGNALED(wait_status)) exit.signal = WTERMSIG(wait_status);
  if (WIFEXITED(wait_status)) exit.code = WEXITSTATUS(wait_status);
  // Told to end, it may exit by itself on TERM, or by TERM when KILL has been sent too: our doing. A SEGV is not.
  const bool as_told = exit.signal == 0 || exit.signal == SIGTERM || exit.signal == SIGKILL;
  const bool by_us = sent_signal != 0 && (exit.signal == sent_signal || (ending_ && as_told));
  exit.cause = by_us ? "by us" : exit.signal != 0 ? "by signal" : "by itself";
  exit.wanted = ending_ || (spec_->job && exit.signal == 0 && exit.code == 0);
  return exit;
}

// What it said last comes before its end.
void Instance::DrainOutput() {
  if (!patterns_->AsksForEvents() && !patterns_->AsksForReady()) return;
  const auto on_line = [this](std::string_view line) { OnLine(line); };
  for (int i = 0; i < kPollsAtEnd; ++i) {
    if (!tail_.Poll(on_line)) return tail_.Flush(on_line);
  }
}

void Instance::OnExited(int pid, int wait_status, int sent_signal, int64_t at_ns, double cpu_seconds) {
  if (pid != info_.pid) return;
  DrainOutput();
  for (const auto& timer : {ready_timer_, kill_timer_, thaw_timer_}) options_->loop->Cancel(timer);
  const FleetObserver::Exit exit = ExitOf(wait_status, sent_signal, cpu_seconds);
  info_.pid = 0;
  info_.ready = info_.stopped = false;
  last_signal_ = exit.signal;
  ended_cpu_seconds_ += cpu_seconds;
  if (spec_->job && exit.signal == 0 && exit.code == 0) BecomeReady(at_ns);
  options_->observer->OnExited(info_, exit, at_ns);
  const bool comes_back = MaybeRestart(exit);
  if (!comes_back && !ever_ready_ && !ending_ && !info_.drained) {
    const std::string how =
        exit.signal != 0 ? absl::StrCat("by signal ", exit.signal) : absl::StrCat("with code ", exit.code);
    Fail(absl::StrCat(info_.name, " ended ", how, spec_->job ? "" : " before it was ready"), true);
  }
  on_change_();
}

bool Instance::MaybeRestart(const FleetObserver::Exit& exit) {
  const RestartPolicy& policy = spec_->restart;
  const bool crashed = exit.signal != 0 || exit.code != 0;
  const bool wanted = policy.when == RestartPolicy::ALWAYS || (policy.when == RestartPolicy::ON_CRASH && crashed);
  if (ending_ || info_.drained || spec_->job || !wanted) return false;
  if (policy.at_most > 0 && restarts_ >= policy.at_most) return false;
  ++restarts_;
  RandomStream stream(options_->seed, absl::StrCat("restart/", info_.name, "/", info_.incarnation));
  const double factor = policy.jitter > 0 ? stream.Uniform(1 - policy.jitter, 1 + policy.jitter) : 1;
  const auto after = static_cast<int64_t>(static_cast<double>(policy.after_ns) * factor);
  SetTimer(&restart_timer_, options_->clock->Now() + after, [this] { Spawn(); });
  return true;
}

absl::Status Instance::Signal(int signo) {
  const auto not_running = [this] { return absl::FailedPreconditionError(absl::StrCat(info_.name, " does not run")); };
  if (!running()) return not_running();
  const absl::Status sent = options_->spawner->Signal(info_.name, signo);
  return absl::IsNotFound(sent) ? not_running() : sent;  // it has ended, and the news is on its way
}

absl::Status Instance::Stop(int64_t deadline_ns) {
  if (!running()) return absl::FailedPreconditionError(absl::StrCat(info_.name, " does not run"));
  RETURN_IF_ERROR(options_->spawner->Stop(info_.name, deadline_ns));
  info_.stopped = true;
  SetTimer(&thaw_timer_, deadline_ns, [this] { info_.stopped = false; });  // the spawner continues it by itself
  return absl::OkStatus();
}

absl::Status Instance::Continue() {
  if (!running()) return absl::OkStatus();
  const absl::Status continued = options_->spawner->Continue(info_.name);
  if (!continued.ok() && !absl::IsNotFound(continued)) return continued;
  options_->loop->Cancel(thaw_timer_);
  info_.stopped = false;
  return absl::OkStatus();
}

ProcessSeam::State Instance::Look() const {
  State state;
  state.running = running();
  state.stopped = IsStopped(info_.pid);
  state.incarnation = info_.incarnation;
  state.exit_signal = last_signal_;
  return state;
}

}  // namespace squall

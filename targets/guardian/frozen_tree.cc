#include "targets/guardian/frozen_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

constexpr int64_t kSettleNs = 100 * kMillisecond;  // how long all may take until they stand still
constexpr int64_t kPauseNs = kMillisecond / 2;

void WaitOn(int fd, int64_t wait_ns) {
  pollfd entry{fd, POLLIN, 0};
  const timespec limit{wait_ns / kSecond, wait_ns % kSecond};
  ppoll(&entry, fd >= 0 ? 1 : 0, &limit, nullptr);
}

bool Readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return poll(&entry, 1, 0) > 0;
}

// Closes all but `keep` and the standard streams.
void CloseAllBut(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  unsigned from = STDERR_FILENO + 1;
  for (const int fd : keep) {
    if (static_cast<unsigned>(fd) > from) close_range(from, fd - 1, 0);
    from = fd + 1;
  }
  close_range(from, ~0u, 0);
}

}  // namespace

absl::StatusOr<Liveness> Liveness::Create() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe for the guardian's life");
  return Liveness{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

bool FrozenTree::Belongs(pid_t pid) const {
  ProcessInfo info;
  if (!ReadProcess(pid, &info) || info.state == 'Z' || info.state == 'X') return false;
  if (pid == leader_ || info.session == leader_) return true;
  if (std::any_of(members_.begin(), members_.end(), [&](const Member& m) { return m.pid == info.parent; })) return true;
  return EnvironmentHolds(pid, marker_);
}

// A number found in /proc may be another's by the time it is opened. So: open first, then ask whether it belongs to us;
// if what we opened has died meanwhile, signals to it go nowhere.
absl::StatusOr<bool> FrozenTree::FindNew() {
  std::vector<pid_t> candidates = {leader_};
  for (const pid_t pid : DescendantsOf(getpid())) candidates.push_back(pid);
  bool found = false;
  for (const pid_t pid : candidates) {
    const auto known = [&](const Member& m) { return m.pid == pid && !Readable(m.pidfd.get()); };
    if (std::any_of(members_.begin(), members_.end(), known) || !Belongs(pid)) continue;
    UniqueFd pidfd(context_.os->PidfdOpen(pid));
    if (!pidfd.valid() && errno == ESRCH) continue;
    if (!pidfd.valid()) return absl::ErrnoToStatus(errno, "pidfd_open for a hang");
    if (!Belongs(pid)) continue;
    members_.push_back({pid, std::move(pidfd)});
    found = true;
  }
  return found;
}

absl::Status FrozenTree::StopAll() {
  for (Member& member : members_) {
    if (member.stop_sent) continue;
    if (context_.os->SendSignal(member.pidfd.get(), SIGSTOP) != 0 && errno != ESRCH) {
      return absl::ErrnoToStatus(errno, absl::StrCat("stopping process ", member.pid));
    }
    member.stop_sent = true;
  }
  return absl::OkStatus();
}

bool FrozenTree::AllStopped() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    ProcessInfo info;
    return !ReadProcess(member.pid, &info) || info.state == 'T' || info.state == 't' || info.state == 'Z';
  });
}

absl::StatusOr<std::unique_ptr<FrozenTree>> FrozenTree::Freeze(const Context& context, pid_t leader,
                                                               const std::string& marker, int64_t deadline_ns) {
  std::unique_ptr<FrozenTree> tree(new FrozenTree(context, leader, marker, deadline_ns));
  RETURN_IF_ERROR(tree->FindNew().status());
  if (tree->members_.empty()) return absl::FailedPreconditionError("it does not run");
  size_t guarded = 0;  // members the sentinel knows
  // Until they all stand still nobody can fork any more, so that a last look finds whoever slipped through.
  for (const int64_t give_up = context.clock->Now() + kSettleNs;;) {
    if (guarded < tree->members_.size()) {
      RETURN_IF_ERROR(tree->StartSentinel());
      guarded = tree->members_.size();
    }
    RETURN_IF_ERROR(tree->StopAll());
    const bool settled = tree->AllStopped();
    ASSIGN_OR_RETURN(const bool more, tree->FindNew());
    if (more) continue;
    if (settled || context.clock->Now() > give_up) return tree;
    WaitOn(-1, kPauseNs);
  }
}

FrozenTree::~FrozenTree() {
  SignalAll(context_.os, SIGCONT);
  EndSentinel(std::move(sentinel_));
}

void FrozenTree::TakeOver(std::unique_ptr<FrozenTree> earlier) {
  earlier->EndSentinel(std::move(earlier->sentinel_));
  earlier->members_.clear();
  SignalAll(context_.os, SIGSTOP);  // its sentinel may have thawed them a moment ago
}

// Children first: a parent must not wake to see its children stopped. A refused call is made a second time.
void FrozenTree::SignalAll(Os* os, int signo) {
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    if (os->SendSignal(member->pidfd.get(), signo) != 0 && errno != ESRCH) {
      os->SendSignal(member->pidfd.get(), signo);
    }
  }
}

absl::Status FrozenTree::StartSentinel() {
  int pidfd = -1;
  const pid_t pid = context_.os->Fork(&pidfd);
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork of the thaw sentinel");
  if (pid == 0) RunSentinel();
  EndSentinel(std::exchange(sentinel_, UniqueFd(pidfd)));
  return absl::OkStatus();
}

void FrozenTree::RunSentinel() {
  prctl(PR_SET_NAME, "squall-thaw");
  setsid();
  const int alive = context_.liveness->read.get();
  std::vector<int> keep = {alive};
  for (const Member& member : members_) keep.push_back(member.pidfd.get());
  CloseAllBut(std::move(keep));
  for (;;) {
    const int64_t now = context_.clock->Now();
    const int64_t until = std::min(deadline_ns_, context_.lease->until());
    const bool orphan = Readable(alive);
    if (orphan || now >= until) {
      SignalAll(RealOs(), orphan ? context_.guardian_death_signal : SIGCONT);
      _exit(0);
    }
    WaitOn(alive, until - now);
  }
}

// Waits until it is gone, so that it cannot thaw what is frozen next.
void FrozenTree::EndSentinel(UniqueFd sentinel) {
  if (!sentinel.valid()) return;
  RealOs()->SendSignal(sentinel.get(), SIGKILL);
  WaitOn(sentinel.get(), kSecond);
}

}  // namespace squall

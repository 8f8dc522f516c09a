// Guardian: starting children, and keeping fault hosts alive.
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "targets/guardian/guardian.h"
#include "targets/guardian/protocol.h"

namespace squall {
namespace {

// A host that dies young is started again later and later, but never given up.
constexpr int64_t kYoungNs = kSecond;
constexpr int64_t kFirstDelayNs = 10 * kMillisecond;
constexpr int64_t kLongestDelayNs = kSecond;

}  // namespace

absl::StatusOr<Guardian::Child*> Guardian::Launch(Kind kind, const std::string& key, Command command,
                                                  uint64_t request_id) {
  auto child = std::make_unique<Child>();
  ASSIGN_OR_RETURN(child->started, Start(os_, command));
  child->kind = kind;
  child->key = key;
  child->command = std::move(command);
  child->request_id = request_id;
  child->started_ns = clock_->Now();
  const pid_t pid = child->started.pid;
  Child* const launched = (children_[pid] = std::move(child)).get();
  loop_.Watch(launched->started.report.get(), EPOLLIN, [this, pid](uint32_t) {
    OnReport(pid);
    Advance();
  });
  Go(launched->started);
  return launched;
}

void Guardian::OnReport(pid_t pid) {
  const auto found = children_.find(pid);
  if (found == children_.end() || !found->second->started.report.valid()) return;
  Child* const child = found->second.get();
  const absl::Status result = ReadResult(child->started, child->command);
  if (WouldBlock(result)) return;
  loop_.Unwatch(child->started.report.get());
  child->started.report.reset();
  child->executed = result.ok();
  if (child->request_id != 0) Reply(child->request_id, result, pid);
  if (child->kind == Kind::kHost && result.ok()) AnnounceHost(child);
  if (result.ok()) return;
  fprintf(stderr, "squall-guardian: %s%s%s\n", child->key.c_str(), child->key.empty() ? "" : ": ",
          std::string(result.message()).c_str());
  if (child->request_id == 0) return;  // a host's later incarnation: OnHostExit tries again
  hosts_.erase(child->key);
  child->key.clear();  // free at once
}

absl::Status Guardian::StartHost(const std::string& key, uint64_t request_id) {
  Host& host = hosts_.at(key);
  int ends[2];
  if (os_->SocketPair(SOCK_SEQPACKET, ends) != 0) return absl::ErrnoToStatus(errno, "socketpair for a fault host");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  Command command;
  command.argv.assign(host.spec.argv().begin(), host.spec.argv().end());
  command.argv.push_back(absl::StrCat("--control_fd=", theirs.get()));
  command.argv.push_back(absl::StrCat("--lease_fd=", lease_.fd()));
  command.argv.push_back(absl::StrCat("--guardian_fd=", liveness_.read.get()));
  command.inherited = {theirs.get(), lease_.fd(), liveness_.read.get()};
  for (const BoundListener& listener : host.listeners) {
    command.argv.push_back(absl::StrCat("--listener=", listener.name, "=", listener.fd.get()));
    command.inherited.push_back(listener.fd.get());
  }
  command.env = options_.agent_env;
  command.output = host.spec.output();
  command.parent_death_signal = host.spec.outlives_agent() && options_.attach ? 0 : SIGKILL;
  ASSIGN_OR_RETURN(Child * child, Launch(Kind::kHost, key, std::move(command), request_id));
  child->control = std::move(ours);
  ++host.incarnation;
  return absl::OkStatus();
}

void Guardian::AnnounceHost(Child* child) {
  const Host& host = hosts_.at(child->key);
  guardian::v1::Event event;
  guardian::v1::HostUp& up = *event.mutable_host_up();
  up.set_key(child->key);
  up.set_pid(child->started.pid);
  up.set_incarnation(host.incarnation);
  for (const BoundListener& listener : host.listeners) (*up.mutable_addresses())[listener.name] = listener.address;
  Send(event, std::move(child->control));
}

void Guardian::OnHostExit(const Child& child) {
  const auto found = hosts_.find(child.key);
  if (found == hosts_.end()) return;
  Host& host = found->second;
  const bool dropped = !host.spec.outlives_agent() && !agent_.valid();
  if (!host.spec.respawn() || dropped || stage_ != Stage::kServing) {
    hosts_.erase(found);
    return;
  }
  const bool young = clock_->Now() - child.started_ns < kYoungNs;
  const int64_t delay = host.delay_ns;
  host.delay_ns = young ? std::min(std::max(kFirstDelayNs, delay * 2), kLongestDelayNs) : 0;
  if (!young || delay == 0) return RestartHost(child.key);
  host.restart = loop_.After(delay, [this, key = child.key] { RestartHost(key); });
}

void Guardian::RestartHost(const std::string& key) {
  const auto found = hosts_.find(key);
  if (found == hosts_.end() || stage_ != Stage::kServing) return;
  found->second.restart.reset();
  const absl::Status started = StartHost(key, 0);
  if (started.ok()) return;
  fprintf(stderr, "squall-guardian: %s: %s\n", key.c_str(), std::string(started.message()).c_str());
  found->second.restart = loop_.After(kLongestDelayNs, [this, key] { RestartHost(key); });
}

void Guardian::DropDrivers() {
  for (auto& [pid, child] : children_) {
    if (child->kind != Kind::kHost) continue;
    const auto host = hosts_.find(child->key);
    if (host != hosts_.end() && !host->second.spec.outlives_agent()) SendSignal(child.get(), SIGKILL);
  }
  for (auto host = hosts_.begin(); host != hosts_.end();) {
    const bool waits = host->second.restart.has_value();
    if (waits && (stage_ != Stage::kServing || !host->second.spec.outlives_agent())) {
      loop_.Cancel(*host->second.restart);
      host = hosts_.erase(host);
    } else {
      ++host;
    }
  }
}

}  // namespace squall

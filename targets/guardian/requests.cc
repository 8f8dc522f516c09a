// Guardian: what the agent asks for, and what it is told.
#include <signal.h>

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

constexpr size_t kMaxUnsent = 4096;  // an agent that reads none of so many has hung for good

bool IsStop(int signo) { return signo == SIGSTOP || signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU; }
bool IsFatal(int signo) {  // by default
  return !IsStop(signo) && signo != SIGCHLD && signo != SIGCONT && signo != SIGURG && signo != SIGWINCH;
}

}  // namespace

void Guardian::OnAgentReadable() {
  while (agent_.valid()) {
    guardian::v1::Request request;
    const absl::Status got = ReceivePacket(agent_.get(), &request);
    if (WouldBlock(got)) return;
    if (got.ok()) {
      Handle(request);
    } else if (got.code() == absl::StatusCode::kDataLoss) {
      fprintf(stderr, "squall-guardian: from the agent: %s\n", std::string(got.message()).c_str());
    } else {
      OnAgentGone();
    }
  }
  Advance();
}

void Guardian::Handle(const guardian::v1::Request& request) {
  using Case = guardian::v1::Request::RequestCase;
  const uint64_t id = request.id();
  absl::Status status;
  switch (request.request_case()) {
    case Case::kSpawn:  // the reply comes once exec succeeded or failed
      status = Do(id, request.spawn());
      if (status.ok()) return;
      break;
    case Case::kSpawnHost:
      status = Do(id, request.spawn_host());
      if (status.ok()) return;
      break;
    case Case::kSignal:
      status = Do(request.signal());
      break;
    case Case::kHang:
      status = Do(request.hang());
      break;
    case Case::kThaw:
      status = Do(request.thaw());
      break;
    case Case::kEnd:
      Reply(id, absl::OkStatus());
      return BeginEnd(0);
    case Case::REQUEST_NOT_SET:
      status = absl::UnimplementedError("no such request in this version");
      break;
  }
  Reply(id, status);
}

absl::Status Guardian::Do(uint64_t id, const guardian::v1::Spawn& spawn) {
  if (stage_ != Stage::kServing) return absl::FailedPreconditionError("the guardian is ending");
  if (spawn.key().empty()) return absl::InvalidArgumentError("key is empty");
  if (Find(spawn.key()) != nullptr || hosts_.contains(spawn.key())) {
    return absl::AlreadyExistsError(absl::StrCat(spawn.key(), " runs already"));
  }
  Command command;
  command.argv.assign(spawn.argv().begin(), spawn.argv().end());
  command.env.assign(spawn.env().begin(), spawn.env().end());
  command.env.push_back(absl::StrCat("SQUALL_TARGET=", spawn.key()));
  command.cwd = spawn.cwd();
  command.output = spawn.output();
  command.parent_death_signal = options_.attach ? SIGCONT : SIGKILL;
  return Launch(Kind::kTarget, spawn.key(), std::move(command), id).status();
}

absl::Status Guardian::Do(uint64_t id, const guardian::v1::SpawnHost& spawn) {
  if (stage_ != Stage::kServing) return absl::FailedPreconditionError("the guardian is ending");
  if (spawn.key().empty()) return absl::InvalidArgumentError("key is empty");
  if (Find(spawn.key()) != nullptr || hosts_.contains(spawn.key())) {
    return absl::AlreadyExistsError(absl::StrCat(spawn.key(), " runs already"));
  }
  Host host;
  host.spec = spawn;
  for (const guardian::v1::Listener& wanted : spawn.listeners()) {
    ASSIGN_OR_RETURN(BoundListener bound, BindListener(os_, wanted.name(), wanted.address()));
    host.listeners.push_back(std::move(bound));
  }
  hosts_.emplace(spawn.key(), std::move(host));
  const absl::Status started = StartHost(spawn.key(), id);
  if (!started.ok()) hosts_.erase(spawn.key());
  return started;
}

absl::Status Guardian::Do(const guardian::v1::Signal& signal) {
  Child* const child = Find(signal.key());
  if (child == nullptr) return absl::NotFoundError(absl::StrCat(signal.key(), " does not run"));
  const int signo = signal.signo();
  if (signo < 1 || signo >= NSIG) return absl::InvalidArgumentError(absl::StrCat("no signal ", signo));
  if (IsStop(signo)) return absl::InvalidArgumentError("a stop needs a deadline: ask for a Hang");
  if (os_->SendSignal(child->started.pidfd.get(), signo) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("signal ", signo, " to ", signal.key()));
  }
  if (IsFatal(signo)) child->sent_signal = signo;
  return absl::OkStatus();
}

absl::Status Guardian::Do(const guardian::v1::Hang& hang) {
  Child* const child = Find(hang.key());
  if (child == nullptr) return absl::NotFoundError(absl::StrCat(hang.key(), " does not run"));
  const int64_t now = clock_->Now();
  if (hang.deadline_ns() <= now) return absl::DeadlineExceededError("the deadline of the hang has passed");
  if (!lease_.Live(now)) return absl::FailedPreconditionError("the lease has lapsed");
  const FrozenTree::Context context{os_, clock_, &lease_, &liveness_, options_.attach ? SIGCONT : SIGKILL};
  absl::StatusOr<std::unique_ptr<FrozenTree>> frozen =
      FrozenTree::Freeze(context, child->started.pid, absl::StrCat("SQUALL_TARGET=", hang.key()), hang.deadline_ns());
  if (!frozen.ok()) {
    child->frozen.reset();
    return frozen.status();
  }
  if (child->frozen != nullptr) (*frozen)->TakeOver(std::move(child->frozen));
  child->frozen = *std::move(frozen);
  ScheduleThaw(child);
  return absl::OkStatus();
}

absl::Status Guardian::Do(const guardian::v1::Thaw& thaw) {
  Child* const child = Find(thaw.key());
  if (child != nullptr) child->frozen.reset();
  return absl::OkStatus();
}

void Guardian::ScheduleThaw(Child* child) {
  if (child->thaw.has_value()) loop_.Cancel(*child->thaw);
  const int64_t when = std::min(child->frozen->deadline_ns(), lease_.until());
  child->thaw = loop_.At(when, [this, child] { CheckThaw(child); });
}

void Guardian::CheckThaw(Child* child) {
  child->thaw.reset();
  if (child->frozen == nullptr) return;
  const int64_t now = clock_->Now();
  const bool deadline = now >= child->frozen->deadline_ns();
  if (!deadline && lease_.Live(now)) return ScheduleThaw(child);
  child->frozen.reset();
  guardian::v1::Event event;
  event.mutable_thawed()->set_key(child->key);
  event.mutable_thawed()->set_at_ns(clock_->Now());
  event.mutable_thawed()->set_why(deadline ? "deadline" : "lease");
  Send(event);
}

void Guardian::ThawAll() {
  for (auto& [pid, child] : children_) child->frozen.reset();
}

void Guardian::Reply(uint64_t id, const absl::Status& status, pid_t pid) {
  guardian::v1::Event event;
  guardian::v1::Reply& reply = *event.mutable_reply();
  reply.set_id(id);
  reply.set_code(static_cast<int>(status.code()));
  reply.set_error(std::string(status.message()));
  if (status.ok()) reply.set_pid(pid);
  reply.set_at_ns(clock_->Now());
  Send(event);
}

void Guardian::Send(const guardian::v1::Event& event, UniqueFd fd) {
  if (!agent_.valid()) return;
  unsent_.emplace_back(event, std::move(fd));
  Flush();
}

void Guardian::Flush() {
  while (!unsent_.empty() && agent_.valid()) {
    const auto& [event, fd] = unsent_.front();
    const int raw = fd.get();
    const absl::Status sent =
        SendPacket(agent_.get(), event, raw >= 0 ? absl::MakeConstSpan(&raw, 1) : absl::Span<const int>());
    if (WouldBlock(sent)) break;
    if (!sent.ok() && !ChannelClosed(sent)) {
      fprintf(stderr, "squall-guardian: to the agent: %s\n", std::string(sent.message()).c_str());
    }
    unsent_.pop_front();
  }
  if (!agent_.valid()) return;
  if (unsent_.size() > kMaxUnsent) {
    if (Child* agent = Agent()) SendSignal(agent, SIGKILL);
  }
  if (waits_for_room_ == unsent_.empty()) WatchAgent();
}

void Guardian::WatchAgent() {
  waits_for_room_ = !unsent_.empty();
  loop_.Watch(agent_.get(), waits_for_room_ ? EPOLLIN | EPOLLOUT : EPOLLIN, [this](uint32_t events) {
    if (events & EPOLLOUT) Flush();
    OnAgentReadable();
  });
}

}  // namespace squall

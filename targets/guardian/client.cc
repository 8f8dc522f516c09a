#include "targets/guardian/client.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <vector>

#include "targets/guardian/protocol.h"

namespace squall {

GuardianClient::GuardianClient(int fd, Events events)
    : events_(std::move(events)),
      channel_(fd),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      poll_(epoll_create1(EPOLL_CLOEXEC)) {
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (const int watched : {channel_.get(), wake_.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(poll_.get(), EPOLL_CTL_ADD, watched, &event);
  }
}

void GuardianClient::SignalPending() {
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof(one));
}

absl::Status GuardianClient::ReceiveOne(int64_t wait_ns, guardian::v1::Reply* reply) {
  Arrived arrived;
  std::vector<UniqueFd> fds;
  const absl::Status got = ReceivePacket(channel_.get(), &arrived.event, &fds, wait_ns);
  if (!got.ok() && !WouldBlock(got) && got.code() != absl::StatusCode::kDataLoss) {
    gone_ = true;
    epoll_ctl(poll_.get(), EPOLL_CTL_DEL, channel_.get(), nullptr);
    SignalPending();
  }
  if (!got.ok()) return got;
  if (arrived.event.has_reply()) {
    *reply = std::move(*arrived.event.mutable_reply());
    return got;
  }
  if (!fds.empty()) arrived.fd = std::move(fds[0]);
  queue_.push_back(std::move(arrived));
  SignalPending();
  return got;
}

absl::StatusOr<guardian::v1::Reply> GuardianClient::Call(guardian::v1::Request request) {
  if (gone_) return absl::UnavailableError("the guardian is gone");
  const uint64_t id = next_id_++;
  request.set_id(id);
  const int64_t until = clock_.Now() + kCallNs;
  const absl::Status sent = SendPacket(channel_.get(), request, {}, kCallNs);
  if (sent.code() == absl::StatusCode::kInvalidArgument) return sent;
  while (!gone_) {
    const int64_t left = until - clock_.Now();
    if (left <= 0) return absl::DeadlineExceededError("the guardian did not answer within 5 s");
    guardian::v1::Reply reply;
    const absl::Status got = ReceiveOne(left, &reply);
    if (!got.ok() || reply.id() != id) continue;  // an event, or the late answer to an earlier call
    if (reply.code() == 0) return reply;
    return absl::Status(static_cast<absl::StatusCode>(reply.code()), reply.error());
  }
  return absl::UnavailableError("the guardian is gone");
}

void GuardianClient::OnReadable() {
  uint64_t count;
  (void)!read(wake_.get(), &count, sizeof(count));
  for (guardian::v1::Reply late; !gone_;) {
    if (WouldBlock(ReceiveOne(0, &late))) break;
  }
  while (!queue_.empty()) {
    Arrived arrived = std::move(queue_.front());
    queue_.pop_front();
    const guardian::v1::Event& event = arrived.event;
    if (event.has_exited() && events_.exited) events_.exited(event.exited());
    if (event.has_host_up() && events_.host_up) events_.host_up(event.host_up(), arrived.fd.release());
    if (event.has_thawed() && events_.thawed) events_.thawed(event.thawed());
  }
  if (gone_ && !gone_told_) {
    gone_told_ = true;
    (void)!read(wake_.get(), &count, sizeof(count));
    if (events_.gone) events_.gone();
  }
}

}  // namespace squall

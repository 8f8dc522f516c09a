#include "targets/host/client.h"

#include <algorithm>
#include <utility>

#include "targets/guardian/protocol.h"

namespace squall {

absl::Status HostClient::Receive(int64_t wait_ns, host::v1::HostMessage* message) {
  const absl::Status got = ReceivePacket(fd_.get(), message, nullptr, wait_ns);
  if (got.ok() || WouldBlock(got) || got.code() == absl::StatusCode::kDataLoss) return got;
  gone_ = true;
  return absl::OutOfRangeError("the host is gone");
}

void HostClient::OnReadable() {
  while (!gone_) {
    host::v1::HostMessage message;
    const absl::Status got = Receive(0, &message);
    if (got.ok()) {
      waiting_.push_back(std::move(message));
    } else if (got.code() != absl::StatusCode::kDataLoss) {
      break;
    }
  }
  Dispatch();
}

void HostClient::Dispatch() {
  while (!waiting_.empty()) {
    const host::v1::HostMessage message = std::move(waiting_.front());
    waiting_.pop_front();
    if (message.has_stats() && events_.stats) events_.stats(message.stats());
    if (message.has_ended() && events_.ended) events_.ended(message.ended());
    // A reply here answers a call that gave up waiting.
  }
  if (gone_ && !std::exchange(told_gone_, true) && events_.gone) events_.gone();
}

absl::StatusOr<host::v1::HostReply> HostClient::Call(host::v1::HostRequest request) {
  if (gone_) return absl::UnavailableError("the host is gone");
  const uint64_t id = next_id_++;
  request.set_id(id);
  const RealClock clock;  // bounds a system call; no decision hangs on it
  const int64_t until = clock.Now() + kCallNs;
  const absl::Status sent = SendPacket(fd_.get(), request, {}, kCallNs);
  if (ChannelClosed(sent)) gone_ = true;
  if (gone_) return absl::UnavailableError("the host is gone");
  if (!sent.ok()) return WouldBlock(sent) ? absl::DeadlineExceededError("the host does not read") : sent;
  while (true) {
    host::v1::HostMessage message;
    const absl::Status got = Receive(std::max<int64_t>(until - clock.Now(), 0), &message);
    if (got.ok()) {
      if (!message.has_reply()) {
        waiting_.push_back(std::move(message));
      } else if (message.reply().id() == id) {
        const host::v1::HostReply& reply = message.reply();
        if (reply.code() == 0) return reply;
        return absl::Status(static_cast<absl::StatusCode>(reply.code()), reply.error());
      }
    } else if (gone_) {
      return absl::UnavailableError("the host is gone");
    }
    if (clock.Now() >= until) return absl::DeadlineExceededError("the host did not answer within 1 s");
  }
}

}  // namespace squall

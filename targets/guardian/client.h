// The agent's side of guardian.proto.
//
//   GuardianClient guardian(fd, {.exited = ..., .host_up = ..., .thawed = ..., .gone = ...});
//   loop.Watch(guardian.fd(), EPOLLIN, [&](uint32_t) { guardian.OnReadable(); });
//   guardian::v1::Request request;
//   *request.mutable_spawn()->add_argv() = "redis-server";
//   ASSIGN_OR_RETURN(guardian::v1::Reply reply, guardian.Call(std::move(request)));
#ifndef TARGETS_GUARDIAN_CLIENT_H_
#define TARGETS_GUARDIAN_CLIENT_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/unique_fd.h"
#include "targets/guardian/guardian.pb.h"

namespace squall {

// One thread. Callbacks run inside OnReadable only, never inside Call, and may call Call.
class GuardianClient {
 public:
  struct Events {
    std::function<void(const guardian::v1::Exited&)> exited;
    std::function<void(const guardian::v1::HostUp&, int fd)> host_up;  // fd: the callback's to close
    std::function<void(const guardian::v1::Thawed&)> thawed;
    std::function<void()> gone;  // the guardian died or is leaving; once
  };
  static constexpr int64_t kCallNs = 5 * kSecond;

  GuardianClient(int fd, Events events);  // takes ownership of fd (--guardian_fd); makes it close-on-exec
  GuardianClient(const GuardianClient&) = delete;

  // Readable while something is to be dispatched, also what arrived during a Call. Not for reading from.
  int fd() const { return poll_.get(); }
  void OnReadable();
  // Sends the request (its id is set here) and waits for the answer, at most 5 s. A refusal is a status with the
  // guardian's code and message. Unavailable: the guardian is gone. DeadlineExceeded: no answer; it may still be done.
  absl::StatusOr<guardian::v1::Reply> Call(guardian::v1::Request request);

 private:
  struct Arrived {
    guardian::v1::Event event;
    UniqueFd fd;
  };
  absl::Status ReceiveOne(int64_t wait_ns, guardian::v1::Reply* reply);  // a reply goes there, an event to the queue
  void SignalPending();

  const RealClock clock_;
  const Events events_;
  UniqueFd channel_;
  UniqueFd wake_;  // eventfd: readable while the queue holds something
  UniqueFd poll_;  // epoll over both
  std::deque<Arrived> queue_;
  uint64_t next_id_ = 1;
  bool gone_ = false;       // seen
  bool gone_told_ = false;  // dispatched
};

}  // namespace squall

#endif  // TARGETS_GUARDIAN_CLIENT_H_

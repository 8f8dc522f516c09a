// The agent's end of a fault host's control channel.
//
//   HostClient client(std::move(fd), {.stats = ..., .ended = ..., .gone = ...});
//   loop.Watch(client.fd(), EPOLLIN, [&](uint32_t) { client.OnReadable(); });
//   host::v1::HostRequest request;
//   *request.mutable_arm() = arm;
//   ASSIGN_OR_RETURN(host::v1::HostReply reply, client.Call(std::move(request)));
#ifndef TARGETS_HOST_CLIENT_H_
#define TARGETS_HOST_CLIENT_H_

#include <cstdint>
#include <deque>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/unique_fd.h"
#include "faults/host.pb.h"

namespace squall {

// One thread. Events run inside OnReadable and Dispatch only, never inside Call.
class HostClient {
 public:
  struct Events {  // each may be null
    std::function<void(const host::v1::HostStats&)> stats;
    std::function<void(const host::v1::HostFaultEnded&)> ended;
    std::function<void()> gone;  // once: the host is gone and took its faults with it
  };
  static constexpr int64_t kCallNs = kSecond;

  HostClient(int fd, Events events) : HostClient(UniqueFd(fd), std::move(events)) {}
  HostClient(UniqueFd fd, Events events) : fd_(std::move(fd)), events_(std::move(events)) {}

  int fd() const { return fd_.get(); }  // readable: call OnReadable. Unwatch it in `gone`
  bool gone() const { return gone_; }
  // Takes what has come, then dispatches.
  void OnReadable();
  // Hands out the events that came while a Call waited; OnReadable does it too.
  void Dispatch();
  // Sends with an id of its own and waits for the reply, 1 s at most. An error is the host's own (its code and text),
  // or DeadlineExceeded (it may still take effect: lift it), or Unavailable (the host is gone).
  absl::StatusOr<host::v1::HostReply> Call(host::v1::HostRequest request);

 private:
  absl::Status Receive(int64_t wait_ns, host::v1::HostMessage* message);

  UniqueFd fd_;
  Events events_;
  uint64_t next_id_ = 1;
  bool gone_ = false;
  bool told_gone_ = false;
  std::deque<host::v1::HostMessage> waiting_;
};

}  // namespace squall

#endif  // TARGETS_HOST_CLIENT_H_

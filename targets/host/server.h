// The fault host's end of the control channel: holds the armed faults of one process and sees to it that they end.
//
//   HostServer server({.loop = &loop, .clock = &clock, .lease = &lease, .control_fd = fd, .make = MakeFault,
//                      .seams = [&](const std::string& object) { return relay.SeamsOf(object); }});
//   loop.Run();
//
// Every fault is gone when it is lifted, when its deadline or the lease has passed (looked at every 20 ms and on every
// request; HostFaultEnded tells it), or when the channel closes.
#ifndef TARGETS_HOST_SERVER_H_
#define TARGETS_HOST_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/core/fault.h"
#include "faults/core/lease.h"
#include "faults/core/unique_fd.h"
#include "faults/host.pb.h"

namespace squall {

inline constexpr int64_t kFaultCheckNs = 20 * kMillisecond;
inline constexpr int64_t kHostStatsNs = 100 * kMillisecond;
inline constexpr int64_t kMaxFaultNs = 15 * 60 * kSecond;  // a deadline further off is refused

// One thread: the loop's. Never blocks: statistics are dropped when the agent does not read, replies are kept.
class HostServer {
 public:
  struct Options {
    EventLoop* loop = nullptr;  // not owned, like clock and lease
    const Clock* clock = nullptr;
    const LeasePage* lease = nullptr;
    int control_fd = -1;  // owned
    std::function<absl::StatusOr<std::unique_ptr<FaultKind>>(const faults::v1::Fault&)> make;
    std::function<absl::StatusOr<Seams>(const std::string& object)> seams;
    std::function<void(host::v1::HostStats*)> stats;                     // may be null
    std::function<absl::Status(const host::v1::StartLoad&)> start_load;  // null: this host drives no load
    std::function<void()> gone;  // the channel closed; every fault is lifted already; may be null
  };
  explicit HostServer(Options options);
  ~HostServer();  // lifts everything
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  // Lifts every fault now and says so; `why` as in HostFaultEnded.
  void LiftAll(const std::string& why);
  // As if the agent had closed the channel.
  void Close() {
    if (control_.valid()) Gone();
  }
  size_t armed() const { return armed_.size(); }

 private:
  struct Armed {
    ArmedFault fault;
    int64_t deadline_ns;
    int64_t at_ns;
  };
  struct Ended {
    faults::v1::Witness witness;
    int64_t at_ns;
  };
  void OnControl(uint32_t events);
  void Handle(const host::v1::HostRequest& request);
  absl::Status Arm(const host::v1::ArmFault& request, host::v1::HostReply* reply);
  absl::Status Lift(const std::string& instance, host::v1::HostReply* reply);
  absl::Status Witness(const std::string& instance, host::v1::HostReply* reply) const;
  // Lifts and moves it to the ended; a lift that fails leaves it armed, to be tried again.
  absl::Status End(const std::string& instance);
  void EndAndTell(const std::string& instance, const std::string& why);
  void Remember(const std::string& instance, Ended ended);
  void Tick();  // every 20 ms while something is armed
  void KeepTicking();
  void EndLapsed();
  void SendStats();
  void Send(const host::v1::HostMessage& message);
  void Flush();
  void Gone();

  Options options_;
  UniqueFd control_;
  std::map<std::string, Armed> armed_;
  std::map<std::string, Ended> ended_;   // ids that were lifted: arming one again is refused
  std::deque<std::string> ended_order_;  // oldest first; a bounded number is remembered
  std::deque<host::v1::HostMessage> unsent_;
  bool writing_ = false;  // waits for room in the channel
  std::optional<EventLoop::TimerId> tick_;
  std::optional<EventLoop::TimerId> stats_timer_;
};

}  // namespace squall

#endif  // TARGETS_HOST_SERVER_H_

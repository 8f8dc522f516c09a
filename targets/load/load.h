// One load: open-loop requests over TCP, sent when the curve says so, whatever the server does.
//
//   Load load(&loop, &clock, &lease, start_load);
//   load.AddStats(&stats);              // every 100 ms
//   load.Multiply(10, 5 * kSecond, deadline);
//
// The k-th request is due when the curve expects k + 1/2 of them. Latency counts from then, not from when the driver
// got round to sending. A connection carries one request at a time, so `connections` bounds what is in flight. A
// request that finds no free connection is counted as unsent at once, and so is one that the driver itself is over 50
// ms late with: neither is sent later, so nothing bursts above the curve after a stall. scheduled = sent + unsent and
// sent = ok + errors + in flight, always.
//
// An answer is complete at the first newline at or after the end of `expect` if the request ends in a newline, else
// when the bytes of `expect` are there (any byte if it is empty). It must start with `expect`, and nothing may follow
// it.
#ifndef TARGETS_LOAD_LOAD_H_
#define TARGETS_LOAD_LOAD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/core/lease.h"
#include "faults/host.pb.h"
#include "faults/seams/load.h"
#include "targets/host/address.h"
#include "targets/load/connection.h"
#include "targets/load/curve.h"
#include "targets/load/histogram.h"

namespace squall {

// One thread: the loop's. Begins by itself at start_ns.
class Load : public LoadSeam, public ConnectionOwner {
 public:
  static constexpr int64_t kTooLateNs = 50 * kMillisecond;
  static constexpr int64_t kReconnectNs = 50 * kMillisecond;

  struct Counts {
    uint64_t scheduled = 0;
    uint64_t sent = 0;
    uint64_t ok = 0;
    uint64_t unsent = 0;  // no free connection, or the driver was too late
    uint64_t errors[kCauses] = {};
    uint64_t all_errors() const;
  };

  // Not owned: loop, clock; lease (null: always live). InvalidArgument names the field.
  static absl::StatusOr<std::unique_ptr<Load>> Create(EventLoop* loop, const Clock* clock, const LeasePage* lease,
                                                      const host::v1::StartLoad& request);
  ~Load() override;

  const Counts& counts() const { return counts_; }
  size_t in_flight() const { return in_flight_; }
  // Of the answers of the last second.
  const Histogram& latency() const { return last_second_; }
  // Appends the series; moves the window of latencies on: call it every 100 ms.
  void AddStats(host::v1::HostStats* stats);

  // LoadSeam. FailedPrecondition: another spike lasts, or the lease has lapsed.
  absl::Status Multiply(double multiplier, int64_t ramp_ns, int64_t deadline_ns) override;
  absl::Status Restore() override;
  double Multiplier() const override;
  uint64_t ExtraScheduled() const override;

  // ConnectionOwner.
  void OnReady(Connection* connection) override { free_.push_back(connection); }
  void OnAnswer(Connection* connection, int64_t due_ns) override;
  void OnFailed(Connection* connection, Cause cause, bool had_request) override;

 private:
  Load(EventLoop* loop, const Clock* clock, const LeasePage* lease, const host::v1::StartLoad& request,
       SocketAddress address);
  void SetTimer();
  void CatchUp(int64_t now);
  void SendUntil(int64_t until, int64_t now);
  void Settle(int64_t until, int64_t now);
  void EndSpike(int64_t end, int64_t now);
  void One(int64_t now);
  uint64_t ExtraUntil(int64_t end) const;

  EventLoop* const loop_;
  const Clock* const clock_;
  const LeasePage* const lease_;
  const std::string name_;
  const ConnectionOptions connection_options_;
  RateCurve curve_;
  // Everything before last_ is scheduled; `part_` of the next request is due at last_ already.
  int64_t last_ = 0;
  double part_ = 0.5;
  int64_t next_ = kNever;
  std::optional<EventLoop::TimerId> timer_;

  int64_t spike_from_ = 0;
  int64_t spike_until_ = 0;  // 0: none, now
  uint64_t scheduled_before_spike_ = 0;
  uint64_t extra_ = 0;  // of the last spike, once it is over

  std::vector<std::unique_ptr<Connection>> connections_;
  std::deque<Connection*> free_;  // the one that waited longest sends next
  Counts counts_;
  uint64_t lost_connections_[kCauses] = {};  // without a request on them: refused, closed while idle
  size_t in_flight_ = 0;
  Histogram last_second_;
  std::deque<Histogram> windows_;  // of 100 ms, newest last
};

}  // namespace squall

#endif  // TARGETS_LOAD_LOAD_H_

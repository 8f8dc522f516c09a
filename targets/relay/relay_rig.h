// A relay with one link "l/0" on a thread of its own, and a delay to put on it; for tests and benchmarks.
#ifndef TARGETS_RELAY_RELAY_RIG_H_
#define TARGETS_RELAY_RELAY_RIG_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/seams/link.h"
#include "targets/host/testing/sockets.h"
#include "targets/relay/relay.h"

namespace squall::testing {

// Holds every chunk of the chosen direction for the same time.
class FixedDelay : public LinkFault {
 public:
  explicit FixedDelay(int64_t ns, faults::v1::Direction direction = faults::v1::BOTH)
      : ns_(ns), direction_(direction) {}

  std::unique_ptr<StreamEffect> ForStream(faults::v1::Direction direction, uint64_t) override {
    if (direction_ != faults::v1::BOTH && direction_ != direction) return nullptr;
    ++streams;
    return std::make_unique<Effect>(ns_);
  }
  void OnReleased(faults::v1::Direction, uint64_t bytes, int64_t held_ns) override {
    released += bytes;
    if (held_ns >= ns_) held_long_enough += bytes;
  }

  std::atomic<uint64_t> streams{0};
  std::atomic<uint64_t> released{0};
  std::atomic<uint64_t> held_long_enough{0};

 private:
  struct Effect : public StreamEffect {
    explicit Effect(int64_t ns) : ns(ns) {}
    int64_t ReleaseAt(int64_t now, uint64_t) override { return now + ns; }
    const int64_t ns;
  };
  const int64_t ns_;
  const faults::v1::Direction direction_;
};

class RelayRig {
 public:
  explicit RelayRig(const std::string& upstream, const RelayLimits& limits = {})
      : lease(*LeasePage::Create()),
        loop_(&clock_),
        relay_(std::make_unique<Relay>(
            Relay::Options{.loop = &loop_, .clock = &clock_, .lease = &lease, .limits = limits})) {
    lease.Extend(INT64_MAX);
    UniqueFd listener = Listen();
    port_ = PortOf(listener.get());
    if (!relay_->AddLink("l/0", std::move(listener), *ParseAddress(upstream)).ok()) std::abort();
    thread_ = std::thread([this] { loop_.Run(); });
  }
  ~RelayRig() {
    On([this] { relay_.reset(); });
    loop_.Stop();
    thread_.join();
  }

  // Runs on the relay's thread, and waits for it.
  void On(std::function<void()> task) {
    std::promise<void> done;
    loop_.Post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }
  uint64_t Add(std::shared_ptr<LinkFault> fault, int64_t for_ns = 60 * kSecond) {
    uint64_t id = 0;
    On([&] {
      auto added = link()->Add(std::move(fault), clock_.Now() + for_ns);
      if (added.ok()) id = *added;
    });
    return id;  // 0: refused
  }
  void Remove(uint64_t id) {
    On([&] { (void)link()->Remove(id); });
  }
  bool Clear(uint64_t id) {
    bool clear = false;
    On([&] { clear = link()->Clear(id); });
    return clear;
  }
  // The value of a series of the link; -1 if there is none.
  double Series(const std::string& metric, const std::string& direction = "") {
    host::v1::HostStats stats;
    On([&] { relay_->AddStats(&stats); });
    for (const auto& series : stats.series()) {
      if (series.metric() == metric && series.direction() == direction) return series.value();
    }
    return -1;
  }
  Relay* relay() { return relay_.get(); }
  Link* link() { return relay_->FindLink("l/0"); }
  int port() const { return port_; }

  LeasePage lease;

 private:
  RealClock clock_;
  EventLoop loop_;
  std::unique_ptr<Relay> relay_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace squall::testing

#endif  // TARGETS_RELAY_RELAY_RIG_H_

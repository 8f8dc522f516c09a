// What all links and streams of one relay share: loop, clock, lease, blocks, limits.
#ifndef TARGETS_RELAY_CORE_H_
#define TARGETS_RELAY_CORE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/core/lease.h"
#include "targets/relay/byte_fifo.h"

namespace squall {

// What may be buffered, in bytes. A lane (one direction of one stream) that is full is not read from: the sender's
// window closes. `delayed` bounds a lane's throughput under a delay to delayed / latency.
struct RelayLimits {
  uint64_t delayed = 64 << 20;  // a lane while a fault holds its bytes back
  uint64_t plain = 256 << 10;   // a lane otherwise: what a slow receiver leaves
  uint64_t total = 1 << 30;     // all lanes; over it each is held to `plain`
  size_t chunks = 1 << 18;      // chunks of a lane that wait for their time (56 bytes each, beside their bytes)
};

// Not owned: loop, clock, lease. One thread.
struct RelayCore {
  EventLoop* loop = nullptr;
  const Clock* clock = nullptr;
  const LeasePage* lease = nullptr;  // null: always live (tests, benchmarks)
  RelayLimits limits;

  BlockPool pool;
  std::vector<char> scratch = std::vector<char>(256 << 10);  // one read that is written on at once
  uint64_t buffered = 0;                                     // bytes in all lanes

  bool Live(int64_t now) const { return lease == nullptr || lease->Live(now); }
};

}  // namespace squall

#endif  // TARGETS_RELAY_CORE_H_

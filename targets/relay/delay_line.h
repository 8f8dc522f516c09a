// The bytes of one direction of one stream that wait for their time: a queue in time, not a sleep. Each chunk, and the
// end of the stream, leaves when it is due and never before what came earlier.
//
//   DelayLine line(&pool);
//   line.fifo().Commit(readv(...));
//   line.Hold(bytes, now, {{fault_id, latency}});     // or line.Pass(bytes): due at once
//   line.Advance(now, [](const DelayLine::Chunk& chunk) { ... });
//   ... writev what line.due() says is due, line.Sent(n) ...
#ifndef TARGETS_RELAY_DELAY_LINE_H_
#define TARGETS_RELAY_DELAY_LINE_H_

#include <cstdint>
#include <deque>
#include <functional>

#include "absl/container/inlined_vector.h"
#include "targets/relay/byte_fifo.h"

namespace squall {

// One thread. Times in ns; the caller reads the clock.
class DelayLine {
 public:
  enum class End { kNone, kFin, kReset };
  struct Share {
    uint64_t fault;
    int64_t held_ns;  // this fault's part of the delay
  };
  using Shares = absl::InlinedVector<Share, 1>;
  struct Chunk {
    uint64_t bytes;
    int64_t came;
    int64_t due;
    End end;
    Shares shares;
  };
  using Released = std::function<void(const Chunk&)>;

  explicit DelayLine(BlockPool* pool) : fifo_(pool) {}

  ByteFifo& fifo() { return fifo_; }
  // Accounts for `bytes` that were just committed to the fifo, or for the end of the stream: due when all shares
  // passed.
  void Hold(uint64_t bytes, int64_t now, Shares shares, End end = End::kNone);
  // The same, due with what came before it: at once if nothing is held.
  void Pass(uint64_t bytes, int64_t now, End end = End::kNone);
  // Lets go of what is due.
  void Advance(int64_t now, const Released& released);
  // Takes `fault`'s share out of every delay: what it alone held is due now.
  void Forget(uint64_t fault, int64_t now);

  bool empty() const { return fifo_.size() == 0 && chunks_.empty() && end_ == End::kNone; }
  uint64_t size() const { return fifo_.size(); }
  uint64_t due() const { return due_; }                  // bytes that may be sent
  uint64_t held() const { return fifo_.size() - due_; }  // bytes that may not yet
  size_t chunks() const { return chunks_.size(); }
  int64_t next() const { return chunks_.front().due; }  // chunks() > 0
  bool holding() const { return !chunks_.empty(); }
  // The end of the stream, once it and all before it is due.
  End due_end() const { return end_; }
  void Sent(uint64_t bytes);
  void Drop();  // all bytes and ends

 private:
  ByteFifo fifo_;
  std::deque<Chunk> chunks_;  // those not due; their times never fall
  uint64_t due_ = 0;
  End end_ = End::kNone;
};

}  // namespace squall

#endif  // TARGETS_RELAY_DELAY_LINE_H_

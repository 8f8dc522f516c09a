#include "targets/relay/delay_line.h"

#include <algorithm>
#include <utility>

namespace squall {

void DelayLine::Hold(uint64_t bytes, int64_t now, Shares shares, End end) {
  int64_t due = now;
  for (const Share& share : shares) due += share.held_ns;
  if (!chunks_.empty()) due = std::max(due, chunks_.back().due);
  chunks_.push_back({bytes, now, due, end, std::move(shares)});
}

void DelayLine::Pass(uint64_t bytes, int64_t now, End end) {
  if (!chunks_.empty()) {
    Hold(bytes, now, {}, end);
    return;
  }
  due_ += bytes;
  if (end != End::kNone) end_ = end;
}

void DelayLine::Advance(int64_t now, const Released& released) {
  while (!chunks_.empty() && chunks_.front().due <= now) {
    const Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    due_ += chunk.bytes;
    if (chunk.end != End::kNone) end_ = chunk.end;
    released(chunk);
  }
}

void DelayLine::Forget(uint64_t fault, int64_t now) {
  int64_t before = now;
  for (Chunk& chunk : chunks_) {
    chunk.due = chunk.came;
    for (Share& share : chunk.shares) {
      if (share.fault == fault) share.held_ns = 0;  // it stays listed: the fault is told when the chunk leaves
      chunk.due += share.held_ns;
    }
    chunk.due = std::max(chunk.due, before);
    before = chunk.due;
  }
}

void DelayLine::Sent(uint64_t bytes) {
  fifo_.Consume(bytes);
  due_ -= std::min(due_, bytes);
}

void DelayLine::Drop() {
  fifo_.Clear();
  chunks_.clear();
  due_ = 0;
  end_ = End::kNone;
}

}  // namespace squall

// One connection through the relay: two sockets, and a lane each way. Without a fault a chunk is read and written on at
// once; with one it waits in the lane's delay line. Half-closes pass as half-closes, resets as resets, both in their
// place in the line.
#ifndef TARGETS_RELAY_STREAM_H_
#define TARGETS_RELAY_STREAM_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "faults/core/unique_fd.h"
#include "faults/fault.pb.h"
#include "faults/seams/link.h"
#include "targets/load/histogram.h"
#include "targets/relay/core.h"
#include "targets/relay/delay_line.h"

namespace squall {

class Stream;

// Figures of one direction of a link.
struct LaneStats {
  uint64_t bytes = 0;    // handed on
  uint64_t held = 0;     // waiting for their time, now
  Histogram passive_ns;  // from readable to written, chunks that nothing held
};

// What a stream needs of its link.
class StreamOwner {
 public:
  virtual ~StreamOwner() = default;
  // Ends the faults whose time or lease has passed. Before each decision.
  virtual void Check() = 0;
  virtual void Released(faults::v1::Direction direction, const DelayLine::Chunk& chunk, int64_t now) = 0;
  virtual void ConnectFailed() = 0;
  // The stream is over. Delete it later, not in this call.
  virtual void Closed(Stream* stream) = 0;
};

// One thread.
class Stream {
 public:
  enum Side { kClient = 0, kTarget = 1 };

  // `connecting`: the connect of `target` has not ended yet. Start() begins; it may call Closed.
  Stream(RelayCore* core, StreamOwner* owner, LaneStats* stats, UniqueFd client, UniqueFd target, bool connecting);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void Start();
  // From now on `effect` decides too about the lane of `direction` (UPSTREAM or DOWNSTREAM).
  void AddEffect(faults::v1::Direction direction, uint64_t fault, std::unique_ptr<StreamEffect> effect);
  // What `fault` alone held leaves now.
  void RemoveFault(uint64_t fault);

 private:
  struct Effect {
    uint64_t fault;
    std::unique_ptr<StreamEffect> decide;
  };
  // The bytes read from sides_[from], written to the other side. lanes_[kClient] is the upstream direction.
  struct Lane {
    explicit Lane(BlockPool* pool) : line(pool) {}
    DelayLine line;
    std::vector<Effect> effects;
    int from = 0;
    bool open = true;       // more may be read
    bool readable = false;  // nobody said yet that there is nothing to read
    bool blocked = false;   // the receiver's window is full
    bool finished = false;  // the end was handed on
    uint64_t buffered = 0;  // what core_->buffered and stats hold of this lane
    uint64_t held = 0;
    std::optional<EventLoop::TimerId> timer;
  };
  struct End {
    UniqueFd fd;
    bool ending = false;  // its end was announced: read until it comes
    bool reset = false;
  };

  void OnEvents(int side, uint32_t events);
  void OnConnected();
  void Pump(Lane& lane);
  bool Wants(const Lane& lane) const;
  bool Read(Lane& lane);         // true: there may be more
  bool ReadThrough(Lane& lane);  // nothing waits and nothing holds: straight on
  bool AfterRead(Lane& lane, ssize_t got, size_t asked);
  void Take(Lane& lane, uint64_t bytes, DelayLine::End end);
  void Flush(Lane& lane);
  void Finish(Lane& lane);
  void SideReset(int side);
  void SetTimer(Lane& lane);
  void CancelTimer(Lane& lane);
  void Account(Lane& lane);
  void Close(bool reset);
  faults::v1::Direction DirectionOf(const Lane& lane) const;

  RelayCore* const core_;
  StreamOwner* const owner_;
  LaneStats* const stats_;  // [2]
  End ends_[2];
  Lane lanes_[2];
  bool connecting_;
  bool closed_ = false;
  int64_t event_ns_ = 0;  // when the event came that is being handled
};

}  // namespace squall

#endif  // TARGETS_RELAY_STREAM_H_

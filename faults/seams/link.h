// One link: what can be done to the bytes of its streams.
#ifndef FAULTS_SEAMS_LINK_H_
#define FAULTS_SEAMS_LINK_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/fault.pb.h"

namespace squall {

// Decides about the chunks of one direction of one stream. Called on the relay's thread only.
class StreamEffect {
 public:
  virtual ~StreamEffect() = default;
  // The time at which a chunk that came at `now` may leave. The relay keeps the order: a chunk never overtakes another.
  virtual int64_t ReleaseAt(int64_t now, uint64_t bytes) = 0;
};

// A fault on a link: makes the effects of each stream, those that are open when it is armed and those opened later.
class LinkFault {
 public:
  virtual ~LinkFault() = default;
  // Null: this direction is left alone. `stream` counts the link's streams from 0.
  virtual std::unique_ptr<StreamEffect> ForStream(faults::v1::Direction direction, uint64_t stream) = 0;
  // A chunk left after having been held for `held_ns`; the witness counts these.
  virtual void OnReleased(faults::v1::Direction direction, uint64_t bytes, int64_t held_ns) = 0;
};

class LinkSeam {
 public:
  virtual ~LinkSeam() = default;
  // Live from now to `deadline_ns` for old and new streams. Returns an id.
  virtual absl::StatusOr<uint64_t> Add(std::shared_ptr<LinkFault> fault, int64_t deadline_ns) = 0;
  // Queued chunks leave at once, in order. Idempotent.
  virtual absl::Status Remove(uint64_t id) = 0;
  // No chunk is held back any more on behalf of `id`.
  virtual bool Clear(uint64_t id) const = 0;
};

}  // namespace squall

#endif  // FAULTS_SEAMS_LINK_H_

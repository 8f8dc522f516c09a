// Holds the bytes of a link back by a time, each chunk by its own draw of latency +- jitter.
//
//   fault: {on: {link: im}, delay: {latency: 3s, jitter: 1500ms, direction: DOWNSTREAM}}
//
// A delay line: throughput stays, and inside a stream nothing overtakes. Draws come from
// RandomStream(seed, SITE/DIRECTION/STREAM), one a chunk, so one stream's draws do not depend on the others' traffic.
// Witness: chunks that were held at least the least that can be drawn for them.
#ifndef FAULTS_NETWORK_DELAY_H_
#define FAULTS_NETWORK_DELAY_H_

#include <cstdint>
#include <memory>

#include "faults/core/fault.h"

namespace squall {

// Its ArmedFault lives on the thread of the link.
class DelayFault : public FaultKind {
 public:
  // InvalidArgument: latency outside (0, 1 h], jitter below 0 or above latency, an unknown direction.
  static absl::StatusOr<std::unique_ptr<FaultKind>> Create(const faults::v1::Delay& params);

  absl::StatusOr<ArmedFault> Arm(const Seams& seams, const ArmContext& context) const override;

 private:
  DelayFault(int64_t latency_ns, int64_t jitter_ns, faults::v1::Direction direction)
      : latency_ns_(latency_ns), jitter_ns_(jitter_ns), direction_(direction) {}
  const int64_t latency_ns_;
  const int64_t jitter_ns_;
  const faults::v1::Direction direction_;
};

}  // namespace squall

#endif  // FAULTS_NETWORK_DELAY_H_

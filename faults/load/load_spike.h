// Multiplies the rate of a load.
//
//   fault: {on: {load: users}, load_spike: {multiplier: 10, ramp: 5s}}
//
// Witness: what was scheduled beyond the base rate (for a multiplier below 1: the multiplier was seen in force).
#ifndef FAULTS_LOAD_LOAD_SPIKE_H_
#define FAULTS_LOAD_LOAD_SPIKE_H_

#include <cstdint>
#include <memory>

#include "faults/core/fault.h"

namespace squall {

class LoadSpikeFault : public FaultKind {
 public:
  // InvalidArgument: a multiplier outside (0, 1000], not a number, or 1 (it would change nothing); a ramp outside
  // [0, 15 min].
  static absl::StatusOr<std::unique_ptr<FaultKind>> Create(const faults::v1::LoadSpike& params);

  // FailedPrecondition while another spike is in force on the load: there is one multiplier.
  absl::StatusOr<ArmedFault> Arm(const Seams& seams, const ArmContext& context) const override;

 private:
  LoadSpikeFault(double multiplier, int64_t ramp_ns) : multiplier_(multiplier), ramp_ns_(ramp_ns) {}
  const double multiplier_;
  const int64_t ramp_ns_;
};

}  // namespace squall

#endif  // FAULTS_LOAD_LOAD_SPIKE_H_

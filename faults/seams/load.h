// One load, as something whose rate can be multiplied.
#ifndef FAULTS_SEAMS_LOAD_H_
#define FAULTS_SEAMS_LOAD_H_

#include <cstdint>

#include "absl/status/status.h"

namespace squall {

class LoadSeam {
 public:
  virtual ~LoadSeam() = default;
  // Rises linearly from 1 to `multiplier` over `ramp_ns` from now; back to 1 at `deadline_ns`.
  virtual absl::Status Multiply(double multiplier, int64_t ramp_ns, int64_t deadline_ns) = 0;
  virtual absl::Status Restore() = 0;           // idempotent
  virtual double Multiplier() const = 0;        // in force now
  virtual uint64_t ExtraScheduled() const = 0;  // requests scheduled beyond the base rate since the last Multiply
};

}  // namespace squall

#endif  // FAULTS_SEAMS_LOAD_H_

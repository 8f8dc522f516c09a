// google.protobuf.Duration as int64 ns. The validator has bounded every duration of a plan, so nothing overflows here.
#ifndef HARNESS_ENGINE_DURATIONS_H_
#define HARNESS_ENGINE_DURATIONS_H_

#include <cstdint>

#include "google/protobuf/duration.pb.h"

namespace squall::run {

inline int64_t Ns(const google::protobuf::Duration& d) { return d.seconds() * 1'000'000'000 + d.nanos(); }

// The duration if the field is there, else `otherwise`.
inline int64_t NsOr(bool has, const google::protobuf::Duration& d, int64_t otherwise) {
  return has ? Ns(d) : otherwise;
}

inline double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace squall::run

#endif  // HARNESS_ENGINE_DURATIONS_H_

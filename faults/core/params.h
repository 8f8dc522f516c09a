// Checks of a fault's parameters. Every error starts with the field: "latency: must be in (0s, 1h], is -1s".
#ifndef FAULTS_CORE_PARAMS_H_
#define FAULTS_CORE_PARAMS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/duration.pb.h"

namespace squall {

// A proto's duration as ns: at least `least`, or more than it if `above`; at most `most`.
struct DurationRange {
  int64_t least = 0;
  int64_t most = 0;
  bool above = false;
};
absl::StatusOr<int64_t> CheckDuration(const std::string& field, const google::protobuf::Duration& value,
                                      const DurationRange& range);

std::string FormatNanos(int64_t ns);  // "1.5s"

// The candidate that `word` was probably meant to be: at most a third of its letters (one at least) differ. "" if none.
std::string NearMatch(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace squall

#endif  // FAULTS_CORE_PARAMS_H_

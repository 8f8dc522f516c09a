// Numbers with units, as people write them in a plan.
//
//   ParseDuration("1m30s")   // 90'000'000'000 ns      "500ms" "2h" "1.5s" "250us" "0"
//   ParseRatio("40%")        // 0.4                    "0.4"
//   ParseBytes("64KiB")      // 65536                  "512" "1MB" "1.5GiB"
//   ParseRate("6000/m")      // 100 per second         "100/s" "100"
//
// Errors are InvalidArgument and say what would be right. Nothing negative, NaN, infinite or out of range passes.
#ifndef HARNESS_PLAN_SCALARS_H_
#define HARNESS_PLAN_SCALARS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace squall {

inline constexpr int64_t kLongestDurationNs = 366LL * 24 * 3600 * 1'000'000'000;

absl::StatusOr<int64_t> ParseDuration(absl::string_view text);
absl::StatusOr<double> ParseRatio(absl::string_view text);
absl::StatusOr<uint64_t> ParseBytes(absl::string_view text);
absl::StatusOr<double> ParseRate(absl::string_view text);

// Plain numbers. "1e3" and "0x10" are no whole numbers here; digits may be grouped by _ ("1_000").
absl::StatusOr<uint64_t> ParseUnsigned(absl::string_view text, uint64_t most);
absl::StatusOr<int64_t> ParseSigned(absl::string_view text, int64_t least, int64_t most);
absl::StatusOr<double> ParseNumber(absl::string_view text);
absl::StatusOr<bool> ParseBool(absl::string_view text);

}  // namespace squall

#endif  // HARNESS_PLAN_SCALARS_H_

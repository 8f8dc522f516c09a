#include "harness/controller/run_id.h"

#include "absl/time/time.h"

namespace squall {

std::string MakeRunId(int64_t unix_ms, uint64_t random_high, uint64_t random_low) {
  static constexpr char kDigits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::string id(26, '0');
  uint64_t time = static_cast<uint64_t>(unix_ms) & 0xFFFFFFFFFFFFull;
  for (int i = 9; i >= 0; --i, time >>= 5) id[i] = kDigits[time & 31];
  for (int i = 17; i >= 10; --i, random_high >>= 5) id[i] = kDigits[random_high & 31];
  for (int i = 25; i >= 18; --i, random_low >>= 5) id[i] = kDigits[random_low & 31];
  return id;
}

std::string FormatWallClock(int64_t unix_ms) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(unix_ms), absl::UTCTimeZone());
}

}  // namespace squall

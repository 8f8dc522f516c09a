// ULIDs: 26 characters that sort by time.
#ifndef HARNESS_CONTROLLER_RUN_ID_H_
#define HARNESS_CONTROLLER_RUN_ID_H_

#include <cstdint>
#include <string>

namespace squall {

// 48 bits of Unix milliseconds and 80 random bits in Crockford's base 32 (github.com/ulid/spec).
std::string MakeRunId(int64_t unix_ms, uint64_t random_high, uint64_t random_low);
// RFC 3339 in UTC, to the second.
std::string FormatWallClock(int64_t unix_ms);

}  // namespace squall

#endif  // HARNESS_CONTROLLER_RUN_ID_H_

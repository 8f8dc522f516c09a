// The first look at a plan's bytes, before any parser sees them.
#ifndef HARNESS_PLAN_TEXT_CHECK_H_
#define HARNESS_PLAN_TEXT_CHECK_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "harness/plan/position.h"

namespace squall {

inline constexpr size_t kMostPlanBytes = 256 * 1024;

// False after adding an error: over 256 KiB, a NUL or another control character, invalid UTF-8, nothing but blanks.
bool CheckText(absl::string_view text, PlanErrors* errors);

// The file's bytes. Reads no more than kMostPlanBytes + 1, so that CheckText can refuse what is longer. Refused: a
// missing or unreadable file, and whatever is no regular file (a directory, a FIFO, a device), without blocking on it.
absl::StatusOr<std::string> ReadPlanFile(const std::string& path);

}  // namespace squall

#endif  // HARNESS_PLAN_TEXT_CHECK_H_

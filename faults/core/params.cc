#include "faults/core/params.h"

#include <algorithm>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "faults/core/clock.h"

namespace squall {
namespace {

constexpr int64_t kLongest = INT64_MAX / kSecond - 1;  // s

// Edits (a letter put in, taken out, replaced, or two neighbours swapped) that turn one word into the other.
size_t EditsBetween(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string FormatNanos(int64_t ns) { return absl::FormatDuration(absl::Nanoseconds(ns)); }

absl::StatusOr<int64_t> CheckDuration(const std::string& field, const google::protobuf::Duration& value,
                                      const DurationRange& range) {
  const bool signs_differ = (value.seconds() > 0 && value.nanos() < 0) || (value.seconds() < 0 && value.nanos() > 0);
  if (signs_differ || value.nanos() <= -kSecond || value.nanos() >= kSecond) {
    return absl::InvalidArgumentError(absl::StrCat(field, ": is not a valid duration"));
  }
  // Further out than ns can say is out of every range; its sign is all that matters.
  const int64_t seconds = std::clamp<int64_t>(value.seconds(), -kLongest, kLongest);
  const int64_t ns = seconds * kSecond + value.nanos();
  if (ns < range.least || ns > range.most || (range.above && ns == range.least)) {
    return absl::InvalidArgumentError(absl::StrCat(field, ": must be in ", range.above ? "(" : "[",
                                                   FormatNanos(range.least), ", ", FormatNanos(range.most), "], is ",
                                                   FormatNanos(ns)));
  }
  return ns;
}

std::string NearMatch(std::string_view word, const std::vector<std::string>& candidates) {
  size_t fewest = std::max<size_t>(1, word.size() / 3) + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const size_t edits = EditsBetween(word, candidate);
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

}  // namespace squall

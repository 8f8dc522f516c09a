#include "harness/plan/near_match.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace squall {
namespace {

constexpr size_t kLongest = 64;  // names in plans are no longer; a longer text has no near match

std::string Plain(absl::string_view name) { return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"-", "_"}}); }

}  // namespace

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string NearMatch(absl::string_view name, const std::vector<std::string>& names) {
  if (name.empty() || name.size() > kLongest) return "";
  const std::string wanted = Plain(name);
  std::string best;
  const size_t most = wanted.size() == 1 ? 0 : std::max<size_t>(1, wanted.size() / 3);
  size_t best_distance = most + 1;
  for (const std::string& candidate : names) {
    if (candidate.size() > kLongest) continue;
    const std::string plain = Plain(candidate);
    size_t distance = EditDistance(wanted, plain);
    const size_t shorter = std::min(plain.size(), wanted.size());
    if (shorter >= 3 && plain.compare(0, shorter, wanted, 0, shorter) == 0) distance = std::min<size_t>(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string DidYouMean(absl::string_view name, const std::vector<std::string>& names) {
  const std::string near = NearMatch(name, names);
  return near.empty() ? "" : absl::StrCat("; did you mean `", near, "`?");
}

std::string ListNames(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  constexpr size_t kMost = 12;
  const size_t shown = std::min(names.size(), kMost);
  std::string out;
  for (size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == shown && shown == names.size();
    absl::StrAppend(&out, i == 0 ? "" : last ? " and " : ", ", "`", names[i], "`");
  }
  if (shown < names.size()) absl::StrAppend(&out, " and ", names.size() - shown, " more");
  return out;
}

}  // namespace squall

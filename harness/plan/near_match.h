// What somebody most likely meant by a name that does not exist.
//
//   NearMatch("dealy", {"delay", "drain"});   // "delay"
//   DidYouMean("dealy", names);               // "; did you mean `delay`?", or "" if nothing is near
#ifndef HARNESS_PLAN_NEAR_MATCH_H_
#define HARNESS_PLAN_NEAR_MATCH_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace squall {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
size_t EditDistance(absl::string_view a, absl::string_view b);

// The nearest of `names`, ignoring case and the difference of - and _, if it is near enough: at most a third of the
// name's length away, at least 1 (a single letter: none); or one begins with the other. "" otherwise.
std::string NearMatch(absl::string_view name, const std::vector<std::string>& names);

std::string DidYouMean(absl::string_view name, const std::vector<std::string>& names);

// "`a`, `b` and `c`"; at most 12 are named. "none" for none.
std::string ListNames(const std::vector<std::string>& names);

}  // namespace squall

#endif  // HARNESS_PLAN_NEAR_MATCH_H_

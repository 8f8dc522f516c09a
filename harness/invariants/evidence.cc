#include "harness/invariants/evidence.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace squall {
namespace {

using ast::Compare;

Compare Flipped(Compare compare) {
  switch (compare) {
    case Compare::kLess:
      return Compare::kGreater;
    case Compare::kLessEqual:
      return Compare::kGreaterEqual;
    case Compare::kGreater:
      return Compare::kLess;
    case Compare::kGreaterEqual:
      return Compare::kLessEqual;
    default:
      return compare;
  }
}

Compare Opposite(Compare compare) {
  constexpr Compare kOpposites[] = {Compare::kGreaterEqual, Compare::kGreater,  Compare::kLessEqual,
                                    Compare::kLess,         Compare::kNotEqual, Compare::kEqual};
  return kOpposites[static_cast<int>(compare)];
}

std::string Number(double value, const Leaf& leaf) {
  if (leaf.percent) return absl::StrFormat("%.4g%%", value * 100);
  std::string text = absl::StrFormat("%.6g", value);
  return leaf.unit.empty() ? text : absl::StrCat(text, " ", leaf.unit);
}

std::string Time(int64_t t_ns, int64_t run_start_ns) {
  return absl::StrFormat("%.1f s", static_cast<double>(t_ns - run_start_ns) / 1e9);
}

// "must be >= 20"
std::string Demand(const Margin& margin, const Leaf& leaf) {
  Compare compare = leaf.flipped ? Flipped(leaf.compare) : leaf.compare;
  if (margin.negated) compare = Opposite(compare);
  std::string limit = leaf.limit;
  if (limit.empty()) {
    const bool grows = compare == Compare::kGreater || compare == Compare::kGreaterEqual;
    const double value = grows ? margin.subject - margin.raw : margin.subject + margin.raw;
    limit = std::isfinite(value) ? Number(value, leaf) : "the other side";
  }
  return absl::StrCat("must be ", ast::Symbol(compare), " ", limit);
}

std::string Sentence(const Margin& margin, const Leaf& leaf, const Outcome& outcome, int64_t run_start_ns) {
  const std::string at = Time(margin.t_ns, run_start_ns);
  if (leaf.absent) {
    const bool violated = outcome.verdict == report::v1::VIOLATED;
    const bool present = violated != margin.negated;  // `absent` was asked for and not given
    return absl::StrCat(leaf.subject, present ? " had a value at " : " was silent at ", at);
  }
  if (!std::isfinite(margin.subject)) {
    return absl::StrCat(leaf.subject, " was not known at ", at,
                        leaf.selection == nullptr ? "" : absl::StrCat(": ", leaf.selection->WhyUnknown()));
  }
  const char* which = outcome.verdict != report::v1::HOLDS ? "" : outcome.best ? "at best " : "at worst ";
  return absl::StrCat(which, leaf.subject, " was ", Number(margin.subject, leaf), " at ", at, ", ",
                      Demand(margin, leaf));
}

}  // namespace

std::string Evidence(const Outcome& outcome, const std::vector<Leaf>& leaves, int64_t run_start_ns) {
  const Margin& margin = outcome.value.lo;
  std::string text = outcome.detail;
  if (!outcome.judged || margin.leaf < 0 || static_cast<size_t>(margin.leaf) >= leaves.size()) return text;
  const std::string sentence = Sentence(margin, leaves[static_cast<size_t>(margin.leaf)], outcome, run_start_ns);
  return text.empty() ? sentence : absl::StrCat(text, "; ", sentence);
}

}  // namespace squall

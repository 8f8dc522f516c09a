// What the names in a plan's expressions stand for: metrics with their kinds, signals, labels, steps.
//
//   Names names(plan);
//   names.KindOf("exits");             // kEvent: so that no series yet means "none happened", not "not known"
//   names.Signal("pool");              // its expression, or null
//   names.CheckMetric(selector);       // InvalidArgument: "column 8: unknown metric `poool`; did you mean `pool`?"
//
// Copies what it needs of the plan. Read-only after construction, thread-safe.
#ifndef HARNESS_INVARIANTS_NAMES_H_
#define HARNESS_INVARIANTS_NAMES_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "harness/api/plan.pb.h"
#include "harness/invariants/ast.h"
#include "harness/signals/store.h"

namespace squall {

class Names {
 public:
  explicit Names(const plan::v1::Plan& plan);

  // Of a metric that the plan or Squall itself defines; nothing for one that only a scrape brings.
  std::optional<SeriesKind> KindOf(std::string_view metric) const;
  const ast::Num* Signal(std::string_view name) const;
  // "ms" by the name's ending, the plan's unit for signals, "s" for durations; "" if there is none.
  std::string UnitOf(const ast::Num& num) const;

  bool IsStep(std::string_view step) const { return steps_.count(std::string(step)) > 0; }
  // Its action is a fault, other than starting or draining instances.
  bool IsFault(std::string_view step) const { return faults_.count(std::string(step)) > 0; }
  const std::set<std::string>& steps() const { return steps_; }

  absl::Status CheckMetric(const ast::Selector& selector) const;
  absl::Status CheckStep(const std::string& step, int column) const;
  const std::vector<std::string>& signals() const { return signal_names_; }

 private:
  absl::Status CheckMatcher(const ast::Selector& selector, const ast::Matcher& matcher) const;

  std::map<std::string, SeriesKind, std::less<>> metrics_;
  std::map<std::string, ast::Num, std::less<>> signals_;
  std::map<std::string, std::string, std::less<>> units_;
  std::vector<std::string> signal_names_;  // also those that do not parse
  bool open_ = false;                      // a scrape brings further metrics
  std::set<std::string> labels_;
  std::map<std::string, std::vector<std::string>> values_;  // labels whose values are all known
  std::set<std::string> steps_, faults_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_NAMES_H_

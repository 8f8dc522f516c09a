// A step's `after`: an edge of another step, and how long after it.
//
//   ParseAfter("trigger.start + 30s")   // {"trigger", kStart, 30'000'000'000}
//
// "run.start" is the start of the run. There is no "-": what comes before an edge is not known before it comes.
#ifndef HARNESS_PLAN_AFTER_RULE_H_
#define HARNESS_PLAN_AFTER_RULE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace squall {

struct AfterRule {
  enum Edge { kStart, kEnd };
  std::string step;  // or "run"
  Edge edge = kStart;
  int64_t offset_ns = 0;
};

absl::StatusOr<AfterRule> ParseAfter(absl::string_view text);

}  // namespace squall

#endif  // HARNESS_PLAN_AFTER_RULE_H_

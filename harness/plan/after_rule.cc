#include "harness/plan/after_rule.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "harness/plan/near_match.h"
#include "harness/plan/scalars.h"

namespace squall {

absl::StatusOr<AfterRule> ParseAfter(absl::string_view text) {
  AfterRule rule;
  const size_t plus = text.find('+');
  absl::string_view anchor = absl::StripAsciiWhitespace(text.substr(0, plus));
  if (plus != absl::string_view::npos) {
    ASSIGN_OR_RETURN(rule.offset_ns, ParseDuration(absl::StripAsciiWhitespace(text.substr(plus + 1))));
  }
  const size_t dot = anchor.rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || absl::StrContains(anchor, " ")) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", text, "` is no anchor; write STEP.start or STEP.end, with \"+ 5s\" if it is to be later"));
  }
  const absl::string_view edge = anchor.substr(dot + 1);
  rule.step = std::string(anchor.substr(0, dot));
  if (edge != "start" && edge != "end") {
    return absl::InvalidArgumentError(
        absl::StrCat("`", edge, "` is no edge of a step; write start or end", DidYouMean(edge, {"start", "end"})));
  }
  rule.edge = edge == "start" ? AfterRule::kStart : AfterRule::kEnd;
  if (rule.step == "run" && rule.edge == AfterRule::kEnd) {
    return absl::InvalidArgumentError("nothing happens after `run.end`");
  }
  return rule;
}

}  // namespace squall

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/invariants/check.h"
#include "harness/plan/plan_check.h"

namespace squall {
namespace {

// "column 12: no such signal" -> 12, and the message without its beginning; 0 if it says no column.
int TakeColumn(absl::string_view* message) {
  constexpr absl::string_view kBegin = "column ";
  if (!absl::StartsWith(*message, kBegin)) return 0;
  const size_t colon = message->find(": ");
  int column = 0;
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(message->substr(kBegin.size(), colon - kBegin.size()), &column)) {
    return 0;
  }
  message->remove_prefix(colon + 2);
  return column;
}

template <typename Named>
std::string ByName(const std::string& path, size_t open, size_t close, const Named& elements) {
  int index = 0;
  if (!absl::SimpleAtoi(path.substr(open + 1, close - open - 1), &index)) return path;
  if (index < 0 || index >= elements.size()) return path;
  return absl::StrCat(path.substr(0, open + 1), elements.Get(index).name(), path.substr(close));
}

// "invariants[0].expr" -> "invariants[pool_floor].expr": these lists are mappings in a plan.
std::string PlanPath(const plan::v1::Plan& plan, const std::string& path) {
  const size_t open = path.find('[');
  const size_t close = path.find(']');
  if (open == std::string::npos || close == std::string::npos) return path;
  const std::string list = path.substr(0, open);
  if (list == "signals") return ByName(path, open, close, plan.signals());
  if (list == "invariants") return ByName(path, open, close, plan.invariants());
  if (list == "measures") return ByName(path, open, close, plan.measures());
  if (list == "valid_while") return ByName(path, open, close, plan.valid_while());
  if (list == "abort_when") return ByName(path, open, close, plan.abort_when());
  return path;
}

}  // namespace

void CheckPlanExpressions(PlanCheck* check) {
  // The status only repeats what the callback was told.
  CheckExpressions(check->plan(), [&](const std::string& path, const std::string& text) {
    absl::string_view message = text;
    const int column = TakeColumn(&message);
    check->AddInside(PlanPath(check->plan(), path), column, std::string(message));
  }).IgnoreError();
}

}  // namespace squall

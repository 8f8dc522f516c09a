// Reads expressions of a plan: invariants, formulas, numbers, measures (docs/invariants.md). By hand, recursive
// descent.
//
//   absl::StatusOr<ast::Body> body = ParseInvariant("within 30s after trigger.end: online >= 95% stays 10s");
//   ParseFormula("pool >").status().message();   // "column 7: expected a number, a metric or `(`, found the end"
//
// Knows the grammar only: whether names exist is CheckExpressions' business (check.h). Errors are InvalidArgument and
// begin with "column N: ". Bounded: 4,096 bytes, 64 levels of nesting. Pure, thread-safe.
#ifndef HARNESS_INVARIANTS_PARSER_H_
#define HARNESS_INVARIANTS_PARSER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "harness/invariants/ast.h"

namespace squall {

absl::StatusOr<ast::Body> ParseInvariant(std::string_view text);
absl::StatusOr<ast::Formula> ParseFormula(std::string_view text);      // a step's `when`
absl::StatusOr<ast::Condition> ParseCondition(std::string_view text);  // "FORMULA [during SCOPE]"
absl::StatusOr<ast::Num> ParseNum(std::string_view text);              // a signal
absl::StatusOr<ast::Measure> ParseMeasure(std::string_view text);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_PARSER_H_

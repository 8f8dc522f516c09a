// Finds what is wrong with the expressions of a plan before anything runs: syntax, names, labels, steps, kinds.
//
//   CheckExpressions(plan, [&](const std::string& path, const std::string& message) {
//     errors.Add(path, message);      // "invariants[0].expr", "column 8: unknown metric `poool`; did you mean `pool`?"
//   });
//
// Every expression is looked at, each reports its first problem. Returns the first problem as InvalidArgument, OK if
// there is none. Pure.
//
// Metrics that exist: built-in ones, the targets' events and probes, the plan's signals. As soon as a target has
// Prometheus metrics, further names cannot be known before they come, and are let through.
#ifndef HARNESS_INVARIANTS_CHECK_H_
#define HARNESS_INVARIANTS_CHECK_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "harness/api/plan.pb.h"

namespace squall {

using ExpressionProblem = std::function<void(const std::string& path, const std::string& message)>;

absl::Status CheckExpressions(const plan::v1::Plan& plan, const ExpressionProblem& problem = nullptr);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_CHECK_H_

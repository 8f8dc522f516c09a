// Returns early with an error: RETURN_IF_ERROR(expr), ASSIGN_OR_RETURN(auto x, expr).
#ifndef FAULTS_CORE_STATUS_MACROS_H_
#define FAULTS_CORE_STATUS_MACROS_H_

#include <utility>

#define SQUALL_CONCAT_INNER(a, b) a##b
#define SQUALL_CONCAT(a, b) SQUALL_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expr)                                 \
  do {                                                        \
    if (auto status_ = (expr); !status_.ok()) return status_; \
  } while (false)

#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_IMPL(SQUALL_CONCAT(result_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_IMPL(result, lhs, expr) \
  auto result = (expr);                          \
  if (!result.ok()) return result.status();      \
  lhs = *std::move(result)

#endif  // FAULTS_CORE_STATUS_MACROS_H_

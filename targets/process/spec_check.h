// What can be said of target specs before anything is reserved or started.
#ifndef TARGETS_PROCESS_SPEC_CHECK_H_
#define TARGETS_PROCESS_SPEC_CHECK_H_

#include <vector>

#include "absl/status/status.h"
#include "targets/process/spec.h"

namespace squall {

// InvalidArgument names role and field. Regular expressions are RolePatterns' to check, references Begin's.
absl::Status CheckSpec(const TargetSpec& spec);
// No role twice; no cycle of needs. A need of a role that is not among them is another agent's to order.
absl::Status CheckRoles(const std::vector<const TargetSpec*>& specs);

}  // namespace squall

#endif  // TARGETS_PROCESS_SPEC_CHECK_H_

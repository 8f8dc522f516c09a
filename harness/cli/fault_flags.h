// A fault on the command line: squall arm delay --on link=im --for 30s latency=1s jitter=200ms
#ifndef HARNESS_CLI_FAULT_FLAGS_H_
#define HARNESS_CLI_FAULT_FLAGS_H_

#include "absl/status/statusor.h"
#include "harness/api/agent.pb.h"
#include "harness/cli/commands.h"

namespace squall {

// Reads the fault as the plan loader does, so units, ranges and near matches are the same. InvalidArgument.
absl::StatusOr<agent::v1::ArmRequest> ParseArm(const ByHandFlags& flags);

}  // namespace squall

#endif  // HARNESS_CLI_FAULT_FLAGS_H_

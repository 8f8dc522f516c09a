#include "faults/process/drain.h"

#include <utility>

#include "faults/core/params.h"
#include "faults/core/status_macros.h"
#include "faults/process/progress.h"
#include "faults/seams/instances.h"

namespace squall {
namespace {
constexpr DurationRange kRange = {.least = 0, .most = 15 * 60 * kSecond};
constexpr int64_t kDefaultGrace = 10 * kSecond;
}  // namespace

absl::StatusOr<std::unique_ptr<FaultKind>> DrainFault::Create(const faults::v1::Drain& params) {
  ASSIGN_OR_RETURN(const int64_t over, CheckDuration("over", params.over(), kRange));
  ASSIGN_OR_RETURN(const int64_t grace, CheckDuration("grace", params.grace(), kRange));
  return std::unique_ptr<FaultKind>(new DrainFault(over, params.has_grace() ? grace : kDefaultGrace));
}

absl::StatusOr<ArmedFault> DrainFault::Arm(const Seams& seams, const ArmContext& context) const {
  if (seams.instances == nullptr) return absl::FailedPreconditionError("drain: no role is offered here");
  RETURN_IF_ERROR(CheckContext(context));
  if (context.count == 0) return absl::InvalidArgumentError("drain: count: must be at least 1");
  ASSIGN_OR_RETURN(std::vector<std::string> names, seams.instances->DrainSome(context.count, over_ns_, grace_ns_));
  auto progress = std::make_shared<Progress>(context.clock, std::move(names), "ended");
  return ArmedFault([] { return absl::OkStatus(); },
                    [progress, seam = seams.instances] {
                      return progress->Observe([seam](const std::string& name) { return seam->Ended(name); });
                    });
}

}  // namespace squall

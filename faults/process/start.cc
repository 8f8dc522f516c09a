#include "faults/process/start.h"

#include <utility>

#include "faults/core/status_macros.h"
#include "faults/process/progress.h"
#include "faults/seams/instances.h"

namespace squall {

absl::StatusOr<std::unique_ptr<FaultKind>> StartFault::Create(const faults::v1::Start&) {
  return std::unique_ptr<FaultKind>(new StartFault());
}

absl::StatusOr<ArmedFault> StartFault::Arm(const Seams& seams, const ArmContext& context) const {
  if (seams.instances == nullptr) return absl::FailedPreconditionError("start: no role is offered here");
  RETURN_IF_ERROR(CheckContext(context));
  if (context.count == 0) return absl::InvalidArgumentError("start: count: must be at least 1");
  ASSIGN_OR_RETURN(std::vector<std::string> names, seams.instances->StartMore(context.count));
  auto progress = std::make_shared<Progress>(context.clock, std::move(names), "ready");
  return ArmedFault([] { return absl::OkStatus(); },
                    [progress, seam = seams.instances] {
                      return progress->Observe([seam](const std::string& name) { return seam->Ready(name); });
                    });
}

}  // namespace squall

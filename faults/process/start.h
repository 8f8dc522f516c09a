// Starts more instances of a role.
//
//   {name: mega1, start: {role: mega, count: 1}}
//
// How many: ArmContext.count. Witness: all of them became ready. Nothing to undo: the plan says what it starts.
#ifndef FAULTS_PROCESS_START_H_
#define FAULTS_PROCESS_START_H_

#include <memory>

#include "faults/core/fault.h"

namespace squall {

class StartFault : public FaultKind {
 public:
  static absl::StatusOr<std::unique_ptr<FaultKind>> Create(const faults::v1::Start& params);

  absl::StatusOr<ArmedFault> Arm(const Seams& seams, const ArmContext& context) const override;
};

}  // namespace squall

#endif  // FAULTS_PROCESS_START_H_

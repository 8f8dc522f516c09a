// Stops a process, all of it, and continues it at the end.
//
//   fault: {on: {role: server}, hang: {}}
//
// Witness: all its threads were seen in state T. Who holds the process continues it at the deadline even if nobody
// lifts.
#ifndef FAULTS_PROCESS_HANG_H_
#define FAULTS_PROCESS_HANG_H_

#include <memory>

#include "faults/core/fault.h"

namespace squall {

class HangFault : public FaultKind {
 public:
  static absl::StatusOr<std::unique_ptr<FaultKind>> Create(const faults::v1::Hang& params);

  absl::StatusOr<ArmedFault> Arm(const Seams& seams, const ArmContext& context) const override;
};

}  // namespace squall

#endif  // FAULTS_PROCESS_HANG_H_

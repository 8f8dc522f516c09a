// Ends instances of a role on purpose, one after the other: SIGTERM, later SIGKILL, no restart.
//
//   fault: {on: {role: mega, count: 5}, drain: {over: 60s, grace: 5s}}
//
// How many: ArmContext.count. Witness: all of them ended. Nothing to undo.
#ifndef FAULTS_PROCESS_DRAIN_H_
#define FAULTS_PROCESS_DRAIN_H_

#include <cstdint>
#include <memory>

#include "faults/core/fault.h"

namespace squall {

class DrainFault : public FaultKind {
 public:
  // InvalidArgument: `over` or `grace` outside [0, 15 min].
  static absl::StatusOr<std::unique_ptr<FaultKind>> Create(const faults::v1::Drain& params);

  absl::StatusOr<ArmedFault> Arm(const Seams& seams, const ArmContext& context) const override;

 private:
  DrainFault(int64_t over_ns, int64_t grace_ns) : over_ns_(over_ns), grace_ns_(grace_ns) {}
  const int64_t over_ns_;
  const int64_t grace_ns_;
};

}  // namespace squall

#endif  // FAULTS_PROCESS_DRAIN_H_

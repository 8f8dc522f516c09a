// Ends a process with a signal.
//
//   fault: {on: {role: server}, crash: {signal: ABRT}}
//
// Witness: the process was seen to end by that signal. Nothing to undo; what restarts it is the target's own policy.
#ifndef FAULTS_PROCESS_CRASH_H_
#define FAULTS_PROCESS_CRASH_H_

#include <memory>

#include "faults/core/fault.h"

namespace squall {

class CrashFault : public FaultKind {
 public:
  // InvalidArgument: an unknown signal, or one that ends no process.
  static absl::StatusOr<std::unique_ptr<FaultKind>> Create(const faults::v1::Crash& params);

  absl::StatusOr<ArmedFault> Arm(const Seams& seams, const ArmContext& context) const override;

 private:
  explicit CrashFault(int signo) : signo_(signo) {}
  const int signo_;
};

}  // namespace squall

#endif  // FAULTS_PROCESS_CRASH_H_

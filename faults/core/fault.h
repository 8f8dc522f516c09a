// A fault kind, and a fault that is armed.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<FaultKind> kind, MakeFault(fault));       // faults/catalog.h
//   ASSIGN_OR_RETURN(ArmedFault armed, kind->Arm(seams, context));
//   ... armed.Observe().effective() ...
//   armed.Lift();   // or its destruction
#ifndef FAULTS_CORE_FAULT_H_
#define FAULTS_CORE_FAULT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/fault.pb.h"

namespace squall {

class ProcessSeam;
class InstancesSeam;
class LinkSeam;
class LoadSeam;

// What a fault host offers to break. Not owned; a null one is not offered here, and arming a kind that needs it fails
// with FailedPrecondition.
struct Seams {
  ProcessSeam* process = nullptr;
  InstancesSeam* instances = nullptr;
  LinkSeam* link = nullptr;
  LoadSeam* load = nullptr;
};

struct ArmContext {
  const Clock* clock = nullptr;
  int64_t deadline_ns = 0;  // the fault must have ended by itself then; required
  uint64_t seed = 0;        // draws come from RandomStream(seed, site)
  std::string site;
  uint32_t count = 1;  // Start, Drain: how many instances
};

// InvalidArgument: no clock, or a deadline that is not ahead.
absl::Status CheckContext(const ArmContext& context);

// An armed fault: lifts on destruction. Move-only. Not thread-safe.
class ArmedFault {
 public:
  using Undo = std::function<absl::Status()>;
  using Observation = std::function<faults::v1::Witness()>;

  ArmedFault() = default;  // nothing armed
  ArmedFault(Undo undo, Observation observe);
  ArmedFault(ArmedFault&& other) noexcept;
  ArmedFault& operator=(ArmedFault&& other) noexcept;
  ~ArmedFault();

  // Undoes it. Idempotent; after a failure it may be called again and tries again.
  absl::Status Lift();
  bool armed() const { return undo_ != nullptr; }
  // What it did so far. After Lift: `gone` says whether it was seen to be gone.
  faults::v1::Witness Observe() const;

 private:
  Undo undo_;
  Observation observe_;
};

// One kind with its parameters, checked when it was made. Const, so one instance may be armed on many objects.
class FaultKind {
 public:
  virtual ~FaultKind() = default;
  virtual absl::StatusOr<ArmedFault> Arm(const Seams& seams, const ArmContext& context) const = 0;
};

}  // namespace squall

#endif  // FAULTS_CORE_FAULT_H_

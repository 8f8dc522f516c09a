// All fault kinds there are.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<FaultKind> kind, MakeFault(fault));
//   ASSIGN_OR_RETURN(ArmedFault armed, kind->Arm(seams, context));
//
// Thread-safe.
#ifndef FAULTS_CATALOG_H_
#define FAULTS_CATALOG_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "faults/core/fault.h"
#include "faults/fault.pb.h"

namespace squall {

// Checks the kind's parameters, not the selection. InvalidArgument starts with the parameter at fault, as its path
// inside the kind's message ("jitter: must be at most the latency ..."), or with "kind" if there is none.
absl::StatusOr<std::unique_ptr<FaultKind>> MakeFault(const faults::v1::Fault& fault);

// Which fault host arms it. InvalidArgument if no kind is set.
absl::StatusOr<faults::v1::Seam> SeamOf(const faults::v1::Fault& fault);

std::string KindName(const faults::v1::Fault& fault);  // as in a plan: "load_spike"; "" if no kind is set
absl::Span<const std::string> KindNames();             // in the order of the proto

}  // namespace squall

#endif  // FAULTS_CATALOG_H_

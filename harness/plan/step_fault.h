// A step's action as a fault: `start` and `drain` are short for faults of those kinds.
//
//   StepFault({start: {role: mega, count: 5}})   // {on: {role: mega, count: 5}, start: {}}
#ifndef HARNESS_PLAN_STEP_FAULT_H_
#define HARNESS_PLAN_STEP_FAULT_H_

#include <cstdint>
#include <optional>

#include "faults/fault.pb.h"
#include "google/protobuf/duration.pb.h"
#include "harness/api/plan.pb.h"

namespace squall {

inline constexpr int64_t kDefaultFaultNs = 60'000'000'000;
inline constexpr int64_t kLongestFaultNs = 15 * kDefaultFaultNs;

// nullopt for a named instant.
std::optional<faults::v1::Fault> StepFault(const plan::v1::Step& step);

// How long the step's fault may stay armed. Without `for`: 60 s, and for a drain as long as it can take.
int64_t StepDurationNs(const plan::v1::Step& step);

int64_t ToNs(const google::protobuf::Duration& duration);

}  // namespace squall

#endif  // HARNESS_PLAN_STEP_FAULT_H_

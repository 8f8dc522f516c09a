#include "harness/plan/step_fault.h"

#include <algorithm>

namespace squall {
namespace {

constexpr int64_t kDefaultGraceNs = 10'000'000'000;
constexpr int64_t kDrainSlackNs = 5'000'000'000;

// Without an amount one instance is meant, as in any selection; a written 0 stays and is refused.
void SetCount(const auto& step, faults::v1::Selection* on) {
  on->set_role(step.role());
  on->set_count(step.has_count() ? step.count() : 1);
}

}  // namespace

int64_t ToNs(const google::protobuf::Duration& duration) {
  return duration.seconds() * 1'000'000'000 + duration.nanos();
}

std::optional<faults::v1::Fault> StepFault(const plan::v1::Step& step) {
  if (step.has_fault()) return step.fault();
  faults::v1::Fault fault;
  if (step.has_start()) {
    SetCount(step.start(), fault.mutable_on());
    fault.mutable_start();
    return fault;
  }
  if (step.has_drain()) {
    SetCount(step.drain(), fault.mutable_on());
    if (step.drain().has_over()) *fault.mutable_drain()->mutable_over() = step.drain().over();
    if (step.drain().has_grace()) *fault.mutable_drain()->mutable_grace() = step.drain().grace();
    fault.mutable_drain();
    return fault;
  }
  return std::nullopt;
}

int64_t StepDurationNs(const plan::v1::Step& step) {
  const std::optional<faults::v1::Fault> fault = StepFault(step);
  if (!fault) return 0;
  if (step.has_for_()) return ToNs(step.for_());
  if (!fault->has_drain()) return kDefaultFaultNs;
  const faults::v1::Drain& drain = fault->drain();
  const int64_t grace = drain.has_grace() ? ToNs(drain.grace()) : kDefaultGraceNs;
  return std::clamp(ToNs(drain.over()) + grace + kDrainSlackNs, kDefaultFaultNs, kLongestFaultNs);
}

}  // namespace squall

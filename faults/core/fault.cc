#include "faults/core/fault.h"

#include <utility>

namespace squall {

ArmedFault::ArmedFault(Undo undo, Observation observe) : undo_(std::move(undo)), observe_(std::move(observe)) {}

ArmedFault::ArmedFault(ArmedFault&& other) noexcept
    : undo_(std::exchange(other.undo_, nullptr)), observe_(std::exchange(other.observe_, nullptr)) {}

ArmedFault& ArmedFault::operator=(ArmedFault&& other) noexcept {
  if (this == &other) return *this;
  (void)Lift();
  undo_ = std::exchange(other.undo_, nullptr);
  observe_ = std::exchange(other.observe_, nullptr);
  return *this;
}

// Nobody is left to hear of a failure; the deadline that every seam was given ends the fault then.
ArmedFault::~ArmedFault() { (void)Lift(); }

absl::Status ArmedFault::Lift() {
  if (undo_ == nullptr) return absl::OkStatus();
  absl::Status status = undo_();
  if (status.ok()) undo_ = nullptr;
  return status;
}

faults::v1::Witness ArmedFault::Observe() const { return observe_ == nullptr ? faults::v1::Witness() : observe_(); }

absl::Status CheckContext(const ArmContext& context) {
  if (context.clock == nullptr) return absl::InvalidArgumentError("a fault cannot be armed without a clock");
  if (context.deadline_ns <= context.clock->Now()) {
    return absl::InvalidArgumentError("a fault cannot be armed: its deadline has passed");
  }
  return absl::OkStatus();
}

}  // namespace squall

#include "faults/load/load_spike.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "faults/core/params.h"
#include "faults/core/status_macros.h"
#include "faults/seams/load.h"

namespace squall {
namespace {

using faults::v1::Witness;

constexpr double kHighest = 1000;
constexpr int64_t kLongestRamp = 15 * 60 * kSecond;

class Spike {
 public:
  Spike(LoadSeam* load, double multiplier, const ArmContext& context)
      : load_(load), multiplier_(multiplier), clock_(context.clock), deadline_ns_(context.deadline_ns) {
    Look();
  }

  absl::Status Undo() {
    Look();
    // After the deadline it is over, and the multiplier may by now be another spike's.
    if (clock_->Now() < deadline_ns_) RETURN_IF_ERROR(load_->Restore());
    lifted_ = true;
    return absl::OkStatus();
  }

  Witness Observe() {
    Look();
    const bool over = lifted_ || clock_->Now() >= deadline_ns_;
    Witness witness;
    witness.set_effective(multiplier_ > 1 ? extra_ > 0 : farthest_ != 1);
    witness.set_gone(over && (gone_ || load_->Multiplier() == 1));
    if (witness.gone()) gone_ = true;
    witness.set_count(extra_);
    witness.set_detail(
        absl::StrFormat("%d requests scheduled beyond the base rate, multiplier seen up to %.4g", extra_, farthest_));
    if (multiplier_ < 1) witness.set_detail(absl::StrFormat("multiplier seen down to %.4g", farthest_));
    return witness;
  }

 private:
  void Look() {
    if (lifted_ || gone_) return;
    extra_ = load_->ExtraScheduled();
    const double now = load_->Multiplier();
    if (std::abs(now - 1) > std::abs(farthest_ - 1)) farthest_ = now;
  }

  LoadSeam* const load_;
  const double multiplier_;
  const Clock* const clock_;
  const int64_t deadline_ns_;
  uint64_t extra_ = 0;
  double farthest_ = 1;  // the multiplier seen that was farthest from 1
  bool lifted_ = false;
  bool gone_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FaultKind>> LoadSpikeFault::Create(const faults::v1::LoadSpike& params) {
  const double multiplier = params.multiplier();
  if (!(multiplier > 0 && multiplier <= kHighest)) {
    return absl::InvalidArgumentError(absl::StrCat("multiplier: must be in (0, 1000], is ", multiplier));
  }
  if (multiplier == 1) return absl::InvalidArgumentError("multiplier: 1 changes nothing");
  ASSIGN_OR_RETURN(const int64_t ramp, CheckDuration("ramp", params.ramp(), {.least = 0, .most = kLongestRamp}));
  return std::unique_ptr<FaultKind>(new LoadSpikeFault(multiplier, ramp));
}

absl::StatusOr<ArmedFault> LoadSpikeFault::Arm(const Seams& seams, const ArmContext& context) const {
  if (seams.load == nullptr) return absl::FailedPreconditionError("load_spike: no load is offered here");
  RETURN_IF_ERROR(CheckContext(context));
  if (seams.load->Multiplier() != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("load_spike: the load is under another spike, multiplier ", seams.load->Multiplier()));
  }
  RETURN_IF_ERROR(seams.load->Multiply(multiplier_, ramp_ns_, context.deadline_ns));
  auto spike = std::make_shared<Spike>(seams.load, multiplier_, context);
  return ArmedFault([spike] { return spike->Undo(); }, [spike] { return spike->Observe(); });
}

}  // namespace squall

#include "faults/process/hang.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/params.h"
#include "faults/core/status_macros.h"
#include "faults/seams/process.h"

namespace squall {
namespace {

using faults::v1::Witness;

class Stopped {
 public:
  Stopped(ProcessSeam* process, const ArmContext& context)
      : process_(process), clock_(context.clock), deadline_ns_(context.deadline_ns), from_ns_(context.clock->Now()) {}

  absl::Status Undo() {
    Look();  // the last chance to see it stopped
    RETURN_IF_ERROR(process_->Continue());
    lifted_ = true;
    return absl::OkStatus();
  }

  Witness Observe() {
    const bool stopped = Look();
    const bool over = lifted_ || clock_->Now() >= deadline_ns_;
    Witness witness;
    witness.set_effective(first_seen_ns_ != 0);
    witness.set_gone(over && !stopped);
    witness.set_count(1);
    if (first_seen_ns_ == 0) {
      witness.set_detail("was told to stop, never seen stopped");
    } else {
      witness.set_detail(absl::StrCat("all threads stopped after ", FormatMillis(first_seen_ns_ - from_ns_),
                                      ", seen stopped for ", FormatMillis(last_seen_ns_ - first_seen_ns_)));
    }
    return witness;
  }

 private:
  static std::string FormatMillis(int64_t ns) { return FormatNanos(ns / kMillisecond * kMillisecond); }

  bool Look() {
    const bool stopped = process_->Look().stopped;
    if (stopped && !lifted_) {
      last_seen_ns_ = clock_->Now();
      if (first_seen_ns_ == 0) first_seen_ns_ = last_seen_ns_;
    }
    return stopped;
  }

  ProcessSeam* const process_;
  const Clock* const clock_;
  const int64_t deadline_ns_;
  const int64_t from_ns_;
  int64_t first_seen_ns_ = 0;
  int64_t last_seen_ns_ = 0;
  bool lifted_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FaultKind>> HangFault::Create(const faults::v1::Hang&) {
  return std::unique_ptr<FaultKind>(new HangFault());
}

absl::StatusOr<ArmedFault> HangFault::Arm(const Seams& seams, const ArmContext& context) const {
  if (seams.process == nullptr) return absl::FailedPreconditionError("hang: no process is offered here");
  RETURN_IF_ERROR(CheckContext(context));
  if (!seams.process->Look().running) return absl::FailedPreconditionError("hang: the process does not run");
  auto stopped = std::make_shared<Stopped>(seams.process, context);
  RETURN_IF_ERROR(seams.process->Stop(context.deadline_ns));
  return ArmedFault([stopped] { return stopped->Undo(); }, [stopped] { return stopped->Observe(); });
}

}  // namespace squall

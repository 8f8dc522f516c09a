#include "faults/process/crash.h"

#include <signal.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "faults/process/signal_name.h"
#include "faults/seams/process.h"

namespace squall {
namespace {

using faults::v1::Witness;

// Sent to the process that had `incarnation`. The first end that is seen counts: whatever comes later is another story.
class Sent {
 public:
  Sent(const ProcessSeam* process, int signo, uint32_t incarnation)
      : process_(process), signo_(signo), incarnation_(incarnation) {}

  Witness Observe() {
    if (!ended_) Look();
    const bool by_it = ended_ && exit_signal_ == signo_;
    Witness witness;
    witness.set_effective(by_it);
    witness.set_gone(by_it);
    witness.set_count(1);
    const std::string name = SignalName(signo_);
    witness.set_detail(!ended_             ? absl::StrCat(name, " was sent, the process runs on")
                       : by_it             ? absl::StrCat("ended by ", name)
                       : exit_signal_ == 0 ? absl::StrCat(name, " was sent, the process ended by itself")
                                           : absl::StrCat(name, " was sent, ended by ", SignalName(exit_signal_)));
    return witness;
  }

 private:
  void Look() {
    const ProcessSeam::State now = process_->Look();
    ended_ = !now.running || now.incarnation != incarnation_;
    exit_signal_ = now.exit_signal;
  }

  const ProcessSeam* const process_;
  const int signo_;
  const uint32_t incarnation_;
  bool ended_ = false;
  int exit_signal_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FaultKind>> CrashFault::Create(const faults::v1::Crash& params) {
  if (params.signal().empty()) return std::unique_ptr<FaultKind>(new CrashFault(SIGKILL));
  const auto signo = SignalByName(params.signal());
  if (!signo.ok()) return absl::InvalidArgumentError(absl::StrCat("signal: ", signo.status().message()));
  if (!EndsByDefault(*signo)) {
    return absl::InvalidArgumentError(
        absl::StrCat("signal: ", SignalName(*signo), " ends no process", *signo == SIGSTOP ? "; use hang" : ""));
  }
  return std::unique_ptr<FaultKind>(new CrashFault(*signo));
}

absl::StatusOr<ArmedFault> CrashFault::Arm(const Seams& seams, const ArmContext& context) const {
  if (seams.process == nullptr) return absl::FailedPreconditionError("crash: no process is offered here");
  RETURN_IF_ERROR(CheckContext(context));
  const ProcessSeam::State before = seams.process->Look();
  if (!before.running) return absl::FailedPreconditionError("crash: the process does not run");
  RETURN_IF_ERROR(seams.process->Signal(signo_));
  auto sent = std::make_shared<Sent>(seams.process, signo_, before.incarnation);
  return ArmedFault([] { return absl::OkStatus(); }, [sent] { return sent->Observe(); });
}

}  // namespace squall

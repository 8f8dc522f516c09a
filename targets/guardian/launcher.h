// Starts a guardian with its agent, and, for whoever must be sure that nothing is left, ends all that descends from the
// caller. For `squall run` and for tests.
//
//   BecomeSubreaper();
//   GuardianLaunch launch;
//   launch.guardian = "/path/squall-guardian";
//   launch.agent_argv = {"/path/squall", "agent", "--controller=unix:/run/x"};
//   ASSIGN_OR_RETURN(RunningGuardian guardian, StartGuardian(launch));
//   absl::StatusOr<int> code = guardian.Wait(10 * kSecond);
//   KillTree(2 * kSecond);
#ifndef TARGETS_GUARDIAN_LAUNCHER_H_
#define TARGETS_GUARDIAN_LAUNCHER_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/unique_fd.h"

namespace squall {

struct GuardianLaunch {
  std::string guardian;                 // path of the binary
  bool attach = false;                  // false = test mode
  std::vector<std::string> agent_argv;  // program, sub-command, flags
  std::vector<std::string> env;  // "NAME=value", the whole environment of guardian and agent; empty = the caller's
  std::string output;            // file for their stdout and stderr, appended, created 0600; "" = the caller's
};

// A child process. In test mode it and all below it end at once when this object, or the process that holds it, is
// gone.
class RunningGuardian {
 public:
  RunningGuardian(RunningGuardian&&) = default;
  RunningGuardian& operator=(RunningGuardian&&) = default;

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once it has exited
  absl::Status Signal(int signo);
  // Its exit code, 128 + signal if it was killed. DeadlineExceeded if it still runs. Reaps it; may be asked again.
  absl::StatusOr<int> Wait(int64_t wait_ns);
  void CloseParentEnd() { parent_end_.reset(); }  // as if the caller had died

 private:
  friend absl::StatusOr<RunningGuardian> StartGuardian(const GuardianLaunch& launch);
  RunningGuardian() = default;
  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd parent_end_;
  std::optional<int> code_;
};

// Any thread. The guardian leads its own session, so that a terminal's signals reach the caller alone. NotFound,
// PermissionDenied: the binary or the output file.
absl::StatusOr<RunningGuardian> StartGuardian(const GuardianLaunch& launch);

// From now on whoever loses his parent below us becomes our child.
absl::Status BecomeSubreaper();

// SIGKILLs all that descend from the calling process, whatever its session, and reaps those that end as its children,
// until nobody is left. DeadlineExceeded if somebody is after `within_ns`. For a subreaper whose children are all
// Squall's.
absl::Status KillTree(int64_t within_ns);

}  // namespace squall

#endif  // TARGETS_GUARDIAN_LAUNCHER_H_

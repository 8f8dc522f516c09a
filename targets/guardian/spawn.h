// Starts one process from the single-threaded guardian: fork, prepare, wait for the word, exec. The child does nothing
// that can be seen before the parent has its pidfd and has called Go; if the parent dies first, the child is gone too.
//
//   Command command;
//   command.argv = {"redis-server", "--port", "0"};
//   ASSIGN_OR_RETURN(Started started, Start(os, command));
//   ... record started.pid and started.pidfd ...
//   Go(started);
//   ... when started.report becomes readable: absl::Status result = ReadResult(started, command);
#ifndef TARGETS_GUARDIAN_SPAWN_H_
#define TARGETS_GUARDIAN_SPAWN_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "faults/core/os.h"
#include "faults/core/unique_fd.h"

namespace squall {

struct Command {
  std::vector<std::string> argv;  // argv[0] without '/' is looked up in the PATH of `env`
  std::vector<std::string> env;   // "NAME=value"; the whole environment
  std::string cwd;                // "" = the guardian's
  std::string output;             // file for stdout and stderr, appended, created 0600; "" = the guardian's own
  std::vector<int> inherited;     // descriptors that stay open, at the same numbers
  int parent_death_signal = 0;    // what the kernel sends it when the guardian dies; 0 = nothing
};

struct Started {
  pid_t pid = -1;
  UniqueFd pidfd;
  UniqueFd report;   // readable once exec succeeded or failed; non-blocking
  std::string path;  // what is executed
};

// InvalidArgument: no argv, a NUL inside. NotFound, PermissionDenied: the program or the output file. The child leads
// its own session, has no core file, default signal actions, an empty mask, /dev/null as stdin, RLIMIT_NOFILE at its
// maximum.
absl::StatusOr<Started> Start(Os* os, const Command& command);

void Go(const Started& started);

// Ok if exec succeeded; else why not, with the path. WouldBlock (protocol.h) if not known yet.
absl::Status ReadResult(const Started& started, const Command& command);

// Where execvp would find `program`, given the environment of the child.
absl::StatusOr<std::string> FindProgram(const std::string& program, const std::vector<std::string>& env);

}  // namespace squall

#endif  // TARGETS_GUARDIAN_SPAWN_H_

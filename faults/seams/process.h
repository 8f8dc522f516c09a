// One process (tree) that can be ended, stopped and continued.
#ifndef FAULTS_SEAMS_PROCESS_H_
#define FAULTS_SEAMS_PROCESS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace squall {

class ProcessSeam {
 public:
  struct State {
    bool running = false;
    bool stopped = false;      // all its threads are in state T
    uint32_t incarnation = 0;  // grows with each start
    int32_t exit_signal = 0;   // of the last end; 0 = ended by itself, or never
  };
  virtual ~ProcessSeam() = default;
  // To the leader, by pidfd: a pid that was given to somebody else is never hit. FailedPrecondition if it does not run.
  virtual absl::Status Signal(int signo) = 0;
  // Stops all its processes; the holder continues them by itself at `deadline_ns`.
  virtual absl::Status Stop(int64_t deadline_ns) = 0;
  virtual absl::Status Continue() = 0;  // idempotent; ok if it has ended
  virtual State Look() const = 0;
};

}  // namespace squall

#endif  // FAULTS_SEAMS_PROCESS_H_

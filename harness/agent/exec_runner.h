// Runs a program through the guardian and tells its exit code and output.
#ifndef HARNESS_AGENT_EXEC_RUNNER_H_
#define HARNESS_AGENT_EXEC_RUNNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "faults/core/event_loop.h"
#include "targets/process/spawner.h"

namespace squall {

// Loop thread only.
class ExecRunner {
 public:
  using Done = std::function<void(absl::StatusOr<std::pair<int, std::string>>)>;  // exit code (128 + signal), output

  ExecRunner(EventLoop* loop, Spawner* spawner, std::string directory);
  // KILL after `timeout_ns` (DeadlineExceeded). Output beyond 64 KiB is cut.
  void Run(const std::vector<std::string>& argv, int64_t timeout_ns, Done done);
  // Exited events whose key is one of ours. False if it is none.
  bool OnExited(const std::string& key, int wait_status);

 private:
  struct Pending {
    std::string output;
    Done done;
    EventLoop::TimerId timer;
    bool timed_out = false;
  };
  EventLoop* const loop_;
  Spawner* const spawner_;
  const std::string directory_;
  uint64_t next_ = 0;
  std::map<std::string, Pending> pending_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_EXEC_RUNNER_H_

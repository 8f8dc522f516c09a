// What a fleet needs of the guardian, as an interface: tests give a fake, the agent gives the guardian's client.
#ifndef TARGETS_PROCESS_SPAWNER_H_
#define TARGETS_PROCESS_SPAWNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace squall {

struct SpawnRequest {
  std::string key;  // "role/index"
  std::vector<std::string> argv;
  std::vector<std::string> env;  // "NAME=value", the whole environment
  std::string cwd;
  std::string output;  // file for stdout and stderr, appended
};

class Spawner {
 public:
  virtual ~Spawner() = default;
  virtual absl::StatusOr<int> Spawn(const SpawnRequest& request) = 0;  // the pid
  virtual absl::Status Signal(const std::string& key, int signo) = 0;
  virtual absl::Status Stop(const std::string& key, int64_t deadline_ns) = 0;  // the whole tree; thawed by deadline
  virtual absl::Status Continue(const std::string& key) = 0;
};

}  // namespace squall

#endif  // TARGETS_PROCESS_SPAWNER_H_

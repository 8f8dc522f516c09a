// The fleet's spawner through the guardian.
#ifndef TARGETS_PROCESS_GUARDIAN_SPAWNER_H_
#define TARGETS_PROCESS_GUARDIAN_SPAWNER_H_

#include "targets/guardian/client.h"
#include "targets/process/spawner.h"

namespace squall {

class GuardianSpawner : public Spawner {
 public:
  explicit GuardianSpawner(GuardianClient* guardian) : guardian_(guardian) {}
  absl::StatusOr<int> Spawn(const SpawnRequest& request) override;
  absl::Status Signal(const std::string& key, int signo) override;
  absl::Status Stop(const std::string& key, int64_t deadline_ns) override;
  absl::Status Continue(const std::string& key) override;

 private:
  GuardianClient* const guardian_;
};

}  // namespace squall

#endif  // TARGETS_PROCESS_GUARDIAN_SPAWNER_H_

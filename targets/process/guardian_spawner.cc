#include "targets/process/guardian_spawner.h"

#include <utility>

#include "faults/core/status_macros.h"

namespace squall {
namespace {
// The agent lifts at the deadline itself; the guardian steps in when it does not.
constexpr int64_t kAgentsTurn = 200'000'000;
}  // namespace

using guardian::v1::Request;

absl::StatusOr<int> GuardianSpawner::Spawn(const SpawnRequest& spawn) {
  Request request;
  request.mutable_spawn()->set_key(spawn.key);
  for (const std::string& argument : spawn.argv) request.mutable_spawn()->add_argv(argument);
  for (const std::string& variable : spawn.env) request.mutable_spawn()->add_env(variable);
  request.mutable_spawn()->set_cwd(spawn.cwd);
  request.mutable_spawn()->set_output(spawn.output);
  ASSIGN_OR_RETURN(const guardian::v1::Reply reply, guardian_->Call(std::move(request)));
  return reply.pid();
}

absl::Status GuardianSpawner::Signal(const std::string& key, int signo) {
  Request request;
  request.mutable_signal()->set_key(key);
  request.mutable_signal()->set_signo(signo);
  return guardian_->Call(std::move(request)).status();
}

absl::Status GuardianSpawner::Stop(const std::string& key, int64_t deadline_ns) {
  Request request;
  request.mutable_hang()->set_key(key);
  request.mutable_hang()->set_deadline_ns(deadline_ns + kAgentsTurn);
  return guardian_->Call(std::move(request)).status();
}

absl::Status GuardianSpawner::Continue(const std::string& key) {
  Request request;
  request.mutable_thaw()->set_key(key);
  return guardian_->Call(std::move(request)).status();
}

}  // namespace squall

// The agent process, below its guardian.
#ifndef HARNESS_AGENT_RUN_AGENT_H_
#define HARNESS_AGENT_RUN_AGENT_H_

#include <optional>
#include <string>
#include <vector>

#include "faults/fault.pb.h"
#include "harness/agent/world.h"
#include "harness/controller/address.h"
#include "targets/process/spec.h"

namespace squall {

struct AgentOptions {
  int guardian_fd = -1;
  int lease_fd = -1;
  std::string name;
  std::string role;
  std::vector<faults::v1::Label> labels;
  bool test_mode = false;
  std::string version;
  std::string directory;              // logs and working directories
  std::optional<Address> controller;  // none = stands alone
  std::optional<Address> local;       // its own socket; none = no verbs by hand
  std::string relay_binary, load_binary;
  std::string halt_file;
  std::optional<TargetSpec> own;  // the target from the command line
  std::vector<StaticLink> links;
};

// Runs until SIGTERM/SIGINT, the end of its own target, the death of the guardian, or a controller's refusal. Returns
// the exit code: 0; that of its own target (128 + signal); 5 when something of ours failed.
int RunAgent(AgentOptions options);

}  // namespace squall

#endif  // HARNESS_AGENT_RUN_AGENT_H_

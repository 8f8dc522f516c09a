// A run that a controller elsewhere carries out.
#ifndef HARNESS_CLI_REMOTE_RUN_H_
#define HARNESS_CLI_REMOTE_RUN_H_

#include <string>

#include "harness/cli/local_run.h"

namespace squall {

RunOutcome RunRemotely(const RunOptions& options, const std::string& controller, const std::string& token_file);

}  // namespace squall

#endif  // HARNESS_CLI_REMOTE_RUN_H_

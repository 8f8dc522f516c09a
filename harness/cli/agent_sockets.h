// Where agents put their own sockets, so that `squall list` finds the only one there is.
#ifndef HARNESS_CLI_AGENT_SOCKETS_H_
#define HARNESS_CLI_AGENT_SOCKETS_H_

#include <string>

#include "absl/status/statusor.h"

namespace squall {

// $XDG_RUNTIME_DIR/squall/NAME.sock, else /tmp/squall-UID/NAME.sock.
absl::StatusOr<std::string> DefaultAgentSocket(const std::string& agent);
// The one socket there that answers; NotFound or FailedPrecondition (several, all named) otherwise.
absl::StatusOr<std::string> OnlyAgentSocket();

}  // namespace squall

#endif  // HARNESS_CLI_AGENT_SOCKETS_H_

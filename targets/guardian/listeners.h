// Listening sockets that outlive the process which serves them: bound once by the guardian, inherited by each
// incarnation of a fault host, so that no connection is refused while it is started again.
#ifndef TARGETS_GUARDIAN_LISTENERS_H_
#define TARGETS_GUARDIAN_LISTENERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "faults/core/os.h"
#include "faults/core/unique_fd.h"

namespace squall {

struct BoundListener {
  std::string name;
  UniqueFd fd;
  std::string address;  // HOST:PORT as bound
};

// `address` is a numeric host and a port, "127.0.0.1:0" or "[::1]:8080"; port 0 = chosen by the kernel.
// InvalidArgument: it is not such a one. FailedPrecondition: the port is taken.
absl::StatusOr<BoundListener> BindListener(Os* os, const std::string& name, const std::string& address);

}  // namespace squall

#endif  // TARGETS_GUARDIAN_LISTENERS_H_

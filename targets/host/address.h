// HOST:PORT with a numeric host, as the socket calls want it.
//
//   ASSIGN_OR_RETURN(SocketAddress address, ParseAddress("127.0.0.1:6379"));   // or "[::1]:6379"
#ifndef TARGETS_HOST_ADDRESS_H_
#define TARGETS_HOST_ADDRESS_H_

#include <sys/socket.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "faults/core/unique_fd.h"

namespace squall {

// Value type.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sa_family_t family() const { return storage.ss_family; }
};

// InvalidArgument: not numeric, no port, or port 0. Nothing is ever looked up.
absl::StatusOr<SocketAddress> ParseAddress(absl::string_view text);

// Begins to connect a TCP socket: non-blocking, close-on-exec, without Nagle's delay. The result is there at once when
// `connecting` is false; else the socket becomes writable. Errors as of connect(2), ResourceExhausted without
// descriptors.
absl::StatusOr<UniqueFd> StartConnect(const SocketAddress& address, bool* connecting);

}  // namespace squall

#endif  // TARGETS_HOST_ADDRESS_H_

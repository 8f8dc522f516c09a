// Port numbers from the kernel that stay ours: each is held by a bound socket that never listens.
#ifndef TARGETS_PROCESS_PORTS_H_
#define TARGETS_PROCESS_PORTS_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "faults/core/unique_fd.h"

namespace squall {

// A free TCP port of 127.0.0.1. The kernel gives it to nobody else while the holder lives, and a server that sets
// SO_REUSEADDR (as servers do) can listen on it all the same. Move-only.
class HeldPort {
 public:
  static absl::StatusOr<HeldPort> Reserve();
  int port() const { return port_; }
  std::string address() const;  // "127.0.0.1:PORT"

 private:
  HeldPort(UniqueFd holder, int port) : holder_(std::move(holder)), port_(port) {}
  UniqueFd holder_;
  int port_;
};

// A numeric IPv4 HOST:PORT.
bool IsAddress(const std::string& address);
// Somebody accepts connections there. Does not wait: loopback answers at once, a stranger may be missed.
bool Answers(const std::string& address);

}  // namespace squall

#endif  // TARGETS_PROCESS_PORTS_H_

// The command line of a fault host, as the guardian writes it.
//
//   ASSIGN_OR_RETURN(HostFlags flags, ParseHostFlags(argc, argv));
#ifndef TARGETS_HOST_FLAGS_H_
#define TARGETS_HOST_FLAGS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace squall {

struct HostFlags {
  int control_fd = -1;                                         // --control_fd=N, required
  int lease_fd = -1;                                           // --lease_fd=N, required
  int guardian_fd = -1;                                        // --guardian_fd=N, required; readable when it is gone
  std::vector<std::pair<std::string, int>> listeners;          // --listener=NAME=FD
  std::vector<std::pair<std::string, std::string>> upstreams;  // --upstream=NAME=HOST:PORT
};

// InvalidArgument names the argument. A NAME may hold "/" but no "=", and comes once a list.
absl::StatusOr<HostFlags> ParseHostFlags(int argc, const char* const* argv);

}  // namespace squall

#endif  // TARGETS_HOST_FLAGS_H_

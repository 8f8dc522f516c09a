// Where our own helper programs lie: beside `squall`, in its Bazel runfiles, or in the build tree next to it.
#ifndef HARNESS_CLI_BINARIES_H_
#define HARNESS_CLI_BINARIES_H_

#include <string>

#include "absl/status/statusor.h"

namespace squall {

struct Binaries {
  std::string squall, guardian, relay, load;
};

// NotFound names the program and every place that was tried.
absl::StatusOr<Binaries> FindBinaries();
// Absolute, symlinks kept; "" stays "".
std::string AbsolutePath(const std::string& path);

}  // namespace squall

#endif  // HARNESS_CLI_BINARIES_H_

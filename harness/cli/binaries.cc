#include "harness/cli/binaries.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> Find(const std::vector<fs::path>& roots, const std::string& in_tree) {
  std::vector<std::string> tried;
  for (const fs::path& root : roots) {
    for (const fs::path& candidate : {root / fs::path(in_tree).filename(), root / in_tree}) {
      std::error_code error;
      if (fs::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return candidate.string();
      tried.push_back(candidate.string());
    }
  }
  return absl::NotFoundError(
      absl::StrCat("cannot find ", fs::path(in_tree).filename().string(), "; tried ", absl::StrJoin(tried, ", ")));
}

}  // namespace

absl::StatusOr<Binaries> FindBinaries() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return absl::InternalError("cannot read /proc/self/exe");
  Binaries found;
  const fs::path bin = self.parent_path();
  // bin/harness/cli/squall stands two folders below the root of the build tree.
  std::vector<fs::path> roots = {bin, self.string() + ".runfiles/squall", bin.parent_path().parent_path()};
  if (const fs::path here = fs::current_path(error); !error) roots.push_back(here);  // a test's runfiles
  ASSIGN_OR_RETURN(found.squall, Find(roots, "harness/cli/squall"));
  ASSIGN_OR_RETURN(found.guardian, Find(roots, "targets/guardian/squall-guardian"));
  ASSIGN_OR_RETURN(found.relay, Find(roots, "targets/relay/squall-relay"));
  ASSIGN_OR_RETURN(found.load, Find(roots, "targets/load/squall-load"));
  return found;
}

std::string AbsolutePath(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

}  // namespace squall

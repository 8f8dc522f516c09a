#include "faults/core/atomic_file.h"

#include <errno.h>
#include <fcntl.h>

#include "absl/strings/str_cat.h"
#include "faults/core/unique_fd.h"

namespace squall {

absl::Status WriteFileAtomically(Os* os, const std::string& path, std::string_view content) {
  const std::string temporary = path + ".tmp";
  UniqueFd fd(os->Open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("opening ", temporary));
  while (!content.empty()) {
    const ssize_t written = os->Write(fd.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, absl::StrCat("writing ", temporary));
    content.remove_prefix(static_cast<size_t>(written));
  }
  if (os->Fsync(fd.get()) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("syncing ", temporary));
  if (os->Rename(temporary.c_str(), path.c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("renaming ", temporary, " to ", path));
  }
  return absl::OkStatus();
}

}  // namespace squall

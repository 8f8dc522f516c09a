#include "harness/report/writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/status_macros.h"
#include "harness/report/json.h"

namespace squall {
namespace {

absl::Status Failed(absl::string_view doing, absl::string_view path, int error) {
  const std::string message = absl::StrCat("cannot ", doing, " ", path, ": ", std::strerror(error));
  switch (error) {
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case EEXIST:
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
      return absl::FailedPreconditionError(message);
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::UnavailableError(message);
  }
}

int WriteAll(int fd, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// Its entries are on the disk. Some file systems cannot do that for directories; then the rename stands anyway.
void SyncDirectory(const std::string& dir) {
  const int fd = open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

}  // namespace

absl::Status WriteFileAtomically(const std::string& path, absl::string_view content) {
  const std::filesystem::path target(path);
  const std::string dir = target.has_parent_path() ? target.parent_path().string() : ".";
  const std::string temporary =
      absl::StrCat(dir, "/.", target.filename().string(), ".", static_cast<int64_t>(getpid()), ".new");
  // Left by a killed process of the same pid; never follows a link that somebody laid there.
  unlink(temporary.c_str());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return Failed("create", temporary, errno);
  int error = WriteAll(fd, content);
  if (error == 0 && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(temporary.c_str());
    return Failed("write", path, error);
  }
  SyncDirectory(dir);
  return absl::OkStatus();
}

absl::Status WriteReport(const std::string& dir, const report::v1::RunReport& report,
                         const std::vector<ChartData>& charts, const std::vector<std::string>& event_lines) {
  if (dir.empty()) return absl::InvalidArgumentError("the report's directory has no name");
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) return Failed("make the report's directory", dir, error.value());
  std::string events = absl::StrJoin(event_lines, "\n");
  if (!events.empty()) events += "\n";
  RETURN_IF_ERROR(WriteFileAtomically(dir + "/events.jsonl", events));
  RETURN_IF_ERROR(WriteFileAtomically(dir + "/report.html", ReportHtml(report, charts)));
  return WriteFileAtomically(dir + "/report.json", ReportJson(report));
}

}  // namespace squall

#include "harness/cli/agent_sockets.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace squall {
namespace {

std::string Directory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != '\0') return absl::StrCat(runtime, "/squall");
  return absl::StrCat("/tmp/squall-", geteuid());
}

bool Answers(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  path.copy(address.sun_path, path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool live = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return live;
}

}  // namespace

absl::StatusOr<std::string> DefaultAgentSocket(const std::string& agent) {
  return absl::StrCat(Directory(), "/", agent, ".sock");
}

absl::StatusOr<std::string> OnlyAgentSocket() {
  std::vector<std::string> live;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(Directory(), error)) {
    if (entry.path().extension() == ".sock" && Answers(entry.path().string())) live.push_back(entry.path().string());
  }
  if (live.empty()) return absl::NotFoundError(absl::StrCat("no agent runs here (looked in ", Directory(), ")"));
  if (live.size() == 1) return live[0];
  return absl::FailedPreconditionError(
      absl::StrCat("several agents run; choose one with --agent: ", absl::StrJoin(live, " ")));
}

}  // namespace squall

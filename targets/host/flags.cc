#include "targets/host/flags.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace squall {
namespace {

bool ParseFd(absl::string_view text, int* fd) { return absl::SimpleAtoi(text, fd) && *fd >= 0; }

// "NAME=VALUE"; a name that the list does not have yet.
template <typename List>
bool Split(absl::string_view text, const List& list, std::string* name, absl::string_view* value) {
  const size_t equals = text.find('=');
  if (equals == absl::string_view::npos || equals == 0) return false;
  *name = std::string(text.substr(0, equals));
  *value = text.substr(equals + 1);
  return std::none_of(list.begin(), list.end(), [&](const auto& entry) { return entry.first == *name; });
}

bool ParseOne(absl::string_view argument, HostFlags* flags) {
  std::string name;
  absl::string_view value;
  if (absl::ConsumePrefix(&argument, "--control_fd=")) return ParseFd(argument, &flags->control_fd);
  if (absl::ConsumePrefix(&argument, "--lease_fd=")) return ParseFd(argument, &flags->lease_fd);
  if (absl::ConsumePrefix(&argument, "--guardian_fd=")) return ParseFd(argument, &flags->guardian_fd);
  if (absl::ConsumePrefix(&argument, "--listener=")) {
    int fd = -1;
    if (!Split(argument, flags->listeners, &name, &value) || !ParseFd(value, &fd)) return false;
    flags->listeners.emplace_back(name, fd);
    return true;
  }
  if (absl::ConsumePrefix(&argument, "--upstream=")) {
    if (!Split(argument, flags->upstreams, &name, &value)) return false;
    flags->upstreams.emplace_back(name, std::string(value));
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<HostFlags> ParseHostFlags(int argc, const char* const* argv) {
  HostFlags flags;
  for (int i = 1; i < argc; ++i) {
    if (!ParseOne(argv[i], &flags)) return absl::InvalidArgumentError(absl::StrCat("bad argument ", argv[i]));
  }
  if (flags.control_fd < 0) return absl::InvalidArgumentError("--control_fd is required");
  if (flags.lease_fd < 0) return absl::InvalidArgumentError("--lease_fd is required");
  if (flags.guardian_fd < 0) return absl::InvalidArgumentError("--guardian_fd is required");
  return flags;
}

}  // namespace squall

#include "harness/controller/address.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

constexpr char kTokenHeader[] = "x-squall-token";
constexpr size_t kShortestToken = 32;

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return absl::NotFoundError(absl::StrCat("token file ", path, " cannot be read"));
  if ((info.st_mode & 077) != 0) {
    return absl::PermissionDeniedError(absl::StrCat("token file ", path, " is open to others: chmod 600 it"));
  }
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  std::string token(absl::StripAsciiWhitespace(content.str()));
  if (token.size() < kShortestToken) {
    return absl::InvalidArgumentError(absl::StrCat("token file ", path, " holds fewer than 32 characters"));
  }
  return token;
}

bool SameSecret(std::string_view a, std::string_view b) {  // in constant time for a given length
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

absl::Status PreparePath(const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("socket path is longer than 107 bytes: ", path));
  }
  const size_t slash = path.rfind('/');
  const std::string directory = slash == 0 ? "/" : path.substr(0, slash);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, absl::StrCat("making ", directory));
  }
  struct stat info{};
  if (stat(directory.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, directory);
  if ((info.st_mode & 077) != 0 || info.st_uid != geteuid()) {
    return absl::PermissionDeniedError(
        absl::StrCat("the directory of the socket, ", directory, ", must belong to this user with mode 0700"));
  }
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const bool live = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  if (live) return absl::AlreadyExistsError(absl::StrCat("something listens on ", path, " already"));
  unlink(path.c_str());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Address> ParseAddress(const std::string& text, const std::string& token_file) {
  Address address;
  if (absl::StartsWith(text, "unix:") || absl::StartsWith(text, "/")) {
    address.path = std::string(absl::StripPrefix(text, "unix:"));
    if (!absl::StartsWith(address.path, "/")) {
      return absl::InvalidArgumentError(absl::StrCat("a unix socket needs an absolute path: ", text));
    }
    address.grpc = absl::StrCat("unix:", address.path);
    return address;
  }
  const size_t colon = text.rfind(':');
  const std::string host = colon == text.npos ? text : text.substr(0, colon);
  int port = -1;
  if (colon == text.npos || !absl::SimpleAtoi(text.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("not an address: \"", text, "\"; write unix:/path or 127.0.0.1:PORT"));
  }
  if (host != "127.0.0.1" && host != "[::1]" && host != "localhost") {
    return absl::PermissionDeniedError(
        absl::StrCat(text, " is refused: only a unix socket or loopback with a token file, until mutual TLS is there"));
  }
  if (token_file.empty()) {
    return absl::PermissionDeniedError(absl::StrCat(text, " needs --token_file: other users reach loopback, too"));
  }
  ASSIGN_OR_RETURN(address.token, ReadToken(token_file));
  address.grpc = absl::StrCat(host == "localhost" ? "127.0.0.1" : host, ":", port);
  return address;
}

grpc::Status Authorize(const Address& address, const grpc::ServerContext& context) {
  if (address.token.empty()) return grpc::Status::OK;
  const auto found = context.client_metadata().find(kTokenHeader);
  if (found != context.client_metadata().end() &&
      SameSecret(std::string_view(found->second.data(), found->second.size()), address.token)) {
    return grpc::Status::OK;
  }
  return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "the token is missing or wrong");
}

void Authenticate(const Address& address, grpc::ClientContext* context) {
  if (!address.token.empty()) context->AddMetadata(kTokenHeader, address.token);
}

std::shared_ptr<grpc::Channel> Dial(const Address& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // Plain text: the peer is this machine (a private socket, or loopback with a token).
  return grpc::CreateCustomChannel(address.grpc, grpc::InsecureChannelCredentials(), arguments);
}

absl::StatusOr<std::unique_ptr<grpc::Server>> Serve(const Address& address, const std::vector<grpc::Service*>& services,
                                                    int* port) {
  if (!address.path.empty()) RETURN_IF_ERROR(PreparePath(address.path));
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(16 << 20);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  int chosen = 0;
  builder.AddListeningPort(address.grpc, grpc::InsecureServerCredentials(), &chosen);
  for (grpc::Service* service : services) builder.RegisterService(service);
  const mode_t mask = umask(0177);  // the socket is 0600 from its first moment
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  umask(mask);
  if (server == nullptr) return absl::UnavailableError(absl::StrCat("cannot listen on ", address.grpc));
  if (!address.path.empty() && chmod(address.path.c_str(), 0600) != 0) {
    return absl::ErrnoToStatus(errno, address.path);
  }
  if (port != nullptr) *port = chosen;
  return server;
}

}  // namespace squall

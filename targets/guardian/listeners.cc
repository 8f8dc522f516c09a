#include "targets/guardian/listeners.h"

#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace squall {
namespace {

constexpr int kBacklog = 4096;

absl::StatusOr<std::string> LocalAddress(int fd) {
  sockaddr_storage address;
  socklen_t length = sizeof(address);
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return absl::ErrnoToStatus(errno, "getsockname of a listener");
  }
  if (getnameinfo(reinterpret_cast<sockaddr*>(&address), length, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return absl::InternalError("getnameinfo of a listener");
  }
  return address.ss_family == AF_INET6 ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

}  // namespace

absl::StatusOr<BoundListener> BindListener(Os* os, const std::string& name, const std::string& address) {
  const std::string what = absl::StrCat("listener ", name, " at '", address, "'");
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) return absl::InvalidArgumentError(absl::StrCat(what, ": not HOST:PORT"));
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (host.empty() || getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": not a numeric host and port"));
  }
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  BoundListener listener;
  listener.name = name;
  listener.fd.reset(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.fd.valid()) return absl::ErrnoToStatus(errno, what);
  const int on = 1;
  setsockopt(listener.fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(listener.fd.get(), found->ai_addr, found->ai_addrlen) != 0 || os->Listen(listener.fd.get(), kBacklog) != 0) {
    return absl::ErrnoToStatus(errno, what);
  }
  absl::StatusOr<std::string> bound = LocalAddress(listener.fd.get());
  if (!bound.ok()) return bound.status();
  listener.address = *std::move(bound);
  return listener;
}

}  // namespace squall

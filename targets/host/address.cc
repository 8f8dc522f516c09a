#include "targets/host/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace squall {

absl::StatusOr<SocketAddress> ParseAddress(absl::string_view text) {
  const size_t colon = text.rfind(':');
  uint32_t port = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(text.substr(colon + 1), &port) || port == 0 ||
      port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not HOST:PORT"));
  }
  std::string host(text.substr(0, colon));
  SocketAddress address;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(*v6);
    if (inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6->sin6_addr) == 1) return address;
  } else {
    auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    address.size = sizeof(*v4);
    if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) return address;
  }
  return absl::InvalidArgumentError(absl::StrCat("the host of \"", text, "\" is not a numeric address"));
}

absl::StatusOr<UniqueFd> StartConnect(const SocketAddress& address, bool* connecting) {
  *connecting = false;
  UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    if (errno == EMFILE || errno == ENFILE) return absl::ResourceExhaustedError("no descriptors left for a connection");
    return absl::ErrnoToStatus(errno, "socket");
  }
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(fd.get(), address.get(), address.size) == 0) return fd;
  if (errno != EINPROGRESS) return absl::ErrnoToStatus(errno, "connect");
  *connecting = true;
  return fd;
}

}  // namespace squall

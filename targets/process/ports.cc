#include "targets/process/ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace squall {
namespace {

bool Parse(const std::string& address, sockaddr_in* out) {
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon == address.npos || !absl::SimpleAtoi(address.substr(colon + 1), &port) || port < 1 || port > 65535 ||
      inet_pton(AF_INET, address.substr(0, colon).c_str(), &out->sin_addr) != 1) {
    return false;
  }
  out->sin_family = AF_INET;
  out->sin_port = htons(static_cast<uint16_t>(port));
  return true;
}

}  // namespace

absl::StatusOr<HeldPort> HeldPort::Reserve() {
  UniqueFd holder(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!holder.valid()) return absl::ErrnoToStatus(errno, "reserving a port");
  const int on = 1;
  setsockopt(holder.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(holder.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(holder.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return absl::ErrnoToStatus(errno, "reserving a port");
  }
  return HeldPort(std::move(holder), ntohs(address.sin_port));
}

std::string HeldPort::address() const { return absl::StrCat("127.0.0.1:", port_); }

bool IsAddress(const std::string& address) {
  sockaddr_in parsed{};
  return Parse(address, &parsed);
}

bool Answers(const std::string& address) {
  sockaddr_in to{};
  if (!Parse(address, &to)) return false;
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0 && errno != EINPROGRESS) return false;
  sockaddr_in peer{};
  socklen_t size = sizeof(peer);
  return getpeername(fd.get(), reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

}  // namespace squall

#include "targets/process/ports.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace squall {

absl::StatusOr<HeldPort> HeldPort::Reserve() {
  UniqueFd holder(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (holder.get() < 0) return absl::ErrnoToStatus(errno, "reserving a port");
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

}  // namespace squall

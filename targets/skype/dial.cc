#include "targets/skype/dial.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "targets/skype/net.h"

namespace skype {

Dialed Dial(const sockaddr_in& to, std::string_view greeting) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return {};
  // The source port that the kernel picks may be the port of a supernode that is away: let it have it back.
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0 || errno == EINPROGRESS) {
    // On loopback the answer to the SYN has been processed by now: one call tells refused, connected and neither apart.
    const ssize_t sent = send(fd, greeting.data(), greeting.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(greeting.size())) return {Dialed::kSent, fd};
    if (sent < 0 && errno == EAGAIN) return {Dialed::kConnecting, fd};
  }
  ResetAndClose(fd);
  return {Dialed::kRefused, -1};
}

}  // namespace skype

#include "targets/skype/dial.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "targets/skype/net.h"

namespace skype {

Dialer::~Dialer() {
  if (spare_ >= 0) close(spare_);
}

Dialed Dialer::Dial(const sockaddr_in& to, std::string_view greeting) {
  const sockaddr* address = reinterpret_cast<const sockaddr*>(&to);
  int fd = std::exchange(spare_, -1);
  if (fd < 0) {
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return {};
    // The source port that the kernel picks may be the port of a supernode that is away: let it have it back.
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  }
  bool connected = connect(fd, address, sizeof(to)) == 0;
  if (!connected && errno == EINPROGRESS) {
    // On loopback the answer to the SYN has been processed by now. Asking again tells connected, still connecting and
    // refused apart; after a refusal the socket is as good as new.
    connected = connect(fd, address, sizeof(to)) == 0;
    if (!connected && (errno == EALREADY || errno == EINPROGRESS)) return {Dialed::kConnecting, fd};
    if (!connected) {
      spare_ = fd;
      return {Dialed::kRefused, -1};
    }
  }
  if (connected && SendAll(fd, greeting)) return {Dialed::kSent, fd};
  ResetAndClose(fd);
  return {Dialed::kRefused, -1};
}

}  // namespace skype

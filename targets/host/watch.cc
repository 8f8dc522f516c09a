#include "targets/host/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace squall {

void WatchEnd(EventLoop* loop, int fd, std::function<void()> gone) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  loop->Watch(fd, EPOLLIN, [loop, fd, gone = std::move(gone)](uint32_t) {
    char bytes[256];
    const ssize_t got = read(fd, bytes, sizeof(bytes));
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return;
    loop->Unwatch(fd);
    close(fd);
    gone();
  });
}

}  // namespace squall

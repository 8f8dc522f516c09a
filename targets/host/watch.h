// Tells a fault host that a descriptor's other end is gone: the guardian's pipe, socket or pidfd.
//
//   WatchEnd(&loop, flags.guardian_fd, [&] { relay.Wind([&] { loop.Stop(); }); });
#ifndef TARGETS_HOST_WATCH_H_
#define TARGETS_HOST_WATCH_H_

#include <functional>

#include "faults/core/event_loop.h"

namespace squall {

// Runs `gone` once, on the loop's thread. Takes ownership of fd. Bytes that come are read and ignored; a pidfd, which
// cannot be read, is gone when it becomes readable.
void WatchEnd(EventLoop* loop, int fd, std::function<void()> gone);

}  // namespace squall

#endif  // TARGETS_HOST_WATCH_H_

// What the programs of this folder need from the kernel: one epoll loop with timers, and loopback sockets.
//
//   Loop loop;
//   loop.Watch(fd, EPOLLIN, [&](uint32_t events) { ... });
//   loop.At(loop.Now() + kSecond, [&] { loop.Stop(); });
//   loop.Run();
//
// Times are ns of CLOCK_MONOTONIC. Sockets are IPv4, on 127.0.0.1, non-blocking and close-on-exec.
#ifndef TARGETS_SKYPE_NET_H_
#define TARGETS_SKYPE_NET_H_

#include <netinet/in.h>
#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace skype {

inline constexpr int64_t kMillisecond = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;
inline int64_t Seconds(double s) { return static_cast<int64_t>(s * 1e9); }
inline double ToSeconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

int64_t MonotonicNow();

// One thread; only Post and Stop may be called from others.
class Loop {
 public:
  struct Timer {  // what At returned; the default one is never pending
    int64_t when = 0;
    uint64_t id = 0;
    auto operator<=>(const Timer&) const = default;
  };

  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  static int64_t Now() { return MonotonicNow(); }

  // Level-triggered. Does not own fd. A second Watch of the same fd changes events and callback.
  void Watch(int fd, uint32_t events, std::function<void(uint32_t)> callback);
  void Unwatch(int fd);  // before closing it; fine for an fd that is not watched, and inside its own callback
  Timer At(int64_t when, std::function<void()> callback);
  void Cancel(Timer& timer);  // fine if it has run
  void Post(std::function<void()> task);
  void Run();  // until Stop; may be run again
  void Stop();

 private:
  struct Watched {
    bool live = false;
    uint32_t generation = 0;  // tells a descriptor from an earlier one with the same number
    std::function<void(uint32_t)> callback;
  };

  void Round();

  int epoll_;
  int wake_;
  uint64_t next_timer_ = 1;
  std::atomic<bool> stopped_{false};
  std::map<Timer, std::function<void()>> timers_;
  std::vector<Watched> watched_;  // by fd
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // under mutex_
};

// A listener with a backlog of 4096: with a short one the kernel would hide a storm behind its own SYN retries.
absl::StatusOr<int> ListenLoopback(int port);
// Binds a port (0: the kernel chooses) without listening. Who listens on it later shares it; nobody's outgoing
// connection gets it as its source port, which on loopback would keep the listener from coming back.
absl::StatusOr<int> HoldLoopback(int port);
int AcceptNonBlocking(int listener);                                 // -1: nobody waits, or no descriptor left
int PortOf(int fd);                                                  // local port
absl::StatusOr<sockaddr_in> ParseAddress(std::string_view address);  // "127.0.0.1:PORT"

// Closes with RST, so that no TIME_WAIT is left. Null fds (-1) are ignored.
void ResetAndClose(int fd);

// All of it at once or false: our messages are small, and a peer that does not read them is given up.
bool SendAll(int fd, std::string_view bytes);

// Raises RLIMIT_NOFILE to its hard limit, forbids core dumps and ignores SIGPIPE.
void PrepareProcess();

// One line of standard output, written at once.
void PrintLine(std::string_view line);

// Calls back on the loop at the first SIGTERM or SIGINT. Call before any thread is started; the fd lives as long as the
// process.
void OnTermination(Loop& loop, std::function<void()> callback);

}  // namespace skype

#endif  // TARGETS_SKYPE_NET_H_

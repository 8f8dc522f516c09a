// A single-threaded event loop over epoll: descriptors, timers, and tasks posted by other threads.
//
//   EventLoop loop(clock);
//   loop.Watch(fd, EPOLLIN, [&](uint32_t events) { ... });
//   loop.At(clock.Now() + kSecond, [&] { loop.Stop(); });
//   loop.Run();
#ifndef FAULTS_CORE_EVENT_LOOP_H_
#define FAULTS_CORE_EVENT_LOOP_H_

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "faults/core/clock.h"
#include "faults/core/mutex.h"

namespace squall {

// Every method but Post and Stop: on the loop's thread (or before Run). A real clock only: timers sleep in the kernel.
class EventLoop {
 public:
  using TimerId = std::pair<int64_t, uint64_t>;

  explicit EventLoop(const Clock* clock);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Calls back with the epoll events, level-triggered. Watching a watched descriptor replaces. Does not own fd.
  void Watch(int fd, uint32_t events, std::function<void(uint32_t)> callback);
  void Unwatch(int fd);  // before closing it; fine inside any callback
  // Not before `when_ns`. Timers due together run in the order of their times.
  TimerId At(int64_t when_ns, std::function<void()> callback);
  TimerId After(int64_t delay_ns, std::function<void()> callback) {
    return At(clock_->Now() + delay_ns, std::move(callback));
  }
  void Cancel(TimerId id);                // fine if it has run
  void Post(std::function<void()> task);  // thread-safe; runs on the loop soon, in order
  void Run();                             // until Stop
  void RunOnce(int64_t at_most_ns);       // one round: waits at most that long
  void Stop();                            // thread-safe

 private:
  void DrainPosted();
  void RunTimers();

  const Clock* const clock_;
  int epoll_ = -1;
  int wake_ = -1;
  uint64_t next_timer_ = 1;  // so that a TimerId{} is nobody's
  std::atomic<bool> stopped_{false};
  std::map<TimerId, std::function<void()>> timers_;
  std::unordered_map<int, std::shared_ptr<std::function<void(uint32_t)>>> watches_;
  Mutex mutex_;
  std::vector<std::function<void()>> posted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace squall

#endif  // FAULTS_CORE_EVENT_LOOP_H_

#include "faults/core/event_loop.h"

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace squall {
namespace {
void CheckOpen(int fd, const char* what) {
  if (fd >= 0) return;
  std::perror(what);
  std::abort();  // a process without a loop can do nothing useful
}
}  // namespace

EventLoop::EventLoop(const Clock* clock) : clock_(clock) {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  CheckOpen(epoll_, "epoll_create1");
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  CheckOpen(wake_, "eventfd");
  Watch(wake_, EPOLLIN, [this](uint32_t) {
    uint64_t count;
    (void)!read(wake_, &count, sizeof(count));
  });
}

EventLoop::~EventLoop() {
  close(wake_);
  close(epoll_);
}

void EventLoop::Watch(int fd, uint32_t events, std::function<void(uint32_t)> callback) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  const bool known = watches_.contains(fd);
  watches_[fd] = std::make_shared<std::function<void(uint32_t)>>(std::move(callback));
  if (epoll_ctl(epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0) {
    // A descriptor number that was closed and came back while it was still in the table.
    epoll_ctl(epoll_, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
  }
}

void EventLoop::Unwatch(int fd) {
  if (watches_.erase(fd) > 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

EventLoop::TimerId EventLoop::At(int64_t when_ns, std::function<void()> callback) {
  const TimerId id{when_ns, next_timer_++};
  timers_.emplace(id, std::move(callback));
  return id;
}

void EventLoop::Cancel(TimerId id) { timers_.erase(id); }

void EventLoop::Post(std::function<void()> task) {
  {
    MutexLock lock(&mutex_);
    posted_.push_back(std::move(task));
  }
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

void EventLoop::Stop() {
  stopped_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

void EventLoop::Run() {
  while (!stopped_.load(std::memory_order_acquire)) RunOnce(kSecond);
}

void EventLoop::RunOnce(int64_t at_most_ns) {
  int64_t wait = at_most_ns;
  if (!timers_.empty()) wait = std::min(wait, timers_.begin()->first.first - clock_->Now());
  wait = std::max<int64_t>(wait, 0);
  const timespec timeout{wait / kSecond, wait % kSecond};
  epoll_event events[64];
  const int count = epoll_pwait2(epoll_, events, 64, &timeout, nullptr);
  for (int i = 0; i < count; ++i) {
    const auto watch = watches_.find(events[i].data.fd);
    if (watch == watches_.end()) continue;  // unwatched by an earlier callback of this round
    const auto callback = watch->second;    // keeps it alive if it unwatches itself
    (*callback)(events[i].events);
  }
  DrainPosted();
  RunTimers();
}

void EventLoop::DrainPosted() {
  std::vector<std::function<void()>> tasks;
  {
    MutexLock lock(&mutex_);
    tasks.swap(posted_);
  }
  for (auto& task : tasks) task();
}

void EventLoop::RunTimers() {
  const int64_t now = clock_->Now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto callback = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    callback();
  }
}

}  // namespace squall

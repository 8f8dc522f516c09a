#include "targets/skype/net.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace skype {
namespace {

int Checked(int fd, const char* what) {
  if (fd >= 0) return fd;
  std::perror(what);
  std::abort();  // nothing can work without it
}

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

int64_t MonotonicNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

Loop::Loop()
    : epoll_(Checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(Checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  Watch(wake_, EPOLLIN, [this](uint32_t) {
    uint64_t count;
    (void)!read(wake_, &count, sizeof(count));
  });
}

Loop::~Loop() {
  close(wake_);
  close(epoll_);
}

void Loop::Watch(int fd, uint32_t events, std::function<void(uint32_t)> callback) {
  if (watched_.size() <= static_cast<size_t>(fd)) watched_.resize(fd + 64);
  Watched& watched = watched_[fd];
  const int operation = watched.live ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (!watched.live) ++watched.generation;
  watched.live = true;
  watched.callback = std::move(callback);
  epoll_event event{};
  event.events = events;
  event.data.u64 = (static_cast<uint64_t>(watched.generation) << 32) | static_cast<uint32_t>(fd);
  if (epoll_ctl(epoll_, operation, fd, &event) != 0) Checked(-1, "epoll_ctl");
}

void Loop::Unwatch(int fd) {
  if (fd < 0 || static_cast<size_t>(fd) >= watched_.size() || !watched_[fd].live) return;
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  watched_[fd].live = false;
}

Loop::Timer Loop::At(int64_t when, std::function<void()> callback) {
  const Timer timer{when, next_timer_++};
  timers_.emplace(timer, std::move(callback));
  return timer;
}

void Loop::Cancel(Timer& timer) {
  if (timer.id != 0) timers_.erase(timer);
  timer = Timer{};
}

void Loop::Post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

void Loop::Stop() {
  stopped_.store(true);
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

void Loop::Run() {
  while (!stopped_.exchange(false)) Round();
}

void Loop::Round() {
  int64_t wait = kSecond;
  if (!timers_.empty()) wait = std::clamp<int64_t>(timers_.begin()->first.when - Now(), 0, kSecond);
  const timespec timeout{wait / kSecond, wait % kSecond};
  epoll_event events[256];
  const int count = epoll_pwait2(epoll_, events, 256, &timeout, nullptr);
  for (int i = 0; i < count; ++i) {
    const uint32_t fd = static_cast<uint32_t>(events[i].data.u64);
    const uint32_t generation = events[i].data.u64 >> 32;
    if (!watched_[fd].live || watched_[fd].generation != generation) continue;
    // Moved out while it runs: it may unwatch or replace itself, or make the table grow.
    std::function<void(uint32_t)> callback = std::move(watched_[fd].callback);
    watched_[fd].callback = nullptr;
    callback(events[i].events);
    Watched& after = watched_[fd];
    if (after.live && after.generation == generation && after.callback == nullptr) after.callback = std::move(callback);
  }
  std::vector<std::function<void()>> tasks;
  {
    std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  for (auto& task : tasks) task();
  // Only what is due by now: a timer that arms itself again at once cannot starve the sockets.
  for (const int64_t now = Now(); !timers_.empty() && timers_.begin()->first.when <= now;) {
    auto first = timers_.extract(timers_.begin());
    first.mapped()();
  }
}

absl::StatusOr<int> HoldLoopback(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = Loopback(port);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int error = errno;
    close(fd);
    return absl::ErrnoToStatus(error, absl::StrCat("cannot bind 127.0.0.1:", port));
  }
  return fd;
}

absl::StatusOr<int> ListenLoopback(int port) {
  absl::StatusOr<int> fd = HoldLoopback(port);
  if (fd.ok() && listen(*fd, 4096) != 0) {
    const int error = errno;
    close(*fd);
    return absl::ErrnoToStatus(error, absl::StrCat("cannot listen on 127.0.0.1:", port));
  }
  return fd;
}

int AcceptNonBlocking(int listener) {
  const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

int PortOf(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
  return ntohs(address.sin_port);
}

absl::StatusOr<sockaddr_in> ParseAddress(std::string_view address) {
  constexpr std::string_view kHost = "127.0.0.1:";
  int port = 0;
  if (address.substr(0, kHost.size()) != kHost ||
      !absl::SimpleAtoi(absl::string_view(address.data(), address.size()).substr(kHost.size()), &port) || port < 1 ||
      port > 65535) {
    return absl::InvalidArgumentError(absl::StrCat("not 127.0.0.1:PORT: ", std::string(address)));
  }
  return Loopback(port);
}

void ResetAndClose(int fd) {
  if (fd < 0) return;
  const linger none{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  close(fd);
}

bool SendAll(int fd, std::string_view bytes) {
  return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

void PrepareProcess() {
  signal(SIGPIPE, SIG_IGN);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

void PrintLine(std::string_view line) {
  std::string text(line);
  text += '\n';
  (void)!write(STDOUT_FILENO, text.data(), text.size());
}

void OnTermination(Loop& loop, std::function<void()> callback) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int fd = Checked(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
  loop.Watch(fd, EPOLLIN, [&loop, fd, callback = std::move(callback)](uint32_t) {
    loop.Unwatch(fd);
    callback();
  });
}

}  // namespace skype

#include "targets/host/testing/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "faults/core/clock.h"

namespace squall::testing {
namespace {

void Must(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::abort();
}

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void NoDelay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

UniqueFd Listen(int backlog) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(0);
  Must(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0, "bind");
  Must(listen(fd.get(), backlog) == 0, "listen");
  return fd;
}

int PortOf(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  Must(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
  return ntohs(address.sin_port);
}

std::string AddressOf(int listener) { return "127.0.0.1:" + std::to_string(PortOf(listener)); }

UniqueFd Dial(int port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(port);
  Must(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0, "connect");
  NoDelay(fd.get());
  return fd;
}

void Write(int fd, const std::string& bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t sent = send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;
    done += sent;
  }
}

std::string Read(int fd, size_t bytes, int* error) {
  std::string all(bytes, '\0');
  size_t done = 0;
  if (error != nullptr) *error = 0;
  while (done < bytes) {
    const ssize_t got = recv(fd, all.data() + done, bytes - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && error != nullptr) *error = errno;
    if (got <= 0) break;
    done += got;
  }
  all.resize(done);
  return all;
}

std::string ReadAll(int fd, int* error) {
  std::string all;
  while (true) {
    const std::string part = Read(fd, 64 << 10, error);
    all += part;
    if (part.size() < (64 << 10)) return all;
  }
}

void ResetOnClose(int fd) {
  const linger none{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

int64_t Now() { return RealClock().Now(); }

std::string Pattern(size_t bytes, uint64_t seed) {
  std::string all(bytes, '\0');
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (char& c : all) {
    state = state * 6364136223846793005 + 1442695040888963407;
    c = static_cast<char>(state >> 56);
  }
  return all;
}

Server::Server(std::function<void(int)> serve)
    : serve_(std::move(serve)), listener_(Listen()), port_(PortOf(listener_.get())) {
  accepter_ = std::thread([this] {
    while (true) {
      const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      NoDelay(fd);
      MutexLock lock(&mutex_);
      if (stopping_) {
        close(fd);
        return;
      }
      ++accepted_;
      open_.push_back(fd);
      threads_.emplace_back([this, fd] {
        serve_(fd);
        MutexLock lock(&mutex_);
        std::erase(open_, fd);
        close(fd);
      });
    }
  });
}

Server::~Server() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    for (int fd : open_) shutdown(fd, SHUT_RDWR);
    threads.swap(threads_);
  }
  shutdown(listener_.get(), SHUT_RDWR);
  accepter_.join();
  for (std::thread& thread : threads) thread.join();
}

std::string Server::address() const { return "127.0.0.1:" + std::to_string(port_); }

int Server::accepted() {
  MutexLock lock(&mutex_);
  return accepted_;
}

void Echo(int fd) {
  std::string buffer(64 << 10, '\0');
  while (true) {
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    Write(fd, buffer.substr(0, got));
  }
}

}  // namespace squall::testing

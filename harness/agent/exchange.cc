#include "harness/agent/exchange.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace squall {
namespace {

// False if the text is no numeric HOST:PORT.
bool ParseAddress(const std::string& text, sockaddr_storage* address, socklen_t* size) {
  const size_t colon = text.rfind(':');
  int port = 0;
  if (colon == text.npos || !absl::SimpleAtoi(text.substr(colon + 1), &port) || port < 1 || port > 65535) return false;
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  auto* v4 = reinterpret_cast<sockaddr_in*>(address);
  if (inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    *size = sizeof(sockaddr_in);
    return true;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(address);
  if (!bracketed || inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) != 1) return false;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  *size = sizeof(sockaddr_in6);
  return true;
}

absl::Status NetError(int error, std::string_view what) {
  return absl::UnavailableError(absl::StrCat(absl::string_view(what.data(), what.size()), ": ", std::strerror(error)));
}

}  // namespace

std::unique_ptr<Exchange> Exchange::Start(EventLoop* loop, const Clock* clock, const std::string& address,
                                          std::string request, int64_t deadline_ns, Complete complete, Done done) {
  std::unique_ptr<Exchange> exchange(new Exchange(loop, std::move(request), std::move(complete), std::move(done)));
  Exchange* self = exchange.get();
  self->timer_ = loop->At(deadline_ns, [self, address] {
    self->Finish(absl::DeadlineExceededError(absl::StrCat("no answer from ", address)));
  });
  self->Connect(address);
  return exchange;
}

Exchange::Exchange(EventLoop* loop, std::string request, Complete complete, Done done)
    : loop_(loop), request_(std::move(request)), complete_(std::move(complete)), done_(std::move(done)) {}

Exchange::~Exchange() { Close(); }

void Exchange::Close() {
  loop_->Cancel(timer_);
  if (fd_ >= 0) {
    loop_->Unwatch(fd_);
    close(std::exchange(fd_, -1));
  }
}

void Exchange::Connect(const std::string& text) {
  sockaddr_storage address{};
  socklen_t size = 0;
  absl::Status failed;
  if (!ParseAddress(text, &address, &size)) {
    failed = absl::InvalidArgumentError(absl::StrCat("not a numeric HOST:PORT: ", text));
  } else {
    fd_ = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd_ < 0) {
      failed = NetError(errno, "socket");
    } else if (connect(fd_, reinterpret_cast<sockaddr*>(&address), size) != 0 && errno != EINPROGRESS) {
      failed = NetError(errno, absl::StrCat("connecting to ", text));
    }
  }
  if (failed.ok()) {
    loop_->Watch(fd_, EPOLLOUT, [this](uint32_t events) { OnEvent(events); });
    return;
  }
  loop_->Cancel(timer_);
  timer_ = loop_->At(0, [this, failed] { Finish(failed); });
}

void Exchange::OnEvent(uint32_t events) {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return Finish(NetError(error, "connection"));
  if (sent_ < request_.size()) return Send();
  Read();
}

void Exchange::Send() {
  const ssize_t count = send(fd_, request_.data() + sent_, request_.size() - sent_, MSG_NOSIGNAL);
  if (count < 0) {
    if (errno == EAGAIN) return;
    return Finish(NetError(errno, "sending"));
  }
  sent_ += count;
  if (sent_ < request_.size()) return;
  loop_->Watch(fd_, EPOLLIN, [this](uint32_t events) { OnEvent(events); });
  if (complete_("", false)) Finish(std::string());  // nothing to wait for
}

void Exchange::Read() {
  char buffer[64 << 10];
  const ssize_t count = recv(fd_, buffer, sizeof(buffer), 0);
  if (count < 0) {
    if (errno == EAGAIN) return;
    return Finish(NetError(errno, "receiving"));
  }
  answer_.append(buffer, count);
  if (complete_(answer_, count == 0)) return Finish(std::move(answer_));
  if (count == 0) return Finish(absl::UnavailableError("the server closed before the answer was complete"));
  if (answer_.size() > kMaxAnswer) return Finish(absl::ResourceExhaustedError("the answer is longer than 8 MiB"));
}

void Exchange::Finish(absl::StatusOr<std::string> answer) {
  Close();
  Done done = std::move(done_);
  done(std::move(answer));  // may destroy this
}

}  // namespace squall

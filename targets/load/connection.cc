#include "targets/load/connection.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace squall {
namespace {

constexpr uint32_t kEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
constexpr size_t kAnswerMost = 1 << 20;

Cause CauseOf(int error) {
  switch (error) {
    case ECONNREFUSED:
      return Cause::kRefused;
    case ECONNRESET:
    case EPIPE:
    case ECONNABORTED:
      return Cause::kReset;
    case ETIMEDOUT:
      return Cause::kTimeout;
    default:
      return Cause::kOther;
  }
}

bool WouldBlockError(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

const char* CauseName(Cause cause) {
  switch (cause) {
    case Cause::kRefused:
      return "refused";
    case Cause::kReset:
      return "reset";
    case Cause::kTimeout:
      return "timeout";
    case Cause::kMismatch:
      return "mismatch";
    case Cause::kOther:
      return "other";
  }
  return "other";
}

Connection::~Connection() {
  if (timer_) loop_->Cancel(*timer_);
  if (fd_.valid()) loop_->Unwatch(fd_.get());
}

void Connection::Connect() {
  bool connecting = false;
  absl::StatusOr<UniqueFd> fd = StartConnect(options_->address, &connecting);
  if (!fd.ok()) {
    Fail(absl::IsResourceExhausted(fd.status()) ? Cause::kOther : CauseOf(errno));
    return;
  }
  fd_ = *std::move(fd);
  state_ = State::kConnecting;
  loop_->Watch(fd_.get(), kEvents, [this](uint32_t events) { OnEvents(events); });
  SetTimeout(clock_->Now() + options_->timeout_ns);
  if (!connecting) OnConnected();
}

void Connection::OnConnected() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    Fail(CauseOf(error));
    return;
  }
  loop_->Cancel(*timer_);
  timer_.reset();
  state_ = State::kReady;
  owner_->OnReady(this);
}

void Connection::OnEvents(uint32_t events) {
  if (state_ == State::kConnecting) {
    if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) OnConnected();
    if (state_ != State::kReady) return;
  }
  if (state_ == State::kBusy && events & EPOLLOUT) WriteRest();
  if (state_ != State::kDown && events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) Read();
}

bool Connection::Send(int64_t due_ns) {
  due_ns_ = due_ns;
  written_ = 0;
  answer_.clear();
  state_ = State::kBusy;
  const ssize_t sent = send(fd_.get(), options_->send.data(), options_->send.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && !WouldBlockError(errno)) {
    state_ = State::kReady;
    Fail(CauseOf(errno));
    return false;
  }
  written_ = std::max<ssize_t>(sent, 0);
  SetTimeout(due_ns + options_->timeout_ns);
  return true;
}

void Connection::WriteRest() {
  while (written_ < options_->send.size()) {
    const ssize_t sent = send(fd_.get(), options_->send.data() + written_, options_->send.size() - written_,
                              MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (!WouldBlockError(errno)) Fail(CauseOf(errno));
      return;
    }
    written_ += sent;
  }
}

void Connection::Read() {
  char bytes[16 << 10];
  while (true) {
    const ssize_t got = recv(fd_.get(), bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got < 0 && WouldBlockError(errno)) return;
    if (got < 0) return Fail(CauseOf(errno));
    if (state_ == State::kReady) return Fail(got > 0 ? Cause::kMismatch : Cause::kReset);  // nobody asked
    answer_.append(bytes, got);
    Check(got == 0);
    if (state_ != State::kBusy || static_cast<size_t>(got) < sizeof(bytes)) return;
  }
}

void Connection::Check(bool ended) {
  const std::string& expect = options_->expect;
  const size_t known = std::min(answer_.size(), expect.size());
  if (answer_.compare(0, known, expect, 0, known) != 0) return Fail(Cause::kMismatch);
  if (ended) return Fail(Cause::kReset);  // the server closed in the middle of it
  if (answer_.size() > kAnswerMost) return Fail(Cause::kMismatch);
  size_t length = std::max<size_t>(expect.size(), 1);
  if (!options_->send.empty() && options_->send.back() == '\n') {
    const size_t newline = answer_.find('\n', length - 1);
    length = newline == std::string::npos ? answer_.size() + 1 : newline + 1;
  } else if (expect.empty()) {
    length = answer_.size();
  }
  if (answer_.size() < length) return;
  if (answer_.size() > length || written_ < options_->send.size()) return Fail(Cause::kMismatch);
  loop_->Cancel(*timer_);
  timer_.reset();
  state_ = State::kReady;
  owner_->OnAnswer(this, due_ns_);
  owner_->OnReady(this);
}

void Connection::SetTimeout(int64_t when) {
  if (timer_) loop_->Cancel(*timer_);
  timer_ = loop_->At(when, [this] {
    timer_.reset();
    Fail(Cause::kTimeout);
  });
}

void Connection::Fail(Cause cause) {
  const bool had_request = state_ == State::kBusy;
  state_ = State::kDown;
  if (timer_) loop_->Cancel(*timer_);
  if (fd_.valid()) loop_->Unwatch(fd_.get());
  fd_.reset();
  timer_ = loop_->After(options_->reconnect_ns, [this] {
    timer_.reset();
    Connect();
  });
  owner_->OnFailed(this, cause, had_request);
}

}  // namespace squall

#include "targets/skype/metrics_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace skype {
namespace {
constexpr size_t kMaxConnections = 64;
constexpr size_t kMaxRequest = 4096;
}  // namespace

void MetricsText::Add(std::string_view type, std::string_view name, double value, std::string_view labels) {
  if (name != last_name_) {
    absl::StrAppendFormat(&text_, "# TYPE %s %s\n", name, type);
    last_name_ = std::string(name);
  }
  if (labels.empty()) {
    absl::StrAppendFormat(&text_, "%s %.17g\n", name, value);
  } else {
    absl::StrAppendFormat(&text_, "%s{%s} %.17g\n", name, labels, value);
  }
}

MetricsServer::MetricsServer(Loop* loop, std::function<void(MetricsText&)> collect)
    : loop_(loop), collect_(std::move(collect)) {}

MetricsServer::~MetricsServer() {
  while (!connections_.empty()) Close(connections_.begin()->first);
  if (listener_ >= 0) {
    loop_->Unwatch(listener_);
    close(listener_);
  }
}

absl::Status MetricsServer::Listen(int port) {
  absl::StatusOr<int> listener = ListenLoopback(port);
  if (!listener.ok()) return listener.status();
  listener_ = *listener;
  loop_->Watch(listener_, EPOLLIN, [this](uint32_t) { Accept(); });
  return absl::OkStatus();
}

int MetricsServer::port() const { return PortOf(listener_); }

void MetricsServer::Accept() {
  const int fd = AcceptNonBlocking(listener_);
  if (fd < 0) return;
  if (connections_.size() >= kMaxConnections) {
    ResetAndClose(fd);
    return;
  }
  connections_[fd].deadline = loop_->At(Loop::Now() + 5 * kSecond, [this, fd] { Close(fd); });
  loop_->Watch(fd, EPOLLIN, [this, fd](uint32_t) { Read(fd); });
}

void MetricsServer::Read(int fd) {
  char buffer[2048];
  const ssize_t count = read(fd, buffer, sizeof(buffer));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  std::string& request = connections_[fd].request;
  if (count > 0) request.append(buffer, count);
  if (count <= 0 || request.size() > kMaxRequest) return Close(fd);
  if (absl::StrContains(request, "\r\n\r\n") || absl::StrContains(request, "\n\n")) {
    Answer(fd, request);
    Close(fd);
  }
}

void MetricsServer::Answer(int fd, std::string_view request) {
  std::string status = "404 Not Found", body = "GET /metrics\n";
  if (request.substr(0, 13) == "GET /metrics " || request.substr(0, 13) == "GET /metrics?") {
    MetricsText text;
    collect_(text);
    status = "200 OK";
    body = text.text();
  }
  SendAll(fd, absl::StrCat("HTTP/1.0 ", status, "\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: ",
                           body.size(), "\r\nConnection: close\r\n\r\n", body));
}

void MetricsServer::Close(int fd) {
  auto found = connections_.find(fd);
  if (found == connections_.end()) return;
  loop_->Cancel(found->second.deadline);
  connections_.erase(found);
  loop_->Unwatch(fd);
  close(fd);
}

}  // namespace skype

// Answers GET /metrics with numbers in Prometheus' text format, on the program's own loop.
//
//   MetricsServer metrics(&loop, [&](MetricsText& out) { out.Gauge("users_online", users.online()); });
//   absl::Status status = metrics.Listen(port);
#ifndef TARGETS_SKYPE_METRICS_SERVER_H_
#define TARGETS_SKYPE_METRICS_SERVER_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "targets/skype/net.h"

namespace skype {

// Collects samples. `labels` is written as it stands, e.g. R"(version="5.0.0.152")".
class MetricsText {
 public:
  void Gauge(std::string_view name, double value, std::string_view labels = "") { Add("gauge", name, value, labels); }
  void Counter(std::string_view name, double value, std::string_view labels = "") {
    Add("counter", name, value, labels);
  }
  const std::string& text() const { return text_; }

 private:
  void Add(std::string_view type, std::string_view name, double value, std::string_view labels);
  std::string text_;
  std::string last_name_;
};

// At most 64 connections at a time; one that has sent no complete request within 5 s, or more than 4 KiB, is closed.
class MetricsServer {
 public:
  MetricsServer(Loop* loop, std::function<void(MetricsText&)> collect);
  ~MetricsServer();
  absl::Status Listen(int port);  // 0: the kernel chooses
  int port() const;

 private:
  struct Connection {
    std::string request;
    Loop::Timer deadline;
  };
  void Accept();
  void Read(int fd);
  void Answer(int fd, std::string_view request);
  void Close(int fd);

  Loop* const loop_;
  const std::function<void(MetricsText&)> collect_;
  int listener_ = -1;
  std::map<int, Connection> connections_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_METRICS_SERVER_H_

// One question to a TCP server and its answer, without blocking: connect, send, read until the reader has enough.
//
//   auto exchange = Exchange::Start(&loop, clock, "127.0.0.1:6379", "PING\r\n", clock.Now() + kSecond,
//       [](std::string_view so_far, bool eof) { return so_far.find('\n') != so_far.npos; },
//       [](absl::StatusOr<std::string> answer) { ... });
//
// The callback runs exactly once, on the loop, never inside Start. Destroying the exchange cancels it silently.
#ifndef HARNESS_AGENT_EXCHANGE_H_
#define HARNESS_AGENT_EXCHANGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/event_loop.h"

namespace squall {

class Exchange {
 public:
  // True once the answer is complete. `eof`: the server has closed; nothing more comes.
  using Complete = std::function<bool(std::string_view so_far, bool eof)>;
  using Done = std::function<void(absl::StatusOr<std::string>)>;

  static constexpr size_t kMaxAnswer = 8 << 20;  // a longer one is ResourceExhausted

  // `address` is HOST:PORT, numeric IPv4 or [IPv6]. Errors: Unavailable (refused, reset), DeadlineExceeded.
  static std::unique_ptr<Exchange> Start(EventLoop* loop, const Clock* clock, const std::string& address,
                                         std::string request, int64_t deadline_ns, Complete complete, Done done);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

 private:
  Exchange(EventLoop* loop, std::string request, Complete complete, Done done);
  void Connect(const std::string& address);
  void OnEvent(uint32_t events);
  void Send();
  void Read();
  void Finish(absl::StatusOr<std::string> answer);
  void Close();

  EventLoop* const loop_;
  std::string request_;
  Complete complete_;
  Done done_;
  int fd_ = -1;
  size_t sent_ = 0;
  std::string answer_;
  EventLoop::TimerId timer_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_EXCHANGE_H_

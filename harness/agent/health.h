// Asks grpc.health.v1 of a server, without blocking the loop.
#ifndef HARNESS_AGENT_HEALTH_H_
#define HARNESS_AGENT_HEALTH_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "faults/core/event_loop.h"

namespace squall {

// Loop thread only. Destruction waits for outstanding calls (they are cancelled).
class HealthChecker {
 public:
  explicit HealthChecker(EventLoop* loop);
  ~HealthChecker();

  // Calls back on the loop: OK when SERVING within `timeout_ns`.
  void Check(const std::string& address, const std::string& service, int64_t timeout_ns,
             std::function<void(absl::Status)> done);

 private:
  struct State;
  EventLoop* const loop_;
  std::shared_ptr<State> state_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_HEALTH_H_

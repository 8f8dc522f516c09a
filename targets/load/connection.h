// One connection of a load: connects, carries one request at a time, comes back after a failure.
#ifndef TARGETS_LOAD_CONNECTION_H_
#define TARGETS_LOAD_CONNECTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/core/unique_fd.h"
#include "targets/host/address.h"

namespace squall {

// Why a request failed.
enum class Cause { kRefused, kReset, kTimeout, kMismatch, kOther };
inline constexpr int kCauses = 5;
const char* CauseName(Cause cause);  // "refused", "reset", "timeout", "mismatch", "other"

struct ConnectionOptions {
  SocketAddress address;
  std::string send;
  std::string expect;
  int64_t timeout_ns = kSecond;  // of a request from its due time, and of a connect
  int64_t reconnect_ns = 0;
};

class Connection;

class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual void OnReady(Connection* connection) = 0;                   // it can take a request
  virtual void OnAnswer(Connection* connection, int64_t due_ns) = 0;  // the right one; OnReady follows
  // It reconnects by itself. `had_request`: the request on it is lost for that cause.
  virtual void OnFailed(Connection* connection, Cause cause, bool had_request) = 0;
};

// One thread: the loop's.
class Connection {
 public:
  Connection(EventLoop* loop, const Clock* clock, const ConnectionOptions* options, ConnectionOwner* owner)
      : loop_(loop), clock_(clock), options_(options), owner_(owner) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Connect();
  // Only when ready. True: the request is on its way (its end is told). False: the connection turned out to be dead
  // before a byte was sent (OnFailed ran, without a request).
  bool Send(int64_t due_ns);
  bool ready() const { return state_ == State::kReady; }

 private:
  enum class State { kDown, kConnecting, kReady, kBusy };
  void OnEvents(uint32_t events);
  void OnConnected();
  void WriteRest();
  void Read();
  void Check(bool ended);
  void SetTimeout(int64_t when);
  void Fail(Cause cause);

  EventLoop* const loop_;
  const Clock* const clock_;
  const ConnectionOptions* const options_;
  ConnectionOwner* const owner_;
  State state_ = State::kDown;
  UniqueFd fd_;
  int64_t due_ns_ = 0;
  size_t written_ = 0;
  std::string answer_;
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace squall

#endif  // TARGETS_LOAD_CONNECTION_H_

// Asks the servers for offline messages every 2 s or so, as every running client does. A poll is never given up: there
// may be several on the way, and it is the caller who decides what a late reply means.
#ifndef TARGETS_SKYPE_POLLER_H_
#define TARGETS_SKYPE_POLLER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "targets/skype/net.h"
#include "targets/skype/population.h"
#include "targets/skype/rng.h"
#include "targets/skype/rpc.h"
#include "targets/skype/skype.grpc.pb.h"

namespace skype {

struct PollerOptions {
  std::string address;  // HOST:PORT
  std::string client;
  uint32_t slice = 0;
  double first_after_s = 0;
  double period_s = 2;  // +-10 %
  double late_after_s = kLateAfterSeconds;
  uint64_t seed = 1;
};

// A reply is late when it comes more than `late_after_s` after its poll was sent. Not everything slow is a late reply:
// polls are sent only over a connection that stands, and until a first reply came in time the client is still signing
// in, which may take long on a machine where everything is starting.
class Poller {
 public:
  // `on_late` gets the times of sending and of receiving; it runs on the loop. Failed polls are counted, no more.
  Poller(Loop* loop, const PollerOptions& options, std::function<void(int64_t sent, int64_t received)> on_late);
  uint64_t sent() const { return sent_; }
  uint64_t late() const { return late_; }
  uint64_t failed() const { return failed_; }

 private:
  static constexpr size_t kMaxOutstanding = 16;
  void Tick();
  void Send();
  void OnReply(int64_t sent, int64_t received);

  Loop* const loop_;
  const PollerOptions options_;
  const std::function<void(int64_t, int64_t)> on_late_;
  Rng rng_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::OfflineMessages::Stub> stub_;
  bool signed_in_ = false;
  uint64_t sent_ = 0, late_ = 0, failed_ = 0;
  InFlight calls_;  // last: its destructor waits for the calls that use the rest
};

}  // namespace skype

#endif  // TARGETS_SKYPE_POLLER_H_

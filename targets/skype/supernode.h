// The supernode role: a listener, the users who are logged in, and the decision to leave the role under load.
//
//   Supernode node(&loop, options);
//   absl::Status status = node.Open();     // in the role from here on; prints "role started ..."
//   node.Drain(12, [&] { loop.Stop(); });  // says goodbye to everybody over 12 s, then calls back
//
// Overload ends the role: the listener closes, every user gets a RST, and the role comes back after about `away_s`, on
// the same port. Users who send anything but frames are cut off; a connection without a login is closed after 2 s.
#ifndef TARGETS_SKYPE_SUPERNODE_H_
#define TARGETS_SKYPE_SUPERNODE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "targets/skype/admission.h"
#include "targets/skype/frame.h"
#include "targets/skype/net.h"
#include "targets/skype/rng.h"

namespace skype {

struct SupernodeOptions {
  int port = 0;  // 0: the kernel chooses, once
  AdmissionOptions admission;
  double away_s = 25;  // x U(0.8, 1.2)
  uint64_t seed = 1;
  uint64_t index = 0;
};

class Supernode {
 public:
  Supernode(Loop* loop, const SupernodeOptions& options);
  ~Supernode();
  absl::Status Open();
  // No new users; goodbyes evenly over `over_s`; done when all have left, at the latest 2 s after the last goodbye.
  void Drain(double over_s, std::function<void()> done);

  bool in_role() const { return listener_ >= 0 && !draining_; }
  int port() const { return port_; }
  const Admission& admission() const { return admission_; }
  uint64_t drops_total() const { return drops_total_; }
  uint64_t protocol_errors_total() const { return protocol_errors_total_; }

 private:
  struct Connection {
    FrameReader reader;
    uint64_t user = 0;
    bool logged_in = false;
    int64_t since = 0;
  };

  void Accept();
  void Read(int fd);
  bool Handle(int fd, Connection& connection, const v1::Frame& frame);  // false: not what was expected
  void HandleLogin(int fd, Connection& connection, const v1::Login& login);
  void DropIfOverloaded();
  void Drop();
  void Resume();
  void Close(int fd);
  void CloseAll();
  void CloseListener();
  void Sweep();
  void SayGoodbye(double gap_s);

  Loop* const loop_;
  SupernodeOptions options_;
  Admission admission_;
  Rng rng_;
  int listener_ = -1;
  int holder_ = -1;  // bound, never listening: keeps the port ours while the role is away
  int port_ = 0;
  bool draining_ = false;
  std::function<void()> drained_;
  Loop::Timer sweep_timer_, away_timer_, goodbye_timer_;
  std::vector<int> to_say_goodbye_;
  std::unordered_map<int, Connection> connections_;
  std::unordered_map<uint64_t, int> users_;  // who is logged in here, for lookups
  uint64_t drops_total_ = 0, protocol_errors_total_ = 0;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_SUPERNODE_H_

// Thousands of logical users in one process: each keeps one TCP connection to a supernode, looks others up, and tries
// to come back when it lost the connection.
//
//   Users users(&loop, options);
//   users.AddHost(address);              // as the host list grows
//   users.Start();                       // first logins, spread over ramp_s
//   users.LateReply(slice, sent);        // a poll of that slice was answered late: its vulnerable copies crash
//
// A try is up to `probes` attempts at different hosts in random order, until one lets the user in; then the retry
// policy decides when to try again. An attempt is *scheduled* at its intended time and *made* when connect(2) was
// called; tries that a starved process could not begin before the next was due are scheduled and never made.
#ifndef TARGETS_SKYPE_USERS_H_
#define TARGETS_SKYPE_USERS_H_

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "targets/skype/dial.h"
#include "targets/skype/frame.h"
#include "targets/skype/net.h"
#include "targets/skype/population.h"
#include "targets/skype/retry.h"
#include "targets/skype/rng.h"

namespace skype {

struct UsersOptions {
  size_t users = 1000;
  uint64_t population = 0;
  uint32_t slices = 8;
  double buggy_share = 0.5;
  double crash_share = 0.4;
  uint64_t seed = 1;
  RetryOptions retry;
  int probes = 5;  // at most kMaxProbes
  double lookups_per_s = 0.1;
  double login_timeout_s = 1;
  double ramp_s = 12;
};

class Users {
 public:
  static constexpr int kMaxProbes = 16;
  struct Counts {
    uint64_t scheduled = 0, made = 0, logins = 0, lookups = 0, lookup_replies = 0, crashes = 0;
    uint64_t refused = 0, timed_out = 0, full = 0, shed = 0, broken = 0;  // failed attempts
    uint64_t orphaned = 0, goodbyes = 0;
  };

  Users(Loop* loop, const UsersOptions& options);
  ~Users();
  void AddHost(const sockaddr_in& host);
  size_t hosts() const { return hosts_.size(); }
  void Start();
  void LateReply(uint32_t slice, int64_t sent);

  size_t online() const { return online_; }
  size_t buggy() const { return buggy_; }
  size_t vulnerable() const { return vulnerable_; }
  const Counts& counts() const { return counts_; }
  double FailedUserSeconds();  // time that users wanted to be online and were not

 private:
  struct User {
    Software software;
    bool first = true;     // never been online
    bool leaving = false;  // its supernode said goodbye; it stays until another one took it
    int failures = 0;      // tries in a row
    int fd = -1;           // logged in
    int candidate = -1;    // being tried
    bool sent = false;     // the login, to the candidate
    FrameReader reader, candidate_reader;
    int64_t due = 0, begun = 0;  // the current try: when it should have begun, when it did
    int64_t running_since = 0;
    uint64_t attempts = 0;  // of the current try
    int picked = 0, next = 0;
    std::array<uint32_t, kMaxProbes> picks;
    Loop::Timer try_timer, login_timer, lookup_timer;
  };

  void ScheduleTry(size_t i, int64_t when);
  void BeginTry(size_t i);
  void NextAttempt(size_t i);
  void Await(size_t i, const Dialed& dialed);
  void AttemptFailed(size_t i, uint64_t& why);
  void TryFailed(size_t i);
  void OnCandidate(size_t i, uint32_t events);
  void OnReply(size_t i, const v1::LoginReply& reply);
  void LoggedIn(size_t i);
  void OnOnline(size_t i);
  bool HandleOnline(size_t i, const v1::Frame& frame);
  void Lost(size_t i);
  void Crash(size_t i);
  void Lookup(size_t i);
  void ScheduleLookup(size_t i);
  void CloseCandidate(User& user);
  void SetOffline(User& user);
  void Integrate();
  std::string LoginFrame(size_t i) const;
  uint64_t Id(size_t i) const { return (options_.population << 32) | i; }

  Loop* const loop_;
  const UsersOptions options_;
  const Retry retry_;
  Rng rng_;
  Dialer dialer_;
  std::vector<sockaddr_in> hosts_;
  std::vector<uint32_t> order_;  // of hosts; shuffled further for each try
  std::vector<User> users_;
  size_t online_ = 0, buggy_ = 0, vulnerable_ = 0;
  Counts counts_;
  int64_t integrated_to_ = 0;
  double failed_user_seconds_ = 0;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_USERS_H_

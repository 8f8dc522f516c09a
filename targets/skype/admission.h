// How a supernode decides: whom it lets in, and when it has had enough. No sockets, no clock.
//
//   Admission admission(options);
//   if (admission.Login(now, /*first=*/false) == Admission::kOk) ...
//   if (admission.Overloaded(now)) drop the role
//
// An ordinary supernode never refuses work while it has a slot; above its load limit it leaves the role altogether, to
// protect the computer it runs on. With `shed` it refuses logins early instead and stays.
#ifndef TARGETS_SKYPE_ADMISSION_H_
#define TARGETS_SKYPE_ADMISSION_H_

#include <cstdint>

#include "targets/skype/bucket.h"

namespace skype {

struct AdmissionOptions {
  double limit = 15;           // units per second that the host allows
  double depth_s = 4;          // seconds of `limit` that a burst may reach
  double login_cost = 5;       // units; a lookup is 1
  double refusal_cost = 0.05;  // units
  int slots = 125;             // users at a time
  bool shed = false;           // refuse logins above half the depth; never overloaded
};

// The limits of hosts differ: headroom x normal load x U(1 - spread, 1 + spread), drawn by (seed, index).
double DrawLimit(double headroom, double normal_load, double spread, uint64_t seed, uint64_t index);

class Admission {
 public:
  enum Answer { kOk, kFull, kShed };

  explicit Admission(const AdmissionOptions& options);

  // kOk takes a slot. A user's first login while the network starts costs nothing and is never shed.
  Answer Login(int64_t now, bool first);
  void Logout() { --users_; }
  void Lookup(int64_t now);
  bool Overloaded(int64_t now) const { return !options_.shed && bucket_.Over(now); }
  void Reset();  // nobody logged in, no load

  int users() const { return users_; }
  double Level(int64_t now) const { return bucket_.Level(now); }
  double limit() const { return bucket_.rate(); }
  double depth() const { return bucket_.depth(); }
  double units_total() const { return units_total_; }
  uint64_t logins_total() const { return logins_total_; }
  uint64_t full_total() const { return full_total_; }
  uint64_t shed_total() const { return shed_total_; }
  uint64_t lookups_total() const { return lookups_total_; }

 private:
  void Charge(int64_t now, double units);

  const AdmissionOptions options_;
  LeakyBucket bucket_;
  int users_ = 0;
  double units_total_ = 0;
  uint64_t logins_total_ = 0, full_total_ = 0, shed_total_ = 0, lookups_total_ = 0;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_ADMISSION_H_

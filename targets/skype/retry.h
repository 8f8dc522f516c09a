// When a user tries again. Times in seconds.
//
//   Retry retry(RetryOptions{});
//   double wait = retry.First(Offline::kOrphaned, rng);      // the connection broke: noticed some time later
//   wait = retry.After(failures, rng);                     // the failures-th try in a row (from 1) has failed
#ifndef TARGETS_SKYPE_RETRY_H_
#define TARGETS_SKYPE_RETRY_H_

#include "targets/skype/rng.h"

namespace skype {

struct RetryOptions {
  bool backoff = false;     // else a fixed interval
  double interval_s = 0.5;  // fixed: +-10 %
  double base_s = 1;        // back-off: U(0, min(cap, base x 2^failures))
  double cap_s = 32;
  double first_jitter_s = 0;  // U(0, this) more before the first attempt
  double detect_s = 8;        // an orphan notices after U(0, this)
  double restart_s = 0.5;     // a crashed client is up again after this + Exp(restart_mean_s)
  double restart_mean_s = 5;
};

enum class Offline { kOrphaned, kCrashed };

class Retry {
 public:
  explicit Retry(const RetryOptions& options) : options_(options) {}
  double First(Offline why, Rng& rng) const;
  double After(int failures, Rng& rng) const;

 private:
  const RetryOptions options_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_RETRY_H_

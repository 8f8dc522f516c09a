#include "targets/skype/retry.h"

#include <algorithm>
#include <cmath>

namespace skype {

double Retry::First(Offline why, Rng& rng) const {
  const double noticed = why == Offline::kOrphaned ? rng.Uniform(0, options_.detect_s)
                                                   : options_.restart_s + rng.Exponential(options_.restart_mean_s);
  return noticed + rng.Uniform(0, options_.first_jitter_s);
}

double Retry::After(int failures, Rng& rng) const {
  if (!options_.backoff) return options_.interval_s * rng.Uniform(0.9, 1.1);
  // ldexp with a bounded exponent: a user that has failed for days must not overflow.
  return rng.Uniform(0, std::min(options_.cap_s, std::ldexp(options_.base_s, std::clamp(failures, 0, 60))));
}

}  // namespace skype

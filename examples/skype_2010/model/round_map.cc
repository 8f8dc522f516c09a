#include "examples/skype_2010/model/round_map.h"

#include <algorithm>
#include <cmath>

namespace skype_model {

double SurvivingShare(const RoundMap& map) {
  const auto overloaded = [&](double load) {  // share of hosts whose limit is below `load`
    if (load <= map.limit_low) return 0.0;
    if (load >= map.limit_high) return 1.0;
    return (load - map.limit_low) / (map.limit_high - map.limit_low);
  };
  double x = 1 - map.lost;
  double q = 1 - (1 - map.clients_crashed) * (1 - map.lost);
  // Near the critical point the rounds get small and many.
  for (int round = 0; round < 2'000'000 && x > 1e-9; ++round) {
    const double load = ((1 - q) + q * map.login_cost) / x;
    const double next = std::min(x, (1 - map.lost) * (1 - overloaded(load / (1 + map.burst))));
    q = (x - next) / x;
    if (x - next < 1e-13) return next;
    x = next;
  }
  return x > 1e-9 ? x : 0;
}

double CriticalLoss(RoundMap map) {
  double low = 0, high = 1;
  while (high - low > 1e-10) {
    map.lost = (low + high) / 2;
    (SurvivingShare(map) > 0 ? low : high) = map.lost;
  }
  return high;
}

}  // namespace skype_model

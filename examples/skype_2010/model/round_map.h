// The cascade as a map from round to round: a load that was spread over all hosts is spread over those that are left.
//
//   RoundMap map{.lost = 0.28, .clients_crashed = 0.2};
//   double left = SurvivingShare(map);     // 0: collapse
//
// With A the load on a survivor as a multiple of normal, x the share of hosts in service and q the share of clients
// that reconnect: A = ((1 - q) + q b) / x, and the next x is (1 - lost) P(limit > A / (1 + w)). Without reconnect cost
// (b = 1, w = 0) this is the democratic fibre bundle: for equal limits 1 + a it breaks at lost = a / (1 + a).
#ifndef EXAMPLES_SKYPE_2010_MODEL_ROUND_MAP_H_
#define EXAMPLES_SKYPE_2010_MODEL_ROUND_MAP_H_

namespace skype_model {

struct RoundMap {
  double lost = 0.28;            // share of hosts gone at the start
  double clients_crashed = 0.2;  // share of clients that crashed themselves
  double login_cost = 6.25;      // b: cost of a login over what a client normally costs while the reconnects are spread
  double burst = 0.5;            // w: burst that the limit tolerates, over the time the reconnects are spread
  double limit_low = 1.5;        // limits of hosts, as multiples of the normal load: uniform in [low, high]
  double limit_high = 4.5;
};

// The share of all hosts that stays in service for good.
double SurvivingShare(const RoundMap& map);

// The smallest `lost` that ends in collapse, to within 1e-10; 1 if none does.
double CriticalLoss(RoundMap map);

}  // namespace skype_model

#endif  // EXAMPLES_SKYPE_2010_MODEL_ROUND_MAP_H_

// The outage as a fluid: shares of hosts and clients that flow between states, in steps of 20 ms.
//
//   Summary summary = Summarize(Simulate({}), {});          // 2010
//   Scenario staged = {.buggy_share = 0.1};
//
// Hosts are grouped in classes of equal load limit. For a class: users n per host, bucket level y with
//   y' = lookups n + logins (cost) + refusals (cost) - limit,   y >= 0;
// above `depth_s` seconds of its limit the class leaves the role, its users try again within `detect_s`, and it returns
// after about `away_s`. A client that tries asks up to `probes` hosts of the list; the chance that one takes it is
// solved as a fixed point of the hosts' acceptance and the probes they see. Failures go to the retry policy.
#ifndef EXAMPLES_SKYPE_2010_MODEL_FLUID_H_
#define EXAMPLES_SKYPE_2010_MODEL_FLUID_H_

#include <optional>
#include <vector>

namespace skype_model {

// Dedicated hosts that join at a time.
struct Mega {
  double at_s = 0;
  int count = 0;
};

// Times in seconds since the start of the run; the fault starts at `trigger_s`.
struct Scenario {
  double supernodes = 40;
  double users_per_node = 50;
  double lookups = 0.1;  // per user and second
  double headroom = 3, limit_spread = 0.5, depth_s = 4;
  double login_cost = 5, refusal_cost = 0.05;
  double slots = 2.5;  // times users_per_node
  bool shed = false;
  double away_s = 25;

  double buggy_share = 0.5;  // of users
  double host_skew = 1.4;    // buggy share among supernodes over that among users
  double crash_share = 0.4;  // of the buggy ones
  double trigger_s = 10, wave_s = 2;

  double detect_s = 8, restart_s = 0.5, restart_mean_s = 5;
  double retry_s = 0.5;
  int probes = 5;
  bool backoff = false;
  double backoff_base_s = 1, backoff_cap_s = 32;
  double first_jitter_s = 0;

  std::vector<Mega> megas = {{40, 1}, {50, 5}};
  double mega_slots = 8, mega_headroom = 30;  // times users_per_node; times the normal limit

  double length_s = 80;
};

// State at the end of a second.
struct Sample {
  double t = 0;
  double pool = 0;     // ordinary supernodes in the role, share
  double online = 0;   // users, share
  double offered = 0;  // connects and lookups during the second, as a multiple of normal
};
std::vector<Sample> Simulate(const Scenario& scenario);

struct Summary {
  double crash_wave = 0;  // share of supernodes that crash
  double peak_offered = 0;
  double min_pool = 0, min_online = 0;         // in the 30 s after the trigger
  std::optional<double> collapse_after_s;      // pool below 10 %, since the trigger
  double stuck_offered = 0, stuck_online = 0;  // mean offered 20 to 30 s after the trigger; online at its end
  std::optional<double> online_95_at_s;        // first time from 8 s after the trigger
  double end_pool = 0, end_online = 0;
};
Summary Summarize(const std::vector<Sample>& samples, const Scenario& scenario);

}  // namespace skype_model

#endif  // EXAMPLES_SKYPE_2010_MODEL_FLUID_H_

#include "examples/skype_2010/model/fluid.h"

#include <algorithm>
#include <cmath>

namespace skype_model {
namespace {

constexpr double kStep = 0.02;  // seconds
constexpr int kClasses = 24;
constexpr int kMaxFailures = 12;

class Fluid {
 public:
  explicit Fluid(const Scenario& s) : s_(s), steps_(static_cast<int>(s.length_s / kStep) + 2) {
    normal_limit_ = s.headroom * s.lookups * s.users_per_node;
    for (int g = 0; g < kClasses; ++g) {
      Class c;
      c.limit = normal_limit_ * (1 + s.limit_spread * (2 * (g + 0.5) / kClasses - 1));
      c.in_role = 1.0 / kClasses;
      c.users = s.users_per_node;
      c.returning.assign(steps_, 0);
      classes_.push_back(c);
    }
    due_.assign(kMaxFailures + 1, std::vector<double>(steps_, 0));
    hosts_to_crash_ = std::min(1.0, s.buggy_share * s.host_skew) * s.crash_share;
    users_to_crash_ = s.buggy_share * s.crash_share;
    for (const Mega& mega : s.megas) megas_listed_ += mega.count / s.supernodes;
    mega_.limit = s.mega_headroom * normal_limit_;
  }

  std::vector<Sample> Run() {
    std::vector<Sample> samples;
    double sent = 0;
    for (step_ = 0; step_ < steps_ - 2; ++step_) {
      const double t = step_ * kStep;
      Return();
      AddMegas(t);
      Crash(t);
      sent += Lookups() + Tries();
      if (!s_.shed) Protect();
      if (t + kStep >= samples.size() + 1.0 - 1e-9) {
        samples.push_back({samples.size() + 1.0, Pool(), Online(), sent / (s_.lookups * s_.users_per_node)});
        sent = 0;
      }
    }
    return samples;
  }

 private:
  struct Class {
    double limit = 0, in_role = 0, users = 0, level = 0;  // in_role: share of the pool; users, level: per host
    double accept = 1;
    std::vector<double> returning;  // by step
  };

  // Spreads `mass` evenly over [from, to] seconds from now.
  void Put(std::vector<double>& when, double from, double to, double mass) {
    const int first = step_ + std::max(1, static_cast<int>(from / kStep));
    const int last = std::max(first, step_ + std::max(1, static_cast<int>(to / kStep)));
    const double share = mass / (last - first + 1);
    for (int i = first; i <= std::min(last, steps_ - 1); ++i) when[i] += share;
  }

  // Clients that just went offline, noticing within [from, to].
  void FirstTry(double from, double to, double mass) {
    if (s_.first_jitter_s <= 0) return Put(due_[0], from, to, mass);
    for (int i = 0; i < 8; ++i) {
      Put(due_[0], from + s_.first_jitter_s * i / 8, to + s_.first_jitter_s * (i + 1) / 8, mass / 8);
    }
  }

  void Return() {
    for (Class& c : classes_) {
      const double back = c.returning[step_];
      if (back <= 0) continue;
      const double old = c.in_role / (c.in_role + back);  // newcomers are empty and idle
      c.level *= old, c.users *= old, c.in_role += back;
    }
  }

  void AddMegas(double t) {
    double want = 0;
    for (const Mega& mega : s_.megas) want += t >= mega.at_s ? mega.count / s_.supernodes : 0;
    if (want <= mega_.in_role) return;
    mega_.users *= mega_.in_role / want, mega_.level *= mega_.in_role / want;
    mega_.in_role = want;
  }

  void Crash(double t) {
    if (t < s_.trigger_s || t >= s_.trigger_s + s_.wave_s) return;
    const double part = std::min(1.0, kStep / (s_.trigger_s + s_.wave_s - t));
    const double hosts = hosts_to_crash_ * part, users = users_to_crash_ * part;
    hosts_to_crash_ -= hosts, users_to_crash_ -= users;
    double online = 0;
    for (Class& c : classes_) {
      const double gone = std::min(hosts / kClasses, c.in_role);
      c.in_role -= gone;
      Put(c.returning, 0.8 * s_.away_s, 1.2 * s_.away_s, gone);
      FirstTry(0, s_.detect_s, gone * c.users);
      online += c.in_role * c.users;
    }
    const double share = std::min(1.0, users * s_.users_per_node / std::max(online, 1e-9));
    for (Class& c : classes_) c.users *= 1 - share;
    for (int i = 0; i < 8; ++i) {  // the exponential restart time, in eighths of its mass
      const double from = -std::log(1 - i / 8.0), to = i == 7 ? 4 : -std::log(1 - (i + 1) / 8.0);
      FirstTry(s_.restart_s + s_.restart_mean_s * from, s_.restart_s + s_.restart_mean_s * to, share * online / 8);
    }
  }

  // Lookups of this step; drains and fills the buckets.
  double Lookups() {
    double sent = 0;
    const auto serve = [&](Class& c) {
      c.level = std::max(0.0, c.level + (s_.lookups * c.users - c.limit) * kStep);
      sent += s_.lookups * c.users * c.in_role * kStep;
    };
    for (Class& c : classes_) serve(c);
    serve(mega_);
    return sent;
  }

  // The share of `hit` logins per host that a host takes.
  double Acceptance(const Class& c, double slots, bool shed, double hit) const {
    double accept = std::clamp((slots - c.users) / hit, 0.0, 1.0);
    if (shed) accept = std::min(accept, std::max(0.0, (0.5 * c.limit * s_.depth_s - c.level) / s_.login_cost) / hit);
    return accept;
  }

  // All tries that are due in this step; returns the connects they make.
  double Tries() {
    double tries = 0;
    for (const auto& due : due_) tries += due[step_];
    if (tries <= 0) return 0;
    const double listed = 1 + megas_listed_;
    for (Class& c : classes_) c.accept = 1;
    mega_.accept = 1;
    double probes = 0, hit = 0;
    for (int i = 0; i < 4; ++i) {
      double p = mega_.in_role / listed * mega_.accept;
      for (const Class& c : classes_) p += c.in_role / listed * c.accept;
      probes = p > 1e-12 ? (1 - std::pow(1 - std::min(p, 1.0), s_.probes)) / p : s_.probes;
      hit = tries * probes / listed;
      for (Class& c : classes_) c.accept = Acceptance(c, s_.slots * s_.users_per_node, s_.shed, hit);
      mega_.accept = Acceptance(mega_, s_.mega_slots * s_.users_per_node, true, hit);
    }
    double in = 0;
    const auto admit = [&](Class& c) {
      c.users += hit * c.accept;
      c.level += hit * (c.accept * s_.login_cost + (1 - c.accept) * s_.refusal_cost);
      in += hit * c.accept * c.in_role;
    };
    for (Class& c : classes_) admit(c);
    if (mega_.in_role > 0) admit(mega_);
    Fail(std::max(0.0, 1 - in / tries));
    return tries * probes;
  }

  // The share of this step's tries that failed goes to its next try.
  void Fail(double share) {
    for (int j = 0; j <= kMaxFailures; ++j) {
      const double mass = due_[j][step_] * share;
      if (mass <= 0) continue;
      if (s_.backoff) {
        const double limit = std::min(s_.backoff_cap_s, std::ldexp(s_.backoff_base_s, j + 1));
        Put(due_[std::min(kMaxFailures, j + 1)], 0, limit, mass);
      } else {
        Put(due_[std::min(1, j + 1)], 0.9 * s_.retry_s, 1.1 * s_.retry_s, mass);
      }
    }
  }

  void Protect() {
    for (Class& c : classes_) {
      if (c.in_role <= 0 || c.level <= c.limit * s_.depth_s) continue;
      Put(c.returning, 0.8 * s_.away_s, 1.2 * s_.away_s, c.in_role);
      FirstTry(0, s_.detect_s, c.in_role * c.users);
      c.in_role = c.users = c.level = 0;
    }
  }

  double Pool() const {
    double pool = 0;
    for (const Class& c : classes_) pool += c.in_role;
    return pool;
  }
  double Online() const {
    double users = mega_.users * mega_.in_role;
    for (const Class& c : classes_) users += c.in_role * c.users;
    return users / s_.users_per_node;
  }

  const Scenario& s_;
  const int steps_;
  int step_ = 0;
  double normal_limit_ = 0;
  std::vector<Class> classes_;
  Class mega_;  // in_role: per ordinary supernode
  double megas_listed_ = 0;
  double hosts_to_crash_ = 0, users_to_crash_ = 0;
  std::vector<std::vector<double>> due_;  // clients per supernode by failures so far and step
};

}  // namespace

std::vector<Sample> Simulate(const Scenario& scenario) { return Fluid(scenario).Run(); }

Summary Summarize(const std::vector<Sample>& samples, const Scenario& scenario) {
  Summary out;
  out.crash_wave = std::min(1.0, scenario.buggy_share * scenario.host_skew) * scenario.crash_share;
  out.min_pool = out.min_online = 1;
  const double t0 = scenario.trigger_s;
  int stuck = 0;
  for (const Sample& s : samples) {
    out.peak_offered = std::max(out.peak_offered, s.offered);
    if (s.t > t0 && s.t <= t0 + 30) {
      out.min_pool = std::min(out.min_pool, s.pool);
      out.min_online = std::min(out.min_online, s.online);
      if (s.pool < 0.1 && !out.collapse_after_s.has_value()) out.collapse_after_s = s.t - t0;
      out.stuck_online = s.online;
    }
    if (s.t > t0 + 20 && s.t <= t0 + 30) out.stuck_offered += s.offered, ++stuck;
    if (s.t > t0 + 8 && s.online >= 0.95 && !out.online_95_at_s.has_value()) out.online_95_at_s = s.t;
    out.end_pool = s.pool, out.end_online = s.online;
  }
  if (stuck > 0) out.stuck_offered /= stuck;
  return out;
}

}  // namespace skype_model

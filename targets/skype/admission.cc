#include "targets/skype/admission.h"

#include "targets/skype/rng.h"

namespace skype {

double DrawLimit(double headroom, double normal_load, double spread, uint64_t seed, uint64_t index) {
  return headroom * normal_load * Rng(seed, index).Uniform(1 - spread, 1 + spread);
}

Admission::Admission(const AdmissionOptions& options)
    : options_(options), bucket_(options.limit, options.limit * options.depth_s) {}

Admission::Answer Admission::Login(int64_t now, bool first) {
  if (users_ >= options_.slots) {
    Charge(now, options_.refusal_cost);
    ++full_total_;
    return kFull;
  }
  if (!first) {
    if (options_.shed && bucket_.Level(now) + options_.login_cost > bucket_.depth() / 2) {
      Charge(now, options_.refusal_cost);
      ++shed_total_;
      return kShed;
    }
    Charge(now, options_.login_cost);
  }
  ++users_;
  ++logins_total_;
  return kOk;
}

void Admission::Lookup(int64_t now) {
  ++lookups_total_;
  Charge(now, 1);
}

void Admission::Reset() {
  users_ = 0;
  bucket_.Empty();
}

void Admission::Charge(int64_t now, double units) {
  bucket_.Add(now, units);
  units_total_ += units;
}

}  // namespace skype

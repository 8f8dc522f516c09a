// How many requests a load wants at which time: a rate over time, multiplied while a spike lasts.
//
//   RateCurve curve(StagesOf(start_load), start_ns);
//   curve.Multiply({.from = now, .ramp_ns = 5 * kSecond, .multiplier = 10, .until = deadline});
//   double requests = curve.Expected(a, b);              // over [a, b)
//   int64_t next = curve.Reach(a, 1.0);                  // when one more is due
//
// Pure arithmetic. Rates per second, times in ns of CLOCK_BOOTTIME. Rate and multiplier are piecewise linear, so their
// product is piecewise quadratic, which Simpson's rule integrates exactly.
#ifndef TARGETS_LOAD_CURVE_H_
#define TARGETS_LOAD_CURVE_H_

#include <cstdint>
#include <vector>

#include "faults/host.pb.h"

namespace squall {

inline constexpr int64_t kNever = INT64_MAX;

// Value type.
class RateCurve {
 public:
  struct Spike {
    int64_t from = 0;
    int64_t ramp_ns = 0;  // linear from 1; 0 = a step
    double multiplier = 1;
    int64_t until = 0;  // back to 1
  };

  RateCurve() = default;  // nothing ever
  // `rate` holds until the stages begin to change it: each goes linearly `to` its rate over `over_ns`, then holds it
  // for `hold_ns`. The last rate stays. Nothing is due before `start`.
  RateCurve(const host::v1::StartLoad& load, int64_t start);

  void Multiply(const Spike& spike) { spike_ = spike; }
  void EndSpike(int64_t now);  // it never began if it is to begin later

  double Base(int64_t t) const;        // rate without the spike
  double Multiplier(int64_t t) const;  // 1 outside the spike
  double Expected(int64_t from, int64_t to) const;
  double ExpectedBase(int64_t from, int64_t to) const;
  // The earliest time by which `amount` more are due, counted from `from`; kNever.
  int64_t Reach(int64_t from, double amount) const;

 private:
  struct Piece {  // from `at`, the rate goes linearly from `rate` by `slope` per ns until the next piece
    int64_t at;
    double rate;
    double slope;
  };
  int64_t NextBreak(int64_t t) const;  // the first time after t at which a piece or the spike begins or ends
  double Integral(int64_t from, int64_t to, bool with_spike) const;  // without a break between

  int64_t start_ = kNever;
  std::vector<Piece> pieces_;
  Spike spike_;
};

}  // namespace squall

#endif  // TARGETS_LOAD_CURVE_H_

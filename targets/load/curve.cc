#include "targets/load/curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "faults/core/clock.h"

namespace squall {

RateCurve::RateCurve(const host::v1::StartLoad& load, int64_t start) : start_(start) {
  double rate = load.rate();
  int64_t at = start;
  for (const auto& stage : load.stages()) {
    if (stage.over_ns() > 0) {
      pieces_.push_back({at, rate, (stage.to() - rate) / static_cast<double>(stage.over_ns())});
      at += stage.over_ns();
    }
    rate = stage.to();
    if (stage.hold_ns() > 0) {
      pieces_.push_back({at, rate, 0});
      at += stage.hold_ns();
    }
  }
  pieces_.push_back({at, rate, 0});
}

void RateCurve::EndSpike(int64_t now) {
  spike_.until = std::min(spike_.until, now);
  spike_.from = std::min(spike_.from, spike_.until);
}

double RateCurve::Base(int64_t t) const {
  if (t < start_ || pieces_.empty()) return 0;
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), t,
                                      [](int64_t time, const Piece& piece) { return time < piece.at; });
  const Piece& piece = *std::prev(after);
  return std::max(0.0, piece.rate + piece.slope * static_cast<double>(t - piece.at));
}

double RateCurve::Multiplier(int64_t t) const {
  if (t < spike_.from || t >= spike_.until) return 1;
  const int64_t into = t - spike_.from;
  if (into >= spike_.ramp_ns) return spike_.multiplier;
  return 1 + (spike_.multiplier - 1) * static_cast<double>(into) / static_cast<double>(spike_.ramp_ns);
}

int64_t RateCurve::NextBreak(int64_t t) const {
  int64_t next = kNever;
  if (start_ > t) next = std::min(next, start_);
  for (const Piece& piece : pieces_) {
    if (piece.at > t) next = std::min(next, piece.at);
  }
  // A ramp that is cut short has no end of its own.
  for (int64_t edge : {spike_.from, std::min(spike_.from + spike_.ramp_ns, spike_.until), spike_.until}) {
    if (edge > t) next = std::min(next, edge);
  }
  return next;
}

double RateCurve::Integral(int64_t from, int64_t to, bool with_spike) const {
  if (to <= from) return 0;
  // The last instant before `to` belongs to this piece; `to` itself may belong to the next.
  const auto at = [&](int64_t t) { return Base(t) * (with_spike ? Multiplier(t) : 1.0); };
  const int64_t middle = from + (to - from) / 2;
  const double width = static_cast<double>(to - from) / static_cast<double>(kSecond);
  return width * (at(from) + 4 * at(middle) + at(to - 1)) / 6;
}

double RateCurve::Expected(int64_t from, int64_t to) const {
  double sum = 0;
  while (from < to) {
    const int64_t end = std::min(to, NextBreak(from));
    sum += Integral(from, end, true);
    from = end;
  }
  return sum;
}

double RateCurve::ExpectedBase(int64_t from, int64_t to) const {
  double sum = 0;
  while (from < to) {
    const int64_t end = std::min(to, NextBreak(from));
    sum += Integral(from, end, false);
    from = end;
  }
  return sum;
}

int64_t RateCurve::Reach(int64_t from, double amount) const {
  if (amount <= 0) return from;
  while (true) {
    const int64_t end = NextBreak(from);
    if (end == kNever) {  // constant from here on
      const double rate = Base(from) * Multiplier(from);
      const double wait = amount / rate * static_cast<double>(kSecond);
      return rate > 0 && wait < 1e18 ? from + static_cast<int64_t>(std::ceil(wait)) : kNever;
    }
    const double here = Integral(from, end, true);
    if (here < amount) {
      amount -= here;
      from = end;
      continue;
    }
    int64_t low = from, high = end;  // bisection: the integral never falls
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (Integral(from, middle, true) < amount ? low : high) = middle;
    }
    return high;
  }
}

}  // namespace squall

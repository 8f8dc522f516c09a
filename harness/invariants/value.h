// What expressions evaluate to: numbers are intervals, truth is three-valued, and both carry how much is not known.
//
//   Interval pool{18, 18};                       // known
//   BoolValue v = CompareNumbers(...);           // v.v, margins v.lo and v.hi
//   And(v, Not(w));                              // Kleene; margins by min and max
//
// A margin is how far a comparison is from turning over: positive when true. `rho` is in shares of the limit, so that
// comparisons of different units can be joined; `raw` is in the unit of the comparison. A margin of 0 decides nothing.
#ifndef HARNESS_INVARIANTS_VALUE_H_
#define HARNESS_INVARIANTS_VALUE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/invariants/ast.h"

namespace squall {

inline constexpr double kInf = std::numeric_limits<double>::infinity();

struct Interval {
  double lo = -kInf;
  double hi = kInf;
  bool known() const { return lo == hi && std::isfinite(lo); }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Ends that came out as NaN (inf - inf) are not known.
inline Interval Sane(double lo, double hi) { return {std::isnan(lo) ? -kInf : lo, std::isnan(hi) ? kInf : hi}; }

Interval Arithmetic(ast::Num::Kind kind, Interval a, Interval b);

enum class Tri : int8_t { kFalse, kUnknown, kTrue };

struct Margin {
  double rho = 0;
  double raw = 0;
  double subject = 0;  // value of the side that is not constant
  int64_t t_ns = 0;
  int32_t leaf = -1;  // which comparison
  bool negated = false;

  bool Below(const Margin& other) const { return rho != other.rho ? rho < other.rho : raw < other.raw; }
};

struct BoolValue {
  Tri v = Tri::kUnknown;
  Margin lo{.rho = -kInf, .raw = -kInf};
  Margin hi{.rho = kInf, .raw = kInf};

  static BoolValue Crisp(Tri v, int32_t leaf = -1, int64_t t_ns = 0);
  static BoolValue True() { return Crisp(Tri::kTrue); }
  static BoolValue False() { return Crisp(Tri::kFalse); }
  static BoolValue Unknown() { return BoolValue(); }
  bool Same(const BoolValue& other) const;
};

BoolValue And(const BoolValue& a, const BoolValue& b);
BoolValue Or(const BoolValue& a, const BoolValue& b);
BoolValue Not(const BoolValue& a);

// `scale` turns raw margins into rho. Of == and != the margins are infinite.
BoolValue CompareNumbers(ast::Compare compare, Interval a, Interval b, double scale);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_VALUE_H_

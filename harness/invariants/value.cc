#include "harness/invariants/value.h"

namespace squall {
namespace {

double Times(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

double Over(double x, double y) { return std::isinf(y) ? (std::isinf(x) ? std::nan("") : 0) : x / y; }

Interval Corners(double (*op)(double, double), Interval a, Interval b) {
  const double all[] = {op(a.lo, b.lo), op(a.lo, b.hi), op(a.hi, b.lo), op(a.hi, b.hi)};
  double lo = kInf, hi = -kInf;
  for (const double value : all) {
    if (std::isnan(value)) return {};
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
  return {lo, hi};
}

}  // namespace

Interval Arithmetic(ast::Num::Kind kind, Interval a, Interval b) {
  switch (kind) {
    case ast::Num::kAdd:
      return Sane(a.lo + b.lo, a.hi + b.hi);
    case ast::Num::kSubtract:
      return Sane(a.lo - b.hi, a.hi - b.lo);
    case ast::Num::kMultiply:
      return Corners(Times, a, b);
    case ast::Num::kDivide:
      return b.lo <= 0 && b.hi >= 0 ? Interval() : Corners(Over, a, b);
    case ast::Num::kMin:
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
    case ast::Num::kMax:
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
    default:
      return {};
  }
}

BoolValue BoolValue::Crisp(Tri v, int32_t leaf, int64_t t_ns) {
  BoolValue value;
  value.v = v;
  if (v == Tri::kTrue) value.lo.rho = value.lo.raw = kInf;
  if (v == Tri::kFalse) value.hi.rho = value.hi.raw = -kInf;
  value.lo.leaf = value.hi.leaf = leaf;
  value.lo.t_ns = value.hi.t_ns = t_ns;
  return value;
}

bool BoolValue::Same(const BoolValue& other) const {
  const auto same = [](const Margin& a, const Margin& b) {
    return a.rho == b.rho && a.raw == b.raw && a.subject == b.subject && a.leaf == b.leaf && a.negated == b.negated;
  };
  return v == other.v && same(lo, other.lo) && same(hi, other.hi);
}

BoolValue And(const BoolValue& a, const BoolValue& b) {
  BoolValue value;
  value.v = std::min(a.v, b.v);
  value.lo = b.lo.Below(a.lo) ? b.lo : a.lo;
  value.hi = b.hi.Below(a.hi) ? b.hi : a.hi;
  return value;
}

BoolValue Or(const BoolValue& a, const BoolValue& b) {
  BoolValue value;
  value.v = std::max(a.v, b.v);
  value.lo = a.lo.Below(b.lo) ? b.lo : a.lo;
  value.hi = a.hi.Below(b.hi) ? b.hi : a.hi;
  return value;
}

BoolValue Not(const BoolValue& a) {
  const auto negate = [](Margin margin) {
    margin.rho = -margin.rho;
    margin.raw = -margin.raw;
    margin.negated = !margin.negated;
    return margin;
  };
  BoolValue value;
  value.v = a.v == Tri::kTrue ? Tri::kFalse : a.v == Tri::kFalse ? Tri::kTrue : Tri::kUnknown;
  value.lo = negate(a.hi);
  value.hi = negate(a.lo);
  return value;
}

BoolValue CompareNumbers(ast::Compare compare, Interval a, Interval b, double scale) {
  using ast::Compare;
  if (compare == Compare::kEqual || compare == Compare::kNotEqual) {
    const Tri equal = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo ? Tri::kTrue
                      : a.hi < b.lo || b.hi < a.lo                 ? Tri::kFalse
                      : a.lo == a.hi && b.lo == b.hi               ? Tri::kFalse
                                                                   : Tri::kUnknown;
    const BoolValue value = BoolValue::Crisp(equal);
    if (compare == Compare::kEqual) return value;
    BoolValue other = Not(value);
    other.lo.negated = other.hi.negated = false;
    return other;
  }
  if (compare == Compare::kGreater || compare == Compare::kGreaterEqual) std::swap(a, b);
  const bool strict = compare == Compare::kLess || compare == Compare::kGreater;
  BoolValue value;
  const Interval raw = Sane(b.lo - a.hi, b.hi - a.lo);
  value.lo.raw = raw.lo;
  value.hi.raw = raw.hi;
  value.lo.rho = raw.lo / scale;
  value.hi.rho = raw.hi / scale;
  const bool surely = strict ? a.hi < b.lo : a.hi <= b.lo;
  const bool surely_not = strict ? a.lo >= b.hi : a.lo > b.hi;
  value.v = surely ? Tri::kTrue : surely_not ? Tri::kFalse : Tri::kUnknown;
  if (std::isinf(a.lo) && a.lo == a.hi && a.lo == b.lo && a.lo == b.hi) value.v = Tri::kUnknown;  // inf against inf
  return value;
}

}  // namespace squall

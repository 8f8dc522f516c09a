// Something that has to come true within a time: some r in [first, last] with f true on the closed [r, r + stays].
//
//   Obligation o(first, last, stays);
//   o.Visit(from, to, f, g);        // g is `f for stays`; pieces in order
//   if (o.decided()) o.value();
//   o.Cut(t);                       // nothing is known from t on: the next fault, or the run's end
//
// value(): sup over r of inf over [r, r + stays]. True as soon as it can be, false as soon as no r is left. Value type.
#ifndef HARNESS_INVARIANTS_OBLIGATION_H_
#define HARNESS_INVARIANTS_OBLIGATION_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "harness/invariants/value.h"

namespace squall {

class Obligation {
 public:
  // last < first: there is no such r, so it is never true.
  Obligation(int64_t first_ns, int64_t last_ns, int64_t stays_ns)
      : first_ns_(first_ns), last_ns_(last_ns), stays_ns_(stays_ns) {}

  void Visit(int64_t from_ns, int64_t to_ns, const BoolValue& f, const BoolValue& g) {
    if (cut_) return;
    // The instants r + stays at which `g` answers for an r.
    const int64_t first = first_ns_ + stays_ns_, last = last_ns_ + stays_ns_;
    if (g.v == Tri::kTrue && to_ns > first && !held_since_ns_) held_since_ns_ = std::max(from_ns, first) - stays_ns_;
    if (complete_) return;
    if (from_ns <= last && to_ns > first) Take(g);
    if (to_ns > last_ns_) tail_ = And(tail_, f);
    if (any_ && value_.v == Tri::kTrue) {
      decided_ = true;
      decided_ns_ = decided_ns_.value_or(std::max(from_ns, first));
    }
    if (to_ns > last_ns_ && f.v == Tri::kFalse) {  // no r is left that has not met a false instant
      decided_ = true;
      decided_ns_ = decided_ns_.value_or(std::max(from_ns, last_ns_));
    }
    if (to_ns > last) {
      decided_ = complete_ = true;
      decided_ns_ = decided_ns_.value_or(last);
    }
  }

  void Cut(int64_t t_ns) {
    if (complete_) return;
    complete_ = true;
    if (t_ns <= last_ns_) {
      Take(BoolValue::Unknown());
    } else {  // the best is the last r, of which the least is missing
      Take(And(tail_, BoolValue::Unknown()));
    }
    cut_ = !decided_ && value().v == Tri::kUnknown;
    decided_ = true;
  }

  bool decided() const { return decided_; }
  bool complete() const { return complete_; }  // decided, and the margin does not change any more
  bool cut() const { return cut_; }            // it is Cut that left it unknown
  BoolValue value() const { return any_ ? value_ : BoolValue::False(); }
  std::optional<int64_t> decided_ns() const { return decided_ns_; }
  // The first r, even one beyond `last`.
  std::optional<int64_t> held_since_ns() const { return held_since_ns_; }
  int64_t first_ns() const { return first_ns_; }
  int64_t last_ns() const { return last_ns_; }

 private:
  void Take(const BoolValue& value) {
    value_ = any_ ? Or(value_, value) : value;
    any_ = true;
  }

  int64_t first_ns_, last_ns_, stays_ns_;
  bool any_ = false;
  BoolValue value_;
  BoolValue tail_ = BoolValue::True();  // of f from last_ns_ on
  bool decided_ = false, complete_ = false, cut_ = false;
  std::optional<int64_t> decided_ns_, held_since_ns_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_OBLIGATION_H_

// The smallest of the values a step function took within the last D, at any instant. Amortised O(1) a change (Lemire's
// wedge: what is not smaller than a later value can never be the smallest again).
//
//   SlidingMin<double> least(5 * kSecond);
//   least.Push(t, value);       // from t on the function is `value`
//   least.Expire(t);            // forget what ended at or before t - D
//   least.Min(); least.NextExpiry();
//
// A value holds from its Push to the next one, so the closed window [t - D, t] contains it if it ended after t - D.
#ifndef HARNESS_INVARIANTS_SLIDING_H_
#define HARNESS_INVARIANTS_SLIDING_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace squall {

template <typename T, typename Less = std::less<T>>
class SlidingMin {
 public:
  explicit SlidingMin(int64_t duration_ns, Less less = Less()) : duration_ns_(duration_ns), less_(less) {}

  void Push(int64_t t_ns, T value) {
    if (current_ && current_from_ns_ < t_ns) {  // of values pushed at one instant only the last one ever held
      while (!wedge_.empty() && !less_(wedge_.back().value, *current_)) wedge_.pop_back();
      wedge_.push_back({*std::move(current_), t_ns});
    }
    current_ = std::move(value);
    current_from_ns_ = t_ns;
  }

  void Expire(int64_t t_ns) {
    while (!wedge_.empty() && wedge_.front().end_ns <= t_ns - duration_ns_) wedge_.pop_front();
  }

  const T& Min() const {
    return !wedge_.empty() && less_(wedge_.front().value, *current_) ? wedge_.front().value : *current_;
  }
  // When Min may grow; the largest time if not before the next Push.
  int64_t NextExpiry() const {
    return wedge_.empty() ? std::numeric_limits<int64_t>::max() : wedge_.front().end_ns + duration_ns_;
  }

 private:
  struct Entry {
    T value;
    int64_t end_ns;
  };
  const int64_t duration_ns_;
  const Less less_;
  std::optional<T> current_;  // holds now
  int64_t current_from_ns_ = 0;
  std::deque<Entry> wedge_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_SLIDING_H_

// A leaky bucket: work is poured in and drains at a steady rate; a level above the depth means that the work of the
// last few seconds was more than the host wants to give.
#ifndef TARGETS_SKYPE_BUCKET_H_
#define TARGETS_SKYPE_BUCKET_H_

#include <algorithm>
#include <cstdint>

namespace skype {

// Units of work; rate in units per second. Times never decrease.
class LeakyBucket {
 public:
  LeakyBucket(double rate, double depth) : rate_(rate), depth_(depth) {}

  void Add(int64_t now, double units) { level_ = Level(now) + units, then_ = std::max(then_, now); }
  double Level(int64_t now) const {
    return std::max(0.0, level_ - rate_ * std::max(0.0, static_cast<double>(now - then_) * 1e-9));
  }
  bool Over(int64_t now) const { return Level(now) > depth_; }
  void Empty() { level_ = 0; }
  double depth() const { return depth_; }
  double rate() const { return rate_; }

 private:
  double rate_;
  double depth_;
  double level_ = 0;
  int64_t then_ = 0;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_BUCKET_H_

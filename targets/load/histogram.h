// Counts values in buckets whose width grows with the value (the layout of HdrHistogram): quantiles with a bounded
// relative error, at a fixed size.
//
//   Histogram latency;
//   latency.Add(ns);
//   int64_t p99 = latency.Quantile(0.99);    // nearest rank
//
// A value below 2^8 is exact. Any other lies in a bucket at most 1/128 of itself wide, and a quantile is the middle of
// its bucket: off by at most 1/256 = 0.4 %. Values are cut to [0, 2^42) (4.4e12: over an hour in ns).
#ifndef TARGETS_LOAD_HISTOGRAM_H_
#define TARGETS_LOAD_HISTOGRAM_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace squall {

// Value type. Not thread-safe. Empty until the first Add, then 36 KiB.
class Histogram {
 public:
  static constexpr int kPrecisionBits = 7;
  static constexpr int kMaxBits = 42;
  static constexpr double kRelativeError = 1.0 / (1 << (kPrecisionBits + 1));

  void Add(int64_t value, uint64_t times = 1) {
    if (counts_.empty()) counts_.resize(kBuckets);
    counts_[BucketOf(value)] += times;
    count_ += times;
  }

  void Merge(const Histogram& other) {
    if (other.counts_.empty()) return;
    if (counts_.empty()) counts_.resize(kBuckets);
    for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
  }

  // Takes away what was merged or added before.
  void Subtract(const Histogram& other) {
    if (other.counts_.empty()) return;
    if (counts_.empty()) counts_.resize(kBuckets);
    count_ = 0;
    for (size_t i = 0; i < kBuckets; ++i) {
      counts_[i] -= std::min(counts_[i], other.counts_[i]);
      count_ += counts_[i];
    }
  }

  void Clear() {
    std::fill(counts_.begin(), counts_.end(), 0);
    count_ = 0;
  }

  uint64_t count() const { return count_; }

  // The value of the sample at rank ceil(q * count), ranks from 1; q in [0, 1]. 0 if there are none.
  int64_t Quantile(double q) const {
    if (count_ == 0) return 0;
    const double wanted = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
    const uint64_t rank = std::clamp<uint64_t>(static_cast<uint64_t>(wanted), 1, count_);
    uint64_t seen = 0;
    for (size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= rank) return Middle(i);
    }
    return 0;
  }

 private:
  static constexpr int64_t kHalf = int64_t{1} << kPrecisionBits;
  static constexpr size_t kBuckets = (kMaxBits - kPrecisionBits + 1) * kHalf;

  // Below 2 * kHalf a bucket holds one value; above, each doubling of the value has kHalf buckets.
  static size_t BucketOf(int64_t value) {
    value = std::clamp<int64_t>(value, 0, (int64_t{1} << kMaxBits) - 1);
    const int shift = std::max(0, static_cast<int>(std::bit_width(static_cast<uint64_t>(value))) - kPrecisionBits - 1);
    return static_cast<size_t>(shift) * kHalf + static_cast<size_t>(value >> shift);
  }
  static int64_t Middle(size_t bucket) {
    if (bucket < 2 * kHalf) return static_cast<int64_t>(bucket);
    const int64_t shift = static_cast<int64_t>(bucket) / kHalf - 1;
    const int64_t low = (static_cast<int64_t>(bucket) - shift * kHalf) << shift;
    return low + (int64_t{1} << shift) / 2;
  }

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
};

}  // namespace squall

#endif  // TARGETS_LOAD_HISTOGRAM_H_

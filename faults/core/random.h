// Random numbers that can be repeated. A draw is a pure function of (seed, site, ordinal): no state is shared between
// sites, so editing one fault leaves the draws of all others alone.
//
//   RandomStream stream(seed, "trigger/im/0");
//   double u = stream.Uniform();        // ordinal 0
//   double v = stream.Uniform();        // ordinal 1
#ifndef FAULTS_CORE_RANDOM_H_
#define FAULTS_CORE_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace squall {

// 64 random bits: SplitMix64's finalizer over the three keys (Steele, Lea, Flood 2014), twice.
uint64_t RandomBits(uint64_t seed, std::string_view site, uint64_t ordinal);

// A cursor over one site. Value type; copies draw the same values.
class RandomStream {
 public:
  RandomStream(uint64_t seed, std::string_view site, uint64_t first_ordinal = 0);

  uint64_t Bits();
  double Uniform();                         // [0, 1)
  double Uniform(double low, double high);  // [low, high)
  uint64_t Below(uint64_t n);               // [0, n), without bias; n > 0
  double Exponential(double mean);
  bool Chance(double probability);  // <= 0 never, >= 1 always, without a draw
  // The first `count` places of a random order of 0..n-1.
  std::vector<size_t> Sample(size_t n, size_t count);
  uint64_t ordinal() const { return ordinal_; }

 private:
  uint64_t key_;
  uint64_t ordinal_;
};

}  // namespace squall

#endif  // FAULTS_CORE_RANDOM_H_

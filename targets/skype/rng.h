// A small random generator (SplitMix64; Steele, Lea, Flood 2014): same seed and stream, same numbers on every machine.
#ifndef TARGETS_SKYPE_RNG_H_
#define TARGETS_SKYPE_RNG_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace skype {

class Rng {
 public:
  explicit Rng(uint64_t seed, uint64_t stream = 0) : state_(Mix(seed ^ Mix(stream + 0x9e3779b97f4a7c15u))) {}

  uint64_t Bits() { return Mix(state_ += 0x9e3779b97f4a7c15u); }
  double Uniform(double low = 0, double high = 1) { return low + (high - low) * (Bits() >> 11) * 0x1.0p-53; }
  double Exponential(double mean) { return -mean * std::log1p(-Uniform()); }
  size_t Below(size_t n) { return static_cast<size_t>((static_cast<unsigned __int128>(Bits()) * n) >> 64); }

  // Puts `count` of the values, chosen and ordered at random, to the front.
  template <typename T>
  void ShuffleFront(std::vector<T>& values, size_t count) {
    for (size_t i = 0; i < std::min(count, values.size()); ++i)
      std::swap(values[i], values[i + Below(values.size() - i)]);
  }

 private:
  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_RNG_H_

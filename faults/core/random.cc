#include "faults/core/random.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace squall {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// FNV-1a.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

uint64_t KeyOf(uint64_t seed, std::string_view site) { return Mix(Mix(seed + kGolden) ^ HashOf(site)); }

uint64_t BitsAt(uint64_t key, uint64_t ordinal) { return Mix(Mix(key + ordinal * kGolden) + key); }

}  // namespace

uint64_t RandomBits(uint64_t seed, std::string_view site, uint64_t ordinal) {
  return BitsAt(KeyOf(seed, site), ordinal);
}

RandomStream::RandomStream(uint64_t seed, std::string_view site, uint64_t first_ordinal)
    : key_(KeyOf(seed, site)), ordinal_(first_ordinal) {}

uint64_t RandomStream::Bits() { return BitsAt(key_, ordinal_++); }

double RandomStream::Uniform() { return static_cast<double>(Bits() >> 11) * 0x1.0p-53; }

double RandomStream::Uniform(double low, double high) { return low + (high - low) * Uniform(); }

uint64_t RandomStream::Below(uint64_t n) {
  const uint64_t surplus = (0 - n) % n;  // 2^64 mod n: draws below it would favour the small numbers
  for (;;) {
    const uint64_t bits = Bits();
    if (bits >= surplus) return bits % n;
  }
}

double RandomStream::Exponential(double mean) { return -mean * std::log1p(-Uniform()); }

bool RandomStream::Chance(double probability) {
  if (!(probability > 0)) return false;
  return probability >= 1 || Uniform() < probability;
}

std::vector<size_t> RandomStream::Sample(size_t n, size_t count) {
  std::vector<size_t> places(n);
  std::iota(places.begin(), places.end(), 0);
  if (count > n) count = n;
  for (size_t i = 0; i < count; ++i) std::swap(places[i], places[i + Below(n - i)]);
  places.resize(count);
  return places;
}

}  // namespace squall

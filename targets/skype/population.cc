#include "targets/skype/population.h"

#include <cmath>
#include <numeric>

#include "targets/skype/rng.h"

namespace skype {

std::vector<Software> AssignSoftware(size_t users, double buggy_share, double crash_share, uint64_t seed) {
  const size_t buggy = static_cast<size_t>(std::lround(buggy_share * static_cast<double>(users)));
  const size_t vulnerable = static_cast<size_t>(std::lround(crash_share * static_cast<double>(buggy)));
  std::vector<size_t> order(users);
  std::iota(order.begin(), order.end(), 0);
  Rng rng(seed, 0x50f7);
  rng.ShuffleFront(order, buggy);  // a random order: its first `vulnerable` are a random part of the buggy ones
  std::vector<Software> software(users);
  for (size_t i = 0; i < buggy; ++i) software[order[i]] = {.buggy = true, .vulnerable = i < vulnerable};
  return software;
}

}  // namespace skype

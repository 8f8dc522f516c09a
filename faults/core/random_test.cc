#include "faults/core/random.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace squall {
namespace {

// A report's seed must repeat its run with every later version: these values never change.
TEST(RandomTest, DrawsAreTheSameForEver) {
  EXPECT_EQ(RandomBits(0, "", 0), 0x512d815cfa0f12d7u);
  EXPECT_EQ(RandomBits(42, "trigger/im/0", 0), 0xcc61c50a022e9c50u);
  EXPECT_EQ(RandomBits(42, "trigger/im/0", 1), 0x336a95d000c5d56eu);
  EXPECT_EQ(RandomBits(UINT64_MAX, "restart/supernode/39/7", 1000000), 0x5743f508d904c813u);
}

TEST(RandomTest, AStreamReadsTheDrawsOfItsSiteInOrder) {
  RandomStream stream(7, "site");
  RandomStream later(7, "site", 3);
  for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(stream.Bits(), RandomBits(7, "site", i));
  EXPECT_EQ(stream.ordinal(), 3u);
  EXPECT_EQ(stream.Bits(), later.Bits());
}

TEST(RandomTest, SeedsSitesAndOrdinalsGiveDifferentDraws) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const char* site : {"a", "b", "ab", "ba", "a/0", "a/1"}) {
      for (uint64_t ordinal = 0; ordinal < 50; ++ordinal) seen.insert(RandomBits(seed, site, ordinal));
    }
  }
  EXPECT_EQ(seen.size(), 20u * 6 * 50);
}

double Correlation(RandomStream a, RandomStream b) {
  constexpr int kDraws = 20000;
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += (a.Uniform() - 0.5) * (b.Uniform() - 0.5);
  return 12 * sum / kDraws;
}

// The standard deviation of each is 1 / sqrt(20000) = 0.007.
TEST(RandomTest, NeighbouringSitesAndSeedsAreIndependent) {
  EXPECT_LT(std::abs(Correlation(RandomStream(1, "im/0"), RandomStream(1, "im/1"))), 0.035);
  EXPECT_LT(std::abs(Correlation(RandomStream(1, "im/0"), RandomStream(2, "im/0"))), 0.035);
  EXPECT_LT(std::abs(Correlation(RandomStream(1, "im/0"), RandomStream(1, "im/0", 1))), 0.035);
}

TEST(RandomTest, UniformFillsItsRangeEvenly) {
  RandomStream stream(3, "uniform");
  int tenths[10] = {};
  for (int i = 0; i < 20000; ++i) {
    const double value = stream.Uniform(-2, 2);
    ASSERT_GE(value, -2);
    ASSERT_LT(value, 2);
    ++tenths[static_cast<int>((value + 2) / 0.4)];
  }
  for (const int count : tenths) EXPECT_NEAR(count, 2000, 250);  // 6 sigma
}

// Of 3/4 of 2^64 values, a remainder alone would draw the lowest third in half of all cases.
TEST(RandomTest, BelowIsUnbiasedWhereARemainderIsNot) {
  const uint64_t third = uint64_t{1} << 62;
  RandomStream stream(4, "below");
  int low = 0;
  for (int i = 0; i < 9000; ++i) {
    const uint64_t value = stream.Below(3 * third);
    ASSERT_LT(value, 3 * third);
    if (value < third) ++low;
  }
  EXPECT_NEAR(low, 3000, 270);
}

TEST(RandomTest, BelowOneIsZero) { EXPECT_EQ(RandomStream(1, "x").Below(1), 0u); }

TEST(RandomTest, ChanceHasFixedEnds) {
  RandomStream stream(5, "chance");
  EXPECT_FALSE(stream.Chance(0));
  EXPECT_FALSE(stream.Chance(-1));
  EXPECT_FALSE(stream.Chance(std::nan("")));
  EXPECT_TRUE(stream.Chance(1));
  EXPECT_EQ(stream.ordinal(), 0u) << "no draw was needed";
  int hits = 0;
  for (int i = 0; i < 10000; ++i) hits += stream.Chance(0.3);
  EXPECT_NEAR(hits, 3000, 280);
}

TEST(RandomTest, ExponentialHasItsMean) {
  RandomStream stream(6, "exponential");
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value = stream.Exponential(5);
    ASSERT_GE(value, 0);
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
  }
  EXPECT_NEAR(sum / 20000, 5, 0.25);
}

TEST(RandomTest, ASampleHasDistinctPlacesAndEachIsAsLikely) {
  RandomStream stream(8, "sample");
  int drawn[10] = {};
  for (int i = 0; i < 5000; ++i) {
    const std::vector<size_t> places = stream.Sample(10, 3);
    ASSERT_EQ(std::set<size_t>(places.begin(), places.end()).size(), 3u);
    for (const size_t place : places) {
      ASSERT_LT(place, 10u);
      ++drawn[place];
    }
  }
  for (const int count : drawn) EXPECT_NEAR(count, 1500, 200);
}

TEST(RandomTest, ASampleOfAllIsAPermutationAndOfNoneIsEmpty) {
  RandomStream stream(9, "sample");
  std::vector<size_t> all = stream.Sample(5, 5);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<size_t>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(stream.Sample(5, 0).empty());
  EXPECT_TRUE(stream.Sample(0, 0).empty());
  EXPECT_EQ(stream.Sample(2, 9).size(), 2u);
}

}  // namespace
}  // namespace squall

#include "targets/skype/population.h"

#include <gtest/gtest.h>

namespace skype {
namespace {

struct Count {
  int buggy = 0, vulnerable = 0, odd = 0;
};
Count Of(const std::vector<Software>& software) {
  Count count;
  for (const Software& s : software) {
    count.buggy += s.buggy;
    count.vulnerable += s.vulnerable;
    count.odd += s.vulnerable && !s.buggy;
  }
  return count;
}

TEST(AssignSoftwareTest, SharesAreExactForEverySeed) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Count count = Of(AssignSoftware(1000, 0.5, 0.4, seed));
    EXPECT_EQ(count.buggy, 500);
    EXPECT_EQ(count.vulnerable, 200);
  }
}

TEST(AssignSoftwareTest, OnlyBuggyCopiesAreVulnerable) {
  for (uint64_t seed = 0; seed < 50; ++seed) EXPECT_EQ(Of(AssignSoftware(97, 0.3, 0.7, seed)).odd, 0);
}

TEST(AssignSoftwareTest, RoundsToTheNearestWhole) {
  EXPECT_EQ(Of(AssignSoftware(3, 0.5, 1, 1)).buggy, 2);    // 1.5
  EXPECT_EQ(Of(AssignSoftware(10, 0.04, 1, 1)).buggy, 0);  // 0.4
  EXPECT_EQ(Of(AssignSoftware(10, 1, 0.96, 1)).vulnerable, 10);
}

TEST(AssignSoftwareTest, TheEndsOfTheRange) {
  EXPECT_TRUE(AssignSoftware(0, 0.5, 0.4, 1).empty());
  EXPECT_EQ(Of(AssignSoftware(10, 0, 1, 1)).buggy, 0);
  EXPECT_EQ(Of(AssignSoftware(10, 1, 1, 1)).vulnerable, 10);
  EXPECT_EQ(Of(AssignSoftware(10, 1, 0, 1)).vulnerable, 0);
}

TEST(AssignSoftwareTest, TheSeedMovesThePlaces) {
  int moved = 0;
  const std::vector<Software> one = AssignSoftware(1000, 0.5, 0.4, 1), two = AssignSoftware(1000, 0.5, 0.4, 2);
  for (size_t i = 0; i < one.size(); ++i) moved += one[i].vulnerable != two[i].vulnerable;
  EXPECT_GT(moved, 200);
}

TEST(AssignSoftwareTest, VulnerableCopiesAreSpreadOverTheWholePopulation) {
  const std::vector<Software> software = AssignSoftware(1000, 0.5, 0.4, 1);
  for (int slice = 0; slice < 8; ++slice) {
    int vulnerable = 0;
    for (size_t i = slice; i < software.size(); i += 8) vulnerable += software[i].vulnerable;
    EXPECT_NEAR(vulnerable, 25, 15);
  }
}

}  // namespace
}  // namespace skype

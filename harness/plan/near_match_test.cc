#include "harness/plan/near_match.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

TEST(NearMatchTest, ATypoFindsTheNameThatWasMeant) {
  const std::vector<std::string> kinds = {"crash", "hang", "delay", "load_spike", "start", "drain"};
  EXPECT_EQ(NearMatch("dealy", kinds), "delay");
  EXPECT_EQ(NearMatch("Hang", kinds), "hang");
  EXPECT_EQ(NearMatch("load-spike", kinds), "load_spike");
  EXPECT_EQ(NearMatch("crsh", kinds), "crash");
  EXPECT_EQ(NearMatch("targetss", {"targets", "steps"}), "targets");
  EXPECT_EQ(NearMatch("param", {"params", "steps"}), "params");
}

TEST(NearMatchTest, WhatIsFarFromEveryNameFindsNone) {
  EXPECT_EQ(NearMatch("partition", {"crash", "hang", "delay"}), "");
  EXPECT_EQ(NearMatch("", {"crash"}), "");
  EXPECT_EQ(NearMatch("x", {}), "");
  EXPECT_EQ(NearMatch("b", {"a", "c"}), "");
  EXPECT_EQ(NearMatch(std::string(100'000, 'a'), {"a"}), "");
}

TEST(NearMatchTest, ASwapOfNeighboursCountsOnce) {
  EXPECT_EQ(EditDistance("dealy", "delay"), 1u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", "abc"), 0u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(NearMatchTest, AListNamesAtMostTwelve) {
  EXPECT_EQ(ListNames({}), "none");
  EXPECT_EQ(ListNames({"a"}), "`a`");
  EXPECT_EQ(ListNames({"a", "b", "c"}), "`a`, `b` and `c`");
  EXPECT_NE(ListNames(std::vector<std::string>(15, "x")).find("and 3 more"), std::string::npos);
}

}  // namespace
}  // namespace squall

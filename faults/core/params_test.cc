#include "faults/core/params.h"

#include <cmath>
#include <limits>

#include "faults/core/clock.h"
#include "faults/core/probability.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

google::protobuf::Duration D(int64_t seconds, int32_t nanos = 0) {
  google::protobuf::Duration duration;
  duration.set_seconds(seconds);
  duration.set_nanos(nanos);
  return duration;
}

TEST(CheckDurationTest, EndsOfTheRangeAreInside) {
  EXPECT_EQ(*CheckDuration("over", D(0), {0, 5 * kSecond}), 0);
  EXPECT_EQ(*CheckDuration("over", D(5), {0, 5 * kSecond}), 5 * kSecond);
  EXPECT_EQ(*CheckDuration("over", D(1, 500'000'000), {0, 5 * kSecond}), 1500 * kMillisecond);
  EXPECT_FALSE(CheckDuration("over", D(0), {.least = 0, .most = kSecond, .above = true}).ok());
  EXPECT_TRUE(CheckDuration("over", D(0, 1), {.least = 0, .most = kSecond, .above = true}).ok());
}

TEST(CheckDurationTest, TheErrorNamesFieldRangeAndValue) {
  EXPECT_EQ(CheckDuration("latency", D(-1), {.least = 0, .most = 3600 * kSecond, .above = true}).status().message(),
            "latency: must be in (0, 1h], is -1s");
  EXPECT_EQ(CheckDuration("over", D(5, 1), {0, 5 * kSecond}).status().message(),
            "over: must be in [0, 5s], is 5.000000001s");
}

TEST(CheckDurationTest, AbsurdValuesDoNotOverflow) {
  const int64_t limits[] = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const int64_t seconds : limits) EXPECT_FALSE(CheckDuration("x", D(seconds), {0, INT64_MAX}).ok() && seconds < 0);
  EXPECT_FALSE(CheckDuration("x", D(limits[0]), {0, 3600 * kSecond}).ok());
  EXPECT_FALSE(CheckDuration("x", D(1, -1), {0, 5 * kSecond}).ok());
  EXPECT_FALSE(CheckDuration("x", D(0, 1'000'000'000), {0, 5 * kSecond}).ok());
}

TEST(NearMatchTest, FindsTheWordThatWasMeant) {
  const std::vector<std::string> kinds = {"crash", "hang", "delay"};
  EXPECT_EQ(NearMatch("dealy", kinds), "delay");
  EXPECT_EQ(NearMatch("delays", kinds), "delay");
  EXPECT_EQ(NearMatch("hnag", kinds), "hang");
  EXPECT_EQ(NearMatch("teleport", kinds), "");
  EXPECT_EQ(NearMatch("", kinds), "");
}

TEST(ProbabilityTest, OnlySharesFromNoneToAllAreProbabilities) {
  EXPECT_TRUE(Probability::Of(0.0).ok());
  EXPECT_TRUE(Probability::Of(1.0).ok());
  EXPECT_FALSE(Probability::Of(1.0001).ok());
  EXPECT_FALSE(Probability::Of(-0.1).ok());
  EXPECT_FALSE(Probability::Of(std::nan("")).ok());
  EXPECT_EQ(Probability::Of(1.5).status().message(), "must be from 0 % to 100 %, is 150 %");
}

TEST(ProbabilityTest, SharesRoundToTheNearestHalvesUpAsDecimals) {
  EXPECT_EQ(Probability::Of(0.5)->Share(1), 1u);
  EXPECT_EQ(Probability::Of(0.49)->Share(1), 0u);
  EXPECT_EQ(Probability::Of(0.29)->Share(50), 15u) << "14.5, though 0.29 * 50 is 14.499999999999998";
  EXPECT_EQ(Probability::Of(1.0)->Share(7), 7u);
  EXPECT_EQ(Probability::Of(0.99)->Share(0), 0u);
}

}  // namespace
}  // namespace squall

#include "targets/skype/bucket.h"

#include <gtest/gtest.h>

namespace skype {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(LeakyBucketTest, SteadyWorkBelowTheRateNeverFillsIt) {
  LeakyBucket bucket(/*rate=*/15, /*depth=*/60);
  for (int64_t t = 0; t < 600; ++t) bucket.Add(t * kSecond / 10, 1.4);  // 14 per second
  EXPECT_LT(bucket.Level(60 * kSecond), 2);
  EXPECT_FALSE(bucket.Over(60 * kSecond));
}

TEST(LeakyBucketTest, ABurstMayReachTheDepthButNotPassIt) {
  LeakyBucket bucket(15, 60);
  bucket.Add(kSecond, 60);
  EXPECT_FALSE(bucket.Over(kSecond));
  bucket.Add(kSecond, 0.5);
  EXPECT_TRUE(bucket.Over(kSecond));
}

TEST(LeakyBucketTest, TheLevelDrainsAtTheRateAndStopsAtZero) {
  LeakyBucket bucket(15, 60);
  bucket.Add(0, 60);
  EXPECT_DOUBLE_EQ(bucket.Level(2 * kSecond), 30);
  EXPECT_DOUBLE_EQ(bucket.Level(4 * kSecond), 0);
  EXPECT_DOUBLE_EQ(bucket.Level(400 * kSecond), 0);
}

TEST(LeakyBucketTest, WorkAboveTheRateFillsItInTheTimeTheDifferenceNeeds) {
  LeakyBucket bucket(15, 60);
  int64_t t = 0;
  for (; !bucket.Over(t); t += kSecond / 100) bucket.Add(t, 0.45);  // 45 per second: 30 too many
  EXPECT_NEAR(static_cast<double>(t) / kSecond, 2.0, 0.05);
}

TEST(LeakyBucketTest, AClockThatStepsBackAddsNothing) {
  LeakyBucket bucket(15, 60);
  bucket.Add(10 * kSecond, 30);
  bucket.Add(5 * kSecond, 1);
  EXPECT_DOUBLE_EQ(bucket.Level(10 * kSecond), 31);
}

TEST(LeakyBucketTest, EmptyForgetsTheLoad) {
  LeakyBucket bucket(15, 60);
  bucket.Add(kSecond, 100);
  bucket.Empty();
  EXPECT_FALSE(bucket.Over(kSecond));
}

}  // namespace
}  // namespace skype

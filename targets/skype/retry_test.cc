#include "targets/skype/retry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace skype {
namespace {

struct Range {
  double low, high, mean;
};
Range Of(const std::function<double()>& draw) {
  Range range{1e9, -1e9, 0};
  for (int i = 0; i < 20000; ++i) {
    const double value = draw();
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
    range.mean += value / 20000;
  }
  return range;
}

TEST(RetryTest, FixedStaysWithinTenPercentHoweverOftenItFailed) {
  const Retry retry({.interval_s = 0.5});
  Rng rng(1);
  const Range range = Of([&, n = 0]() mutable { return retry.After(++n, rng); });
  EXPECT_GE(range.low, 0.45);
  EXPECT_LE(range.high, 0.55);
  EXPECT_NEAR(range.mean, 0.5, 0.005);
}

TEST(RetryTest, BackOffDoublesFromFailureToFailureUpToTheCap) {
  const Retry retry({.backoff = true, .base_s = 1, .cap_s = 32});
  Rng rng(1);
  for (int failures = 1; failures <= 12; ++failures) {
    const double limit = std::min(32.0, static_cast<double>(1 << failures));
    const Range range = Of([&] { return retry.After(failures, rng); });
    EXPECT_GE(range.low, 0);
    EXPECT_LE(range.high, limit);
    EXPECT_NEAR(range.mean, limit / 2, limit / 50) << failures;
  }
}

TEST(RetryTest, BackOffSurvivesAnyNumberOfFailures) {
  const Retry retry({.backoff = true, .cap_s = 32});
  Rng rng(1);
  for (const int failures : {0, 64, 2000, 2147483647}) EXPECT_LE(retry.After(failures, rng), 32);
}

TEST(RetryTest, OrphansNoticeWithinTheDetectionTime) {
  const Retry retry({.detect_s = 8});
  Rng rng(1);
  const Range range = Of([&] { return retry.First(Offline::kOrphaned, rng); });
  EXPECT_GE(range.low, 0);
  EXPECT_LE(range.high, 8);
  EXPECT_NEAR(range.mean, 4, 0.1);
}

TEST(RetryTest, CrashedClientsNeedTimeToStart) {
  const Retry retry({.restart_s = 0.5, .restart_mean_s = 5});
  Rng rng(1);
  const Range range = Of([&] { return retry.First(Offline::kCrashed, rng); });
  EXPECT_GE(range.low, 0.5);
  EXPECT_NEAR(range.mean, 5.5, 0.2);
}

TEST(RetryTest, JitterSpreadsTheFirstAttemptOnly) {
  const Retry retry({.first_jitter_s = 30, .detect_s = 8});
  Rng rng(1);
  const Range first = Of([&] { return retry.First(Offline::kOrphaned, rng); });
  EXPECT_GT(first.high, 30);
  EXPECT_NEAR(first.mean, 19, 0.5);
  EXPECT_LE(Of([&] { return retry.After(1, rng); }).high, 0.55);
}

TEST(RngTest, EachStreamRepeatsAndDiffersFromTheOthers) {
  EXPECT_EQ(Rng(1, 2).Bits(), Rng(1, 2).Bits());
  EXPECT_NE(Rng(1, 2).Bits(), Rng(1, 3).Bits());
  EXPECT_NE(Rng(1, 2).Bits(), Rng(2, 2).Bits());
}

TEST(RngTest, ShuffleFrontPicksEveryValueEquallyOften) {
  Rng rng(3);
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<int> seen(10);
  for (int i = 0; i < 20000; ++i) {
    rng.ShuffleFront(values, 3);
    for (int j = 0; j < 3; ++j) ++seen[values[j]];
  }
  for (const int count : seen) EXPECT_NEAR(count, 6000, 400);
}

}  // namespace
}  // namespace skype

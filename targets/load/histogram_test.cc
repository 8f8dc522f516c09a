#include "targets/load/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "faults/core/random.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

int64_t NearestRank(std::vector<int64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values[std::max<size_t>(rank, 1) - 1];
}

TEST(HistogramTest, AnEmptyOneAnswersZero) {
  EXPECT_EQ(Histogram().Quantile(0.5), 0);
  EXPECT_EQ(Histogram().count(), 0);
}

TEST(HistogramTest, SmallValuesAreExactAndRanksAreNearest) {
  Histogram histogram;
  for (int64_t v = 1; v <= 4; ++v) histogram.Add(v);
  EXPECT_EQ(histogram.Quantile(0), 1);
  EXPECT_EQ(histogram.Quantile(0.25), 1);
  EXPECT_EQ(histogram.Quantile(0.26), 2);
  EXPECT_EQ(histogram.Quantile(0.5), 2);
  EXPECT_EQ(histogram.Quantile(0.51), 3);
  EXPECT_EQ(histogram.Quantile(1), 4);
}

TEST(HistogramTest, EveryValueIsWithinTheStatedError) {
  for (int bits = 0; bits < Histogram::kMaxBits; ++bits) {
    for (int64_t value :
         {int64_t{1} << bits, (int64_t{1} << bits) + (int64_t{1} << bits) / 3, (int64_t{2} << bits) - 1}) {
      Histogram histogram;
      histogram.Add(value);
      const double error = std::abs(static_cast<double>(histogram.Quantile(0.5) - value));
      EXPECT_LE(error, static_cast<double>(value) * Histogram::kRelativeError) << value;
      if (value < 256) {
        EXPECT_EQ(error, 0) << value;
      }
    }
  }
}

TEST(HistogramTest, QuantilesOfManyValuesAreWithinTheStatedError) {
  RandomStream stream(1, "histogram");
  std::vector<int64_t> values;
  Histogram histogram;
  for (int i = 0; i < 10'000; ++i) {
    values.push_back(static_cast<int64_t>(stream.Exponential(3e6)));
    histogram.Add(values.back());
  }
  for (double q : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = static_cast<double>(NearestRank(values, q));
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(q)), exact, exact * Histogram::kRelativeError + 1) << q;
  }
}

TEST(HistogramTest, SubtractTakesBackWhatMergeGave) {
  Histogram all, first, second;
  for (int i = 0; i < 100; ++i) first.Add(1'000);
  for (int i = 0; i < 100; ++i) second.Add(5'000'000);
  all.Merge(first);
  all.Merge(second);
  EXPECT_EQ(all.count(), 200);
  EXPECT_NEAR(static_cast<double>(all.Quantile(0.5)), 1'000, 4);
  all.Subtract(first);
  EXPECT_EQ(all.count(), 100);
  EXPECT_EQ(all.Quantile(0), second.Quantile(0));
  all.Subtract(first);  // more than there is: stays at nothing, never wraps
  EXPECT_EQ(all.count(), 100);
}

TEST(HistogramTest, ValuesOutOfRangeAreCutNotLost) {
  Histogram histogram;
  histogram.Add(-5);
  histogram.Add(INT64_MAX);
  EXPECT_EQ(histogram.count(), 2);
  EXPECT_EQ(histogram.Quantile(0), 0);
  EXPECT_GE(histogram.Quantile(1), (int64_t{1} << 42) - (int64_t{1} << 35));
}

}  // namespace
}  // namespace squall

#include "targets/load/curve.h"

#include <cstdint>
#include <vector>

#include "faults/core/clock.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

constexpr int64_t kStart = 1'000 * kSecond;

host::v1::StartLoad Load(double rate, const std::vector<std::vector<double>>& stages = {}) {
  host::v1::StartLoad load;
  load.set_rate(rate);
  for (const auto& stage : stages) {
    auto* added = load.add_stages();
    added->set_to(stage[0]);
    added->set_over_ns(static_cast<int64_t>(stage[1] * kSecond));
    added->set_hold_ns(static_cast<int64_t>(stage[2] * kSecond));
  }
  return load;
}

// Requests a second, as the driver would schedule them: the k-th is due when k + 1/2 are expected.
std::vector<int> PerSecond(const RateCurve& curve, int seconds) {
  std::vector<int> counts(seconds, 0);
  int64_t at = curve.Reach(kStart, 0.5);
  while (at < kStart + seconds * kSecond) {
    ++counts[(at - kStart) / kSecond];
    at = curve.Reach(at, 1);
  }
  return counts;
}

int Sum(const std::vector<int>& counts) {
  int sum = 0;
  for (int count : counts) sum += count;
  return sum;
}

TEST(RateCurveTest, AConstantRateIsEvenlySpaced) {
  const RateCurve curve(Load(50), kStart);
  EXPECT_EQ(curve.Reach(kStart, 0.5), kStart + 10 * kMillisecond);
  EXPECT_EQ(curve.Reach(kStart, 1.5), kStart + 30 * kMillisecond);
  EXPECT_EQ(PerSecond(curve, 5), std::vector<int>({50, 50, 50, 50, 50}));
}

TEST(RateCurveTest, ARampIsTheAreaUnderItsRate) {
  const RateCurve curve(Load(0, {{100, 10, 10}, {0, 10, 0}}), kStart);
  EXPECT_NEAR(curve.Expected(kStart, kStart + 10 * kSecond), 500, 0.01);
  EXPECT_NEAR(curve.Expected(kStart, kStart + 20 * kSecond), 1500, 0.01);
  EXPECT_NEAR(curve.Expected(kStart, kStart + 40 * kSecond), 2000, 0.01);
  const std::vector<int> counts = PerSecond(curve, 35);
  for (int s = 0; s < 10; ++s) EXPECT_NEAR(counts[s], 5 + 10 * s, 1) << s;
  for (int s = 10; s < 20; ++s) EXPECT_NEAR(counts[s], 100, 1) << s;
  for (int s = 20; s < 30; ++s) EXPECT_NEAR(counts[s], 95 - 10 * (s - 20), 1) << s;
  EXPECT_EQ(Sum(counts), 2000);
}

TEST(RateCurveTest, RampsAndStepsMayStartAnywhere) {
  EXPECT_NEAR(RateCurve(Load(10, {{30, 4, 0}}), kStart).Expected(kStart, kStart + 4 * kSecond), 80, 0.01);
  const RateCurve step(Load(0, {{50, 0, 2}, {0, 0, 0}}), kStart);
  EXPECT_EQ(PerSecond(step, 4), std::vector<int>({50, 50, 0, 0}));
}

TEST(RateCurveTest, TheLastRateStays) {
  const RateCurve curve(Load(1, {{20, 1, 0}}), kStart);
  EXPECT_DOUBLE_EQ(curve.Base(kStart + 100 * kSecond), 20);
  EXPECT_NEAR(curve.Expected(kStart + 100 * kSecond, kStart + 101 * kSecond), 20, 1e-6);
}

TEST(RateCurveTest, NothingIsDueBeforeTheStart) {
  const RateCurve curve(Load(100), kStart);
  EXPECT_EQ(curve.Expected(kStart - 5 * kSecond, kStart), 0);
  EXPECT_EQ(curve.Reach(kStart - 5 * kSecond, 1), kStart + 10 * kMillisecond);
}

TEST(RateCurveTest, ARateOfZeroIsNeverReached) {
  EXPECT_EQ(RateCurve(Load(0), kStart).Reach(kStart, 0.5), kNever);
  EXPECT_EQ(RateCurve().Reach(kStart, 0.5), kNever);
  EXPECT_EQ(RateCurve(Load(10, {{0, 1, 0}}), kStart).Reach(kStart, 6), kNever);  // the ramp down holds 5
}

TEST(RateCurveTest, ASpikeMultipliesAndEnds) {
  RateCurve curve(Load(100), kStart);
  curve.Multiply({.from = kStart + kSecond, .ramp_ns = 0, .multiplier = 3, .until = kStart + 3 * kSecond});
  EXPECT_EQ(PerSecond(curve, 5), std::vector<int>({100, 300, 300, 100, 100}));
  EXPECT_NEAR(curve.ExpectedBase(kStart, kStart + 5 * kSecond), 500, 1e-3);
}

TEST(RateCurveTest, ASpikeRampsLinearlyFromOne) {
  RateCurve curve(Load(100), kStart);
  curve.Multiply({.from = kStart, .ramp_ns = 4 * kSecond, .multiplier = 9, .until = kStart + 6 * kSecond});
  EXPECT_DOUBLE_EQ(curve.Multiplier(kStart + 2 * kSecond), 5);
  EXPECT_NEAR(curve.Expected(kStart, kStart + 4 * kSecond), 2000, 0.01);  // mean multiplier 5
  EXPECT_NEAR(curve.Expected(kStart + 4 * kSecond, kStart + 6 * kSecond), 1800, 0.01);
  EXPECT_DOUBLE_EQ(curve.Multiplier(kStart + 6 * kSecond), 1);
}

TEST(RateCurveTest, ARampOfTheLoadUnderARampOfTheSpikeIsExact) {
  RateCurve curve(Load(0, {{100, 10, 0}}), kStart);
  curve.Multiply({.from = kStart, .ramp_ns = 10 * kSecond, .multiplier = 11, .until = kStart + 10 * kSecond});
  // Integral of 10 t (1 + t) over [0, 10] = 500 + 10000 / 3.
  EXPECT_NEAR(curve.Expected(kStart, kStart + 10 * kSecond), 500 + 10'000.0 / 3, 0.01);
}

TEST(RateCurveTest, ASpikeThatIsEndedEarlyLeavesTheBaseRate) {
  RateCurve curve(Load(100), kStart);
  curve.Multiply({.from = kStart, .ramp_ns = 10 * kSecond, .multiplier = 11, .until = kStart + 60 * kSecond});
  curve.EndSpike(kStart + 5 * kSecond);
  EXPECT_NEAR(curve.Expected(kStart, kStart + 5 * kSecond), 1750, 0.01);  // mean multiplier 3.5
  EXPECT_NEAR(curve.Expected(kStart + 5 * kSecond, kStart + 6 * kSecond), 100, 1e-3);
}

}  // namespace
}  // namespace squall

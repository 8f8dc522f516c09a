#include "harness/invariants/chart.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

constexpr int64_t kS = 1'000'000'000;

plan::v1::Plan Plan() {
  plan::v1::Plan plan;
  plan.add_targets()->mutable_metrics();
  auto* signal = plan.add_signals();
  signal->set_name("pool");
  signal->set_expr("sum(in_role) / 2");
  return plan;
}

TEST(ChartTest, ShowsASignalOnAGrid) {
  SignalStore store;
  store.AddGauge("in_role", {{"index", "0"}}, 10 * kS, 1, kS);
  store.AddGauge("in_role", {{"index", "1"}}, 11 * kS, 1, kS);
  store.AddGauge("in_role", {{"index", "0"}}, 12 * kS, 0, kS);
  const auto points = EvaluateChart(Plan(), store, "pool", 10 * kS, 10 * kS, 16 * kS, kS);
  ASSERT_TRUE(points.ok()) << points.status();
  ASSERT_EQ(points->size(), 7);
  EXPECT_EQ((*points)[0].lo, 0.5);
  EXPECT_EQ((*points)[1].lo, 1);
  EXPECT_EQ((*points)[2].lo, 0.5);
  EXPECT_TRUE((*points)[3].known());
  EXPECT_FALSE((*points)[4].known());  // the one with index 1 is stale
  EXPECT_EQ((*points)[3].t_ns, 13 * kS);
}

TEST(ChartTest, BadRequestsAreRefused) {
  SignalStore store;
  EXPECT_FALSE(EvaluateChart(Plan(), store, "pool +", 0, 0, kS, kS).ok());
  EXPECT_FALSE(EvaluateChart(Plan(), store, "sum(pool)", 0, 0, kS, kS).ok());
  EXPECT_FALSE(EvaluateChart(Plan(), store, "pool", 0, 0, kS, 0).ok());
  const auto many = EvaluateChart(Plan(), store, "pool", 0, 0, 10'000 * kS, 1'000'000);
  ASSERT_TRUE(many.ok());
  EXPECT_LE(many->size(), 100'001);
}

}  // namespace
}  // namespace squall

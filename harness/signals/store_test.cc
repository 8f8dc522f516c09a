#include "harness/signals/store.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using agent::v1::Batch;
using agent::v1::SeriesDef;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kS = 1'000'000'000;

SeriesDef* Define(Batch* batch, uint32_t id, const std::string& metric, SeriesDef::Kind kind,
                  const Labels& labels = {}) {
  SeriesDef* def = batch->add_defs();
  def->set_id(id);
  def->set_metric(metric);
  def->set_kind(kind);
  for (const auto& [name, value] : labels) (*def->mutable_labels())[name] = value;
  return def;
}

void Point(Batch* batch, uint32_t id, int64_t t_ns, double value, bool ended = false) {
  auto* point = batch->add_points();
  point->set_series(id);
  point->set_t_ns(t_ns);
  point->set_value(value);
  point->set_ended(ended);
}

std::vector<double> Values(const Series& series) {
  std::vector<double> values;
  for (const Sample& sample : series.samples) values.push_back(sample.value);
  return values;
}

TEST(SignalStoreTest, IdsBelongToTheAgentThatDefinedThem) {
  SignalStore store;
  Batch one, two;
  Define(&one, 1, "pool", SeriesDef::GAUGE, {{"agent", "a"}});
  Point(&one, 1, kS, 7);
  Define(&two, 1, "pool", SeriesDef::GAUGE, {{"agent", "b"}});
  Point(&two, 1, kS, 9);
  store.Apply("a", one);
  store.Apply("b", two);
  ASSERT_THAT(store.Find("pool"), SizeIs(2));
  EXPECT_THAT(Values(*store.Find("pool")[0]), ElementsAre(7));
  EXPECT_THAT(Values(*store.Find("pool")[1]), ElementsAre(9));
}

TEST(SignalStoreTest, PointsWithinABatchMayComeInAnyOrder) {
  SignalStore store;
  Batch batch;
  Define(&batch, 1, "pool", SeriesDef::GAUGE);
  for (int64_t t : {5, 2, 4, 1, 3}) Point(&batch, 1, t * kS, t);
  store.Apply("a", batch);
  EXPECT_THAT(Values(*store.Find("pool")[0]), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(store.Find("pool")[0]->born_ns, kS);
}

TEST(SignalStoreTest, OfEqualTimesTheLaterSentComesLast) {
  SignalStore store;
  Batch batch;
  Define(&batch, 1, "up", SeriesDef::GAUGE);
  Point(&batch, 1, kS, 0, true);
  Point(&batch, 1, kS, 0);
  store.Apply("a", batch);
  EXPECT_FALSE(store.Find("up")[0]->samples.back().ended);
}

TEST(SignalStoreTest, APointBehindTheWatermarkIsDroppedAndCounted) {
  SignalStore store;
  Batch first, second;
  Define(&first, 1, "pool", SeriesDef::GAUGE);
  first.set_watermark_ns(5 * kS);
  Point(&second, 1, 5 * kS, 1);
  Point(&second, 1, 5 * kS + 1, 2);
  store.Apply("a", first);
  store.Apply("a", second);
  EXPECT_THAT(Values(*store.Find("pool")[0]), ElementsAre(2));
  EXPECT_EQ(store.losses().late, 1);
  EXPECT_EQ(store.losses().Describe(), "1 points came too late");
}

TEST(SignalStoreTest, TheWatermarkIsTheLeastOfTheLiveAgents) {
  SignalStore store;
  EXPECT_EQ(store.watermark(), kForever);
  store.AddAgent("slow");
  Batch batch;
  batch.set_watermark_ns(7 * kS);
  store.Apply("fast", batch);
  EXPECT_LT(store.watermark(), 0);
  batch.set_watermark_ns(3 * kS);
  store.Apply("slow", batch);
  EXPECT_EQ(store.watermark(), 3 * kS);
  store.AgentLost("slow");
  EXPECT_EQ(store.watermark(), 7 * kS);
}

TEST(SignalStoreTest, WhatAnAgentDroppedOrCouldNotSendIsAHole) {
  SignalStore store;
  Batch batch;
  batch.set_watermark_ns(1 * kS);
  store.Apply("a", batch);
  batch.set_watermark_ns(2 * kS);
  batch.set_dropped(4);
  store.Apply("a", batch);
  EXPECT_TRUE(store.HasHole(1 * kS, 2 * kS));
  EXPECT_FALSE(store.HasHole(2 * kS, 9 * kS));
  EXPECT_FALSE(store.HasHole(0, 1 * kS));
  store.AgentLost("a");
  EXPECT_TRUE(store.HasHole(8 * kS, 9 * kS));
  batch.set_watermark_ns(5 * kS);
  batch.set_dropped(0);
  store.Apply("a", batch);  // back again
  EXPECT_TRUE(store.HasHole(4 * kS, 5 * kS));
  EXPECT_FALSE(store.HasHole(5 * kS, 9 * kS));
}

TEST(SignalStoreTest, TheReturnOfOneLostAgentLeavesTheHoleOfTheOther) {
  SignalStore store;
  Batch batch;
  batch.set_watermark_ns(kS);
  store.Apply("a", batch);
  store.Apply("b", batch);
  store.AgentLost("a");
  store.AgentLost("b");
  batch.set_watermark_ns(3 * kS);
  store.Apply("a", batch);
  EXPECT_TRUE(store.HasHole(8 * kS, 9 * kS));
}

TEST(SignalStoreTest, ANewIncarnationEndsTheOlderOne) {
  SignalStore store;
  store.AddGauge("up", {{"target", "s/0"}, {"incarnation", "1"}}, 1 * kS, 1);
  store.AddGauge("up", {{"target", "s/1"}, {"incarnation", "1"}}, 1 * kS, 1);
  store.AddGauge("up", {{"target", "s/0"}, {"incarnation", "2"}}, 3 * kS, 1);
  const auto series = store.Find("up");
  ASSERT_THAT(series, SizeIs(3));
  EXPECT_TRUE(series[0]->samples.back().ended);
  EXPECT_EQ(series[0]->samples.back().t_ns, 3 * kS);
  EXPECT_FALSE(series[1]->samples.back().ended);
  EXPECT_FALSE(series[2]->samples.back().ended);
}

TEST(SignalStoreTest, RestartsAreOneSeriesOverAllIncarnations) {
  SignalStore store;
  store.AddCounter("restarts_total", {{"target", "s/0"}, {"incarnation", "1"}}, 1 * kS, 0);
  store.AddCounter("restarts_total", {{"target", "s/0"}, {"incarnation", "2"}}, 2 * kS, 1);
  ASSERT_THAT(store.Find("restarts_total"), SizeIs(1));
  EXPECT_THAT(Values(*store.Find("restarts_total")[0]), ElementsAre(0, 1));
}

TEST(SignalStoreTest, AnotherKindOfTheSameMetricIsRefused) {
  SignalStore store;
  store.AddGauge("x", {}, kS, 1);
  store.AddCounter("x", {{"a", "b"}}, kS, 1);
  EXPECT_THAT(store.Find("x"), SizeIs(1));
  EXPECT_EQ(store.losses().refused_series, 1);
}

TEST(SignalStoreTest, PointsOfUnknownIdsAreCounted) {
  SignalStore store;
  Batch batch;
  Point(&batch, 77, kS, 1);
  store.Apply("a", batch);
  EXPECT_EQ(store.losses().refused_points, 1);
  EXPECT_THAT(store.Metrics(), IsEmpty());
}

TEST(SignalStoreTest, BeyondTheLimitNewSeriesAreRefusedAndCounted) {
  SignalStore store({.series = 2});
  for (int i = 0; i < 5; ++i) store.AddGauge("g", {{"i", std::to_string(i)}}, kS, i);
  EXPECT_EQ(store.series_count(), 2);
  EXPECT_EQ(store.losses().refused_series, 3);
}

TEST(SignalStoreTest, MemoryIsBoundedByThinningTheOlderPart) {
  SignalStore store({.series = 10, .points = 1000});
  for (int i = 0; i < 50'000; ++i) store.AddGauge("g", {}, i * kS, i);
  const Series& series = *store.Find("g")[0];
  EXPECT_LE(series.samples.size(), 1000);
  EXPECT_EQ(store.point_count(), series.samples.size());
  EXPECT_EQ(store.losses().thinned + series.samples.size(), 50'000);
  EXPECT_EQ(series.samples.front().value, 0);
  for (int i = 0; i < 400; ++i) {  // the newer part is whole
    EXPECT_EQ(series.samples[series.samples.size() - 1 - i].value, 49'999 - i);
  }
}

TEST(SignalStoreTest, WhatTheWatermarkHasNotPassedIsNotThinned) {
  SignalStore store({.series = 10, .points = 1000});
  store.AddAgent("a");
  for (int i = 0; i < 5000; ++i) store.AddGauge("g", {}, i * kS, i);
  EXPECT_THAT(store.Find("g")[0]->samples, SizeIs(5000));
  EXPECT_EQ(store.losses().thinned, 0);
}

TEST(SignalStoreTest, StalenessIsThreePeriods) {
  SignalStore store;
  store.AddGauge("known", {}, kS, 1, 250'000'000);
  store.AddGauge("unknown", {}, kS, 1);
  EXPECT_EQ(store.Find("known")[0]->stale_ns, 750'000'000);
  EXPECT_EQ(store.Find("unknown")[0]->stale_ns, kDefaultStaleNs);
}

}  // namespace
}  // namespace squall

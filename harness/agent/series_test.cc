#include "harness/agent/series.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

TEST(SeriesBook, DefinesASeriesOnceAndBeforeItsPoints) {
  SeriesBook book("a", 100);
  book.Gauge("up", {{"role", "server"}}, 10, 1, 5);
  agent::v1::Batch first = book.Take(20);
  ASSERT_EQ(first.defs_size(), 1);
  EXPECT_EQ(first.defs(0).metric(), "up");
  EXPECT_EQ(first.defs(0).labels().at("agent"), "a");
  EXPECT_EQ(first.defs(0).period_ns(), 5);
  EXPECT_EQ(first.points_size(), 1);
  book.Gauge("up", {{"role", "server"}}, 30, 0);
  agent::v1::Batch second = book.Take(40);
  EXPECT_EQ(second.defs_size(), 0);
  EXPECT_EQ(second.points(0).series(), first.points(0).series());
  EXPECT_EQ(second.seq(), first.seq() + 1);
}

TEST(SeriesBook, KeepsWhatIsLaterThanTheWatermark) {
  SeriesBook book("a", 100);
  book.Event("exits", {}, 10);
  book.Event("exits", {}, 30);
  EXPECT_EQ(book.Take(20).points_size(), 1);
  EXPECT_EQ(book.Take(30).points_size(), 1);
  EXPECT_EQ(book.Take(40).points_size(), 0);
}

TEST(SeriesBook, PutsLatecomersBehindTheWatermark) {
  SeriesBook book("a", 100);
  (void)book.Take(20);
  book.Event("exits", {}, 10);
  EXPECT_EQ(book.Take(30).points(0).t_ns(), 21);
}

TEST(SeriesBook, CountsWhatItHadToDrop) {
  SeriesBook book("a", 3);
  for (int i = 0; i < 5; ++i) book.Event("exits", {}, i);
  const agent::v1::Batch batch = book.Take(100);
  EXPECT_EQ(batch.points_size(), 3);
  EXPECT_EQ(batch.dropped(), 2u);
  EXPECT_EQ(batch.points(0).t_ns(), 2);  // the oldest went
  EXPECT_EQ(book.Take(100).dropped(), 0u);
}

TEST(SeriesBook, EndsTheSeriesOfOneTargetOnly) {
  SeriesBook book("a", 100);
  book.Gauge("rss", {{"target", "s/0"}}, 1, 5);
  book.Gauge("rss", {{"target", "s/1"}}, 1, 5);
  book.End({{"target", "s/0"}}, 2);
  const agent::v1::Batch batch = book.Take(10);
  int ended = 0;
  for (const auto& point : batch.points()) ended += point.ended();
  EXPECT_EQ(ended, 1);
  book.End({{"target", "s/0"}}, 3);
  EXPECT_EQ(book.Take(10).points_size(), 0);  // over already
}

TEST(SeriesBook, DefinesEverythingAgainForANewSession) {
  SeriesBook book("a", 100);
  book.Gauge("up", {}, 1, 1);
  (void)book.Take(1);
  book.ForgetDefinitions();
  book.Gauge("up", {}, 2, 1);
  const agent::v1::Batch batch = book.Take(2);
  EXPECT_EQ(batch.defs_size(), 1);
  EXPECT_EQ(batch.seq(), 1u);
}

}  // namespace
}  // namespace squall

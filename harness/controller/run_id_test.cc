#include "harness/controller/run_id.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

TEST(RunId, IsAnUlid) {
  // The example of the specification's time part: 1469918176385 ms is 01ARYZ6S41.
  EXPECT_EQ(MakeRunId(1469918176385, 0, 0), "01ARYZ6S410000000000000000");
  EXPECT_EQ(MakeRunId(0, ~0ull, ~0ull), "0000000000ZZZZZZZZZZZZZZZZ");
}

TEST(RunId, SortsByTime) { EXPECT_LT(MakeRunId(1'000, ~0ull, ~0ull), MakeRunId(1'001, 0, 0)); }

TEST(WallClock, IsRfc3339) { EXPECT_EQ(FormatWallClock(1293008400000), "2010-12-22T09:00:00Z"); }

}  // namespace
}  // namespace squall

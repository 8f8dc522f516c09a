#include "faults/core/clock.h"

#include <time.h>

#include "gtest/gtest.h"

namespace squall {
namespace {

TEST(SimulatedClockTest, StandsStillUntilMoved) {
  SimulatedClock clock;
  EXPECT_EQ(clock.Now(), kSecond) << "0 means never";
  EXPECT_EQ(clock.Now(), kSecond);
  clock.Advance(250 * kMillisecond);
  EXPECT_EQ(clock.Now(), kSecond + 250 * kMillisecond);
  clock.Set(7);
  EXPECT_EQ(clock.Now(), 7);
}

TEST(RealClockTest, IsBootTimeAndNeverGoesBack) {
  RealClock clock;
  timespec before{};
  clock_gettime(CLOCK_BOOTTIME, &before);
  int64_t last = before.tv_sec * kSecond + before.tv_nsec;
  for (int i = 0; i < 1000; ++i) {
    const int64_t now = clock.Now();
    ASSERT_GE(now, last);
    last = now;
  }
  timespec after{};
  clock_gettime(CLOCK_BOOTTIME, &after);
  EXPECT_LE(last, after.tv_sec * kSecond + after.tv_nsec);
}

}  // namespace
}  // namespace squall

#include "harness/plan/scalars.h"

#include <string>

#include "gtest/gtest.h"

namespace squall {
namespace {

constexpr int64_t kS = 1'000'000'000;

TEST(ScalarsTest, DurationsAddUpTheirUnits) {
  EXPECT_EQ(*ParseDuration("500ms"), kS / 2);
  EXPECT_EQ(*ParseDuration("1m30s"), 90 * kS);
  EXPECT_EQ(*ParseDuration("2h"), 7200 * kS);
  EXPECT_EQ(*ParseDuration("1.5s"), 3 * kS / 2);
  EXPECT_EQ(*ParseDuration("250us"), 250'000);
  EXPECT_EQ(*ParseDuration("7ns"), 7);
  EXPECT_EQ(*ParseDuration("0"), 0);
  EXPECT_EQ(*ParseDuration("0s"), 0);
}

TEST(ScalarsTest, WhatIsNoDurationIsRefused) {
  for (const char* text : {"", "5", "-5s", "s", "5 s", "5sec", "1s1s", "1s1m", "1..5s", ".s", "1e3s", "5S", "nan",
                           "infs", "999999999999999999999h", "9000h", "5s ", "+5s"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
  EXPECT_NE(std::string(ParseDuration("5").status().message()).find("unit"), std::string::npos);
}

TEST(ScalarsTest, SharesAreDecimalOrPercent) {
  EXPECT_DOUBLE_EQ(*ParseRatio("40%"), 0.4);
  EXPECT_DOUBLE_EQ(*ParseRatio("0.4"), 0.4);
  EXPECT_DOUBLE_EQ(*ParseRatio("100%"), 1);
  EXPECT_DOUBLE_EQ(*ParseRatio("1"), 1);
  EXPECT_DOUBLE_EQ(*ParseRatio("0%"), 0);
  for (const char* text : {"", "%", "40", "140%", "-1%", "40 %", "nan", "inf", "1e-1", "4O%", "40%%"}) {
    EXPECT_FALSE(ParseRatio(text).ok()) << text;
  }
}

TEST(ScalarsTest, SizesAndRatesHaveUnits) {
  EXPECT_EQ(*ParseBytes("64KiB"), 65536u);
  EXPECT_EQ(*ParseBytes("1MB"), 1'000'000u);
  EXPECT_EQ(*ParseBytes("512"), 512u);
  EXPECT_EQ(*ParseBytes("1.5KiB"), 1536u);
  for (const char* text : {"", "64 kib", "1.5B", "-1", "1e9", "99999999GiB", "KiB"}) {
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
  }
  EXPECT_DOUBLE_EQ(*ParseRate("100/s"), 100);
  EXPECT_DOUBLE_EQ(*ParseRate("6000/m"), 100);
  EXPECT_DOUBLE_EQ(*ParseRate("0.5"), 0.5);
  for (const char* text : {"", "100/x", "/s", "-1/s", "nan", "99999999999/s"}) {
    EXPECT_FALSE(ParseRate(text).ok()) << text;
  }
}

TEST(ScalarsTest, PlainNumbersStayInRange) {
  EXPECT_EQ(*ParseUnsigned("40", 100), 40u);
  EXPECT_EQ(*ParseUnsigned("1_000", 4096), 1000u);
  for (const char* text : {"", "-1", "101", "1.0", "1e2", "0x10", "+1", "_1", " 1", "18446744073709551616"}) {
    EXPECT_FALSE(ParseUnsigned(text, 100).ok()) << text;
  }
  EXPECT_DOUBLE_EQ(*ParseNumber("2.5"), 2.5);
  EXPECT_DOUBLE_EQ(*ParseNumber("-1e3"), -1000);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "0x1p3", "two", ".", "-"}) {
    EXPECT_FALSE(ParseNumber(text).ok()) << text;
  }
  EXPECT_TRUE(*ParseBool("true"));
  EXPECT_FALSE(ParseBool("yes").ok());
}

}  // namespace
}  // namespace squall

#include "harness/plan/after_rule.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

TEST(AfterRuleTest, AnEdgeAndAnOffset) {
  EXPECT_EQ(ParseAfter("trigger.start + 30s")->offset_ns, 30'000'000'000);
  EXPECT_EQ(ParseAfter("trigger.start + 30s")->step, "trigger");
  EXPECT_EQ(ParseAfter("trigger.end")->edge, AfterRule::kEnd);
  EXPECT_EQ(ParseAfter("run.start+1m30s")->offset_ns, 90'000'000'000);
}

TEST(AfterRuleTest, WhatIsNoAnchorIsRefused) {
  for (const char* text : {"", "trigger", ".start", "trigger.stop", "trigger.start + ", "trigger.start + 5", "run.end",
                           "trigger.start - 5s", "trigger.start + -5s", "trigger.start 5s", "+ 5s"}) {
    EXPECT_FALSE(ParseAfter(text).ok()) << text;
  }
}

}  // namespace
}  // namespace squall

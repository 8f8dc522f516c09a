#include "harness/plan/forecast.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

constexpr int64_t kS = 1'000'000'000;

void AddStage(plan::v1::Load* load, double to, int64_t over_s, int64_t hold_s) {
  plan::v1::Stage* stage = load->add_stages();
  stage->set_to(to);
  stage->mutable_over()->set_seconds(over_s);
  stage->mutable_hold()->set_seconds(hold_s);
}

TEST(ForecastTest, ARampSendsTheMeanOfItsTwoRates) {
  plan::v1::Load load;
  AddStage(&load, 100, 10, 10);
  AddStage(&load, 0, 10, 0);
  EXPECT_EQ(StagesNs(load), 30 * kS);
  EXPECT_DOUBLE_EQ(ForecastRequests(load, 30 * kS), 2000);
  EXPECT_DOUBLE_EQ(ForecastRequests(load, 10 * kS), 500);
  EXPECT_DOUBLE_EQ(ForecastRequests(load, 5 * kS), 125);
  EXPECT_DOUBLE_EQ(ForecastRequests(load, 60 * kS), 2000);

  plan::v1::Load rise;
  rise.set_rate(10);
  AddStage(&rise, 30, 4, 0);
  EXPECT_DOUBLE_EQ(ForecastRequests(rise, 4 * kS), 80);
  EXPECT_DOUBLE_EQ(ForecastRequests(rise, 5 * kS), 110);
}

TEST(ForecastTest, AStepJumps) {
  plan::v1::Load load;
  AddStage(&load, 50, 0, 2);
  EXPECT_DOUBLE_EQ(ForecastRequests(load, 2 * kS), 100);
}

TEST(ForecastTest, WithoutStagesTheRateStays) {
  plan::v1::Load load;
  load.set_rate(7);
  EXPECT_DOUBLE_EQ(ForecastRequests(load, 3 * kS), 21);
  EXPECT_DOUBLE_EQ(ForecastRequests(load, 0), 0);
}

}  // namespace
}  // namespace squall

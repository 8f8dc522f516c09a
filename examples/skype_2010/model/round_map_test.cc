#include "examples/skype_2010/model/round_map.h"

#include <gtest/gtest.h>

namespace skype_model {
namespace {

RoundMap FibreBundle(double low, double high) {
  return {.clients_crashed = 0, .login_cost = 1, .burst = 0, .limit_low = low, .limit_high = high};
}

TEST(RoundMapTest, EqualLimitsBreakAtTheClosedForm) {
  for (const double headroom : {0.1, 0.39, 1.0, 2.0, 5.0}) {
    EXPECT_NEAR(CriticalLoss(FibreBundle(1 + headroom, 1 + headroom)), headroom / (1 + headroom), 1e-9) << headroom;
  }
}

TEST(RoundMapTest, UniformLimitsBreakAtTheClosedForm) {
  // x = (1 - p)(high - 1/x) / (high - low) has a solution while (1 - p) >= 4 (high - low) / high^2.
  EXPECT_NEAR(CriticalLoss(FibreBundle(1.5, 4.5)), 1 - 4 * 3.0 / (4.5 * 4.5), 1e-6);
}

TEST(RoundMapTest, TheBreakIsAbrupt) {
  RoundMap map = FibreBundle(1.5, 4.5);
  const double critical = CriticalLoss(map);
  map.lost = critical - 1e-3;
  EXPECT_GT(SurvivingShare(map), 0.4);
  map.lost = critical + 1e-3;
  EXPECT_EQ(SurvivingShare(map), 0);
}

TEST(RoundMapTest, TheLossOf2010IsNotWhatKilledThePool) {
  RoundMap map = FibreBundle(1.5, 4.5);
  map.lost = 0.28;
  EXPECT_NEAR(SurvivingShare(map), 0.72, 1e-9);  // 1.39 times the load: below every limit
}

TEST(RoundMapTest, TheReconnectsOf2010Did) { EXPECT_EQ(SurvivingShare({}), 0); }

TEST(RoundMapTest, HeadroomOfEightSaves2010) { EXPECT_GT(SurvivingShare({.limit_low = 4, .limit_high = 12}), 0.7); }

}  // namespace
}  // namespace skype_model

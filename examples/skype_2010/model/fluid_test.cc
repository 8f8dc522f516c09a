#include "examples/skype_2010/model/fluid.h"

#include <gtest/gtest.h>

namespace skype_model {
namespace {

Summary Of(const Scenario& scenario) { return Summarize(Simulate(scenario), scenario); }
Scenario NoMegas() {
  Scenario scenario;
  scenario.megas.clear();
  return scenario;
}
double At(const std::vector<Sample>& samples, double t) { return samples[static_cast<int>(t) - 1].online; }

TEST(FluidTest, NothingHappensWithoutTheBug) {
  Scenario scenario = NoMegas();
  scenario.buggy_share = 0;
  const Summary summary = Of(scenario);
  EXPECT_NEAR(summary.peak_offered, 1, 0.01);
  EXPECT_NEAR(summary.min_pool, 1, 1e-9);
  EXPECT_NEAR(summary.min_online, 1, 1e-9);
}

TEST(FluidTest, TheYear2010CollapsesStaysDownAndIsSavedByMegaSupernodes) {
  const Scenario scenario;
  const std::vector<Sample> samples = Simulate(scenario);
  const Summary summary = Summarize(samples, scenario);
  EXPECT_NEAR(summary.crash_wave, 0.28, 1e-9);
  EXPECT_NEAR(summary.peak_offered, 102, 3);
  EXPECT_LT(summary.min_pool, 0.01);
  ASSERT_TRUE(summary.collapse_after_s.has_value());
  EXPECT_NEAR(*summary.collapse_after_s, 6, 1);
  EXPECT_NEAR(summary.stuck_offered, 100, 5);
  EXPECT_LT(summary.stuck_online, 0.01);
  EXPECT_NEAR(At(samples, 49), 0.20, 0.01);  // one mega-supernode: 400 of 2,000 users
  ASSERT_TRUE(summary.online_95_at_s.has_value());
  EXPECT_NEAR(*summary.online_95_at_s, 53, 1);
}

TEST(FluidTest, WithoutMegaSupernodesItNeverRecovers) {
  const Summary summary = Of(NoMegas());
  EXPECT_FALSE(summary.online_95_at_s.has_value());
  EXPECT_LT(summary.end_online, 0.05);
}

TEST(FluidTest, UsersAndHostsAreConserved) {
  // Whatever the storm does, all come back in the end: none was lost or invented on the way.
  Scenario scenario;
  scenario.length_s = 120;
  const Summary summary = Of(scenario);
  EXPECT_NEAR(summary.end_online, 1, 1e-3);
  EXPECT_NEAR(summary.end_pool, 1, 1e-6);
}

TEST(FluidTest, TheEdgeLiesBetweenAQuarterAndAThirdOfUsersOnTheBuggyVersion) {
  Scenario scenario = NoMegas();
  scenario.buggy_share = 0.25;
  EXPECT_GT(Of(scenario).min_pool, 0.7);
  scenario.buggy_share = 0.28;
  EXPECT_LT(Of(scenario).min_pool, 0.01);
}

TEST(FluidTest, StagedRollOutLosesOnlyItsRing) {
  Scenario scenario = NoMegas();
  scenario.buggy_share = 0.1;
  const Summary summary = Of(scenario);
  EXPECT_NEAR(summary.min_pool, 0.944, 0.005);
  EXPECT_NEAR(summary.min_online, 0.916, 0.01);
  EXPECT_LT(summary.peak_offered, 2);
}

TEST(FluidTest, BackOffAloneOnlyLowersThePeak) {
  Scenario scenario = NoMegas();
  scenario.backoff = true;
  const Summary summary = Of(scenario);
  EXPECT_NEAR(summary.peak_offered, 21, 2);
  EXPECT_LT(summary.min_pool, 0.01);
  EXPECT_FALSE(summary.online_95_at_s.has_value());
}

TEST(FluidTest, JitterBeforeTheFirstAttemptSavesThePool) {
  Scenario scenario = NoMegas();
  scenario.backoff = true;
  scenario.first_jitter_s = 30;
  EXPECT_GT(Of(scenario).min_pool, 0.6);
  scenario.first_jitter_s = 12;
  EXPECT_LT(Of(scenario).min_pool, 0.1);
}

TEST(FluidTest, SheddingLoadKeepsEverySurvivorUp) {
  Scenario scenario = NoMegas();
  scenario.shed = true;
  const Summary summary = Of(scenario);
  EXPECT_NEAR(summary.min_pool, 0.72, 0.005);
  EXPECT_NEAR(summary.peak_offered, 11, 2);
  ASSERT_TRUE(summary.online_95_at_s.has_value());
  EXPECT_NEAR(*summary.online_95_at_s, 25, 2);
}

TEST(FluidTest, EarlyMegaSupernodesSaveUsersButNotThePool) {
  Scenario scenario;
  scenario.megas = {{14, 6}};
  const Summary summary = Of(scenario);
  EXPECT_LT(summary.min_pool, 0.01);
  EXPECT_NEAR(summary.min_online, 0.155, 0.03);
  ASSERT_TRUE(summary.online_95_at_s.has_value());
  EXPECT_LE(*summary.online_95_at_s, 26);
}

TEST(FluidTest, QuickReplayHasAThirdOfItsUsersBackAfterOneMegaSupernode) {
  Scenario scenario;
  scenario.supernodes = 24;
  EXPECT_NEAR(At(Simulate(scenario), 49), 1.0 / 3, 0.01);
}

}  // namespace
}  // namespace skype_model

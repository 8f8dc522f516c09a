#include "targets/skype/admission.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace skype {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1000 * kSecond;

TEST(AdmissionTest, TwelveLoginsAtOnceAreTooManyForTheHostButAreLetIn) {
  Admission admission({});  // limit 15/s, depth 60 units, 5 units a login
  for (int i = 0; i < 12; ++i) EXPECT_EQ(admission.Login(kStart, false), Admission::kOk);
  EXPECT_FALSE(admission.Overloaded(kStart));
  EXPECT_EQ(admission.Login(kStart, false), Admission::kOk);
  EXPECT_TRUE(admission.Overloaded(kStart));
}

TEST(AdmissionTest, FirstLoginsWhileTheNetworkStartsCostNothing) {
  Admission admission({});
  for (int i = 0; i < 125; ++i) EXPECT_EQ(admission.Login(kStart, true), Admission::kOk);
  EXPECT_EQ(admission.Level(kStart), 0);
  EXPECT_EQ(admission.Login(kStart, true), Admission::kFull) << "but they take slots";
}

TEST(AdmissionTest, AFullHostRefusesCheaply) {
  Admission admission({.slots = 2});
  admission.Login(kStart, true);
  admission.Login(kStart, true);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(admission.Login(kStart, false), Admission::kFull);
  EXPECT_NEAR(admission.Level(kStart), 100 * 0.05, 1e-9);
  admission.Logout();
  EXPECT_EQ(admission.Login(kStart, false), Admission::kOk);
  EXPECT_EQ(admission.full_total(), 100);
}

TEST(AdmissionTest, EvenRefusalsOverloadAHostThatCannotShed) {
  Admission admission({.refusal_cost = 1, .slots = 0});
  for (int i = 0; i < 61; ++i) admission.Login(kStart, false);
  EXPECT_TRUE(admission.Overloaded(kStart));
}

TEST(AdmissionTest, SheddingKeepsTheLevelAtHalfTheDepthAndNeverOverloads) {
  Admission admission({.shed = true});
  int let_in = 0;
  for (int i = 0; i < 1000; ++i) let_in += admission.Login(kStart, false) == Admission::kOk;
  EXPECT_EQ(let_in, 6);  // 30 units, half of 60
  EXPECT_EQ(admission.shed_total(), 994);
  for (int i = 0; i < 1000; ++i) admission.Lookup(kStart);
  EXPECT_FALSE(admission.Overloaded(kStart));
}

TEST(AdmissionTest, SheddingLetsUsersInAgainAsTheLoadDrains) {
  Admission admission({.slots = 1000, .shed = true});
  int let_in = 0;
  for (int64_t t = 0; t < 1000; ++t) let_in += admission.Login(kStart + t * kSecond / 100, false) == Admission::kOk;
  // 10 s x 15 units/s less the refusals, at 5 units a login, and the 6 that fit at once.
  EXPECT_GT(let_in, 20);
  EXPECT_LT(let_in, 37);
}

TEST(AdmissionTest, AMegaSupernodeTakesFourHundredWithinSeconds) {
  Admission mega({.limit = 450, .slots = 400, .shed = true});
  int64_t t = kStart;
  while (mega.users() < 400 && t < kStart + 10 * kSecond) {
    mega.Login(t, false);
    t += kSecond / 1000;
  }
  EXPECT_EQ(mega.users(), 400);
  EXPECT_LT(t - kStart, 4 * kSecond);
}

TEST(AdmissionTest, ResetForgetsUsersAndLoadButNotTheCounts) {
  Admission admission({});
  for (int i = 0; i < 20; ++i) admission.Login(kStart, false);
  admission.Reset();
  EXPECT_EQ(admission.users(), 0);
  EXPECT_FALSE(admission.Overloaded(kStart));
  EXPECT_EQ(admission.logins_total(), 20);
}

TEST(DrawLimitTest, LimitsSpreadEvenlyAroundTheHeadroomAndRepeat) {
  double low = 1e9, high = 0, sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double limit = DrawLimit(3, 5, 0.5, /*seed=*/7, i);
    EXPECT_EQ(limit, DrawLimit(3, 5, 0.5, 7, i));
    low = std::min(low, limit), high = std::max(high, limit), sum += limit;
  }
  EXPECT_GE(low, 7.5);
  EXPECT_LT(low, 8);
  EXPECT_LE(high, 22.5);
  EXPECT_GT(high, 22);
  EXPECT_NEAR(sum / 1000, 15, 0.5);
  EXPECT_NE(DrawLimit(3, 5, 0.5, 8, 1), DrawLimit(3, 5, 0.5, 7, 1));
}

}  // namespace
}  // namespace skype

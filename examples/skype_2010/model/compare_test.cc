#include "examples/skype_2010/model/compare.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace skype_model {
namespace {

constexpr char kReport[] =
    R"({"measures": {"crash_wave_share": 0.275, "nadir_pool_share": 0, "stuck_offered_ratio": 98.9,
  "online_after_trigger_removed": 0.0, "online_after_first_mega": 0.2, "seconds_to_95_online": 3.0}})";

std::string With(std::string report, const std::string& from, const std::string& to) {
  const size_t at = report.find(from);
  EXPECT_NE(at, std::string::npos);
  return report.replace(at, from.size(), to);
}

TEST(CompareTest, ARealRunAgreesInEveryLine) {
  const auto lines = Compare(kReport, 40);
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ(lines->size(), 6);
  for (const Line& line : *lines) EXPECT_TRUE(line.agrees()) << line.measure << " " << line.run << " " << line.model;
}

TEST(CompareTest, AnotherMechanismDoesNot) {
  const auto survived = Compare(With(kReport, "\"nadir_pool_share\": 0", "\"nadir_pool_share\": 0.72"), 40);
  ASSERT_TRUE(survived.ok());
  EXPECT_FALSE((*survived)[1].agrees());
  const auto starved = Compare(With(kReport, "98.9", "52"), 40);
  ASSERT_TRUE(starved.ok());
  EXPECT_FALSE((*starved)[2].agrees());
  const auto other_size = Compare(kReport, 24);  // a third of the users must be back, not a fifth
  ASSERT_TRUE(other_size.ok());
  EXPECT_FALSE((*other_size)[4].agrees());
}

TEST(CompareTest, AMissingNumberIsAnErrorNotAgreement) {
  EXPECT_FALSE(Compare(With(kReport, "98.9", "null"), 40).ok());
  EXPECT_FALSE(Compare(With(kReport, "stuck_offered_ratio", "stuck"), 40).ok());
  for (const char* bad : {"", "[]", "{}", "{\"measures\": 3}", "\xff"}) EXPECT_FALSE(Compare(bad, 40).ok()) << bad;
}

}  // namespace
}  // namespace skype_model

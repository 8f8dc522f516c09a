#include "harness/plan/variants.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

using Labels = std::vector<std::map<std::string, std::string>>;

void AddValue(plan::v1::Variant* variant, const std::string& name, const std::string& share,
              const std::string& of_name = "", const std::string& of_value = "") {
  plan::v1::VariantValue* value = variant->add_values();
  value->set_name(name);
  value->set_share(share);
  if (of_name.empty()) return;
  value->add_of()->set_name(of_name);
  value->mutable_of(0)->set_value(of_value);
}

// Supernodes of December 2010: 70 % run the buggy version, and of those 40 % have the path that crashes.
plan::v1::Target Supernode() {
  plan::v1::Target target;
  target.set_name("supernode");
  plan::v1::Variant* version = target.add_variants();
  version->set_name("version");
  AddValue(version, "5.0.0.152", "70%");
  AddValue(version, "5.0.0.156", "rest");
  plan::v1::Variant* vulnerable = target.add_variants();
  vulnerable->set_name("vulnerable");
  AddValue(vulnerable, "yes", "40%", "version", "5.0.0.152");
  AddValue(vulnerable, "no", "rest");
  return target;
}

int Count(const Labels& labels, const std::string& name, const std::string& value) {
  int n = 0;
  for (const auto& l : labels) n += l.at(name) == value;
  return n;
}

TEST(VariantsTest, CountsAreExactForEverySeed) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Labels forty = AssignLabels(Supernode(), 40, seed, nullptr);
    EXPECT_EQ(Count(forty, "version", "5.0.0.152"), 28);
    EXPECT_EQ(Count(forty, "vulnerable", "yes"), 11);
    const Labels twenty_four = AssignLabels(Supernode(), 24, seed, nullptr);
    EXPECT_EQ(Count(twenty_four, "version", "5.0.0.152"), 17);
    EXPECT_EQ(Count(twenty_four, "vulnerable", "yes"), 7);
  }
}

TEST(VariantsTest, ANestedValueStaysInsideItsGroup) {
  for (const auto& labels : AssignLabels(Supernode(), 40, 7, nullptr)) {
    if (labels.at("vulnerable") == "yes") {
      EXPECT_EQ(labels.at("version"), "5.0.0.152");
    }
  }
}

TEST(VariantsTest, TheSeedChoosesWhoAndNothingElse) {
  EXPECT_EQ(AssignLabels(Supernode(), 40, 7, nullptr), AssignLabels(Supernode(), 40, 7, nullptr));
  EXPECT_NE(AssignLabels(Supernode(), 40, 7, nullptr), AssignLabels(Supernode(), 40, 8, nullptr));
}

TEST(VariantsTest, EditingOneVariantLeavesTheOthersAlone) {
  plan::v1::Target edited = Supernode();
  edited.mutable_variants(1)->mutable_values(0)->set_share("10%");
  const Labels before = AssignLabels(Supernode(), 40, 7, nullptr);
  const Labels after = AssignLabels(edited, 40, 7, nullptr);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(before[i].at("version"), after[i].at("version"));
  EXPECT_EQ(Count(after, "vulnerable", "yes"), 3);  // 2.8
}

TEST(VariantsTest, SharesRoundToTheNearestHalvesUp) {
  EXPECT_EQ(ShareOf(0.4, 28), 11u);
  EXPECT_EQ(ShareOf(0.35, 10), 4u);
  EXPECT_EQ(ShareOf(0.145, 100), 15u);  // 14.499999999999998 in binary
  EXPECT_EQ(ShareOf(0.5, 1), 1u);
  EXPECT_EQ(ShareOf(0.49, 1), 0u);
  EXPECT_EQ(ShareOf(1, 7), 7u);
  EXPECT_EQ(ShareOf(0.3, 0), 0u);
}

TEST(VariantsTest, SharesThatFillTheWholeLeaveNobodyOut) {
  plan::v1::Target target;
  target.set_name("t");
  target.add_variants()->set_name("zone");
  for (const char* zone : {"a", "b", "c", "d"}) AddValue(target.mutable_variants(0), zone, "25%");
  for (uint32_t n = 0; n <= 9; ++n) {
    for (const auto& labels : AssignLabels(target, n, 1, nullptr)) EXPECT_TRUE(labels.contains("zone")) << n;
  }
}

TEST(VariantsTest, EveryChoiceIsLogged) {
  std::vector<faults::v1::Draw> draws;
  const Labels labels = AssignLabels(Supernode(), 5, 3, &draws);
  ASSERT_EQ(draws.size(), 10u);
  EXPECT_EQ(draws[0].site(), "variant/supernode/version");
  EXPECT_EQ(draws[9].site(), "variant/supernode/vulnerable");
  EXPECT_EQ(draws[4].ordinal(), 4u);
  EXPECT_EQ(Supernode().variants(0).values(static_cast<int>(draws[4].value())).name(), labels[4].at("version"));
}

}  // namespace
}  // namespace squall

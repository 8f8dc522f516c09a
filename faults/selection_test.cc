#include "faults/selection.h"

#include <cmath>
#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using faults::v1::Selection;

std::vector<Candidate> Nodes(uint32_t n) {
  std::vector<Candidate> all;
  for (uint32_t i = 0; i < n; ++i) all.push_back({"node", i, {{"parity", i % 2 ? "odd" : "even"}}});
  return all;
}

Selection On(const std::function<void(Selection*)>& fill) {
  Selection selection;
  selection.set_role("node");
  fill(&selection);
  return selection;
}

Selection Percent(double share) {
  return On([&](Selection* s) { s->mutable_percent()->set_value(share); });
}

void AddLabel(faults::v1::Label* label, const std::string& name, const std::string& value) {
  label->set_name(name);
  label->set_value(value);
}

std::string Error(const Selection& selection, const std::vector<Candidate>& all) {
  return std::string(Select(selection, all, RandomStream(1, "x")).status().message());
}

std::vector<size_t> Hit(const Selection& selection, const std::vector<Candidate>& all, uint64_t seed = 1) {
  auto hit = Select(selection, all, RandomStream(seed, "step/x"));
  EXPECT_TRUE(hit.ok()) << hit.status();
  return hit.ok() ? *hit : std::vector<size_t>();
}

TEST(SelectTest, OneByDefault) {
  EXPECT_EQ(Hit(On([](Selection*) {}), Nodes(10)).size(), 1u);
}

TEST(SelectTest, AllAreAllInOrder) {
  EXPECT_EQ(Hit(On([](Selection* s) { s->set_all(true); }), Nodes(4)), (std::vector<size_t>{0, 1, 2, 3}));
}

TEST(SelectTest, CountsAtTheEndsOfTheirRange) {
  const auto count = [](uint32_t n) { return On([n](Selection* s) { s->set_count(n); }); };
  EXPECT_EQ(Error(count(0), Nodes(5)), "count: must be at least 1");
  EXPECT_EQ(Hit(count(1), Nodes(5)).size(), 1u);
  EXPECT_EQ(Hit(count(4), Nodes(5)).size(), 4u);
  EXPECT_EQ(Hit(count(5), Nodes(5)).size(), 5u);
  EXPECT_EQ(Error(count(6), Nodes(5)), "count: 6 of 5 instances of `node`");
  EXPECT_EQ(Error(count(UINT32_MAX), Nodes(1)), "count: 4294967295 of 1 instance of `node`");
}

TEST(SelectTest, PercentagesRoundToTheNearestHalvesUp) {
  const struct {
    double share;
    uint32_t of;
    size_t hit;
  } cases[] = {{0.5, 1, 1},   {0.125, 4, 1},  {0.05, 10, 1}, {0.04, 24, 1},  {0.149, 10, 1},  {0.15, 10, 2},
               {0.3, 40, 12}, {0.29, 50, 15}, {0.94, 10, 9}, {0.95, 10, 10}, {0.99, 100, 99}, {0.999, 10, 10},
               {1, 1, 1},     {1, 7, 7},      {0.75, 2, 2},  {0.7499, 2, 1}};
  for (const auto& c : cases) EXPECT_EQ(Hit(Percent(c.share), Nodes(c.of)).size(), c.hit) << c.share << " of " << c.of;
}

TEST(SelectTest, APercentageThatComesToNobodyIsAnError) {
  EXPECT_EQ(Error(Percent(0.01), Nodes(24)), "1 % of 24 instances of `node` selects nobody");
  EXPECT_EQ(Error(Percent(0.49), Nodes(1)), "49 % of 1 instance of `node` selects nobody");
  EXPECT_EQ(Error(Percent(0), Nodes(24)), "percent: 0 % selects nobody");
  EXPECT_EQ(Error(Percent(1.01), Nodes(24)), "percent: must be from 0 % to 100 %, is 101 %");
  EXPECT_FALSE(Select(Percent(std::nan("")), Nodes(3), RandomStream(1, "x")).ok());
}

TEST(SelectTest, LabelsAndRoleNarrowTheCandidates) {
  auto all = Nodes(10);
  all.insert(all.begin(), {"other", 1, {{"parity", "odd"}}});
  const auto odd = On([](Selection* s) {
    AddLabel(s->add_labels(), "parity", "odd");
    s->set_all(true);
  });
  EXPECT_EQ(Hit(odd, all), (std::vector<size_t>{2, 4, 6, 8, 10}));
}

TEST(SelectTest, ExcludedInstancesAreNeverHit) {
  const auto selection = On([](Selection* s) {
    s->add_exclude()->add_index(0);
    s->mutable_exclude(0)->add_index(3);
    auto* odd_one = s->add_exclude();
    odd_one->add_index(1);  // index and label: both must hold
    AddLabel(odd_one->add_labels(), "parity", "even");
    AddLabel(s->add_exclude()->add_labels(), "parity", "none");
    s->set_all(true);
  });
  EXPECT_EQ(Hit(selection, Nodes(5)), (std::vector<size_t>{1, 2, 4}));
}

TEST(SelectTest, NobodyLeftIsAnError) {
  EXPECT_EQ(Error(On([](Selection*) {}), {}), "role: there is no instance of `node`");
  EXPECT_EQ(Error(On([](Selection* s) { AddLabel(s->add_labels(), "parity", "prime"); }), Nodes(3)),
            "role: no instance of `node` matches labels and exclude");
  EXPECT_EQ(Error(On([](Selection* s) { s->add_exclude()->add_index(0); }), Nodes(1)),
            "role: no instance of `node` matches labels and exclude");
}

TEST(SelectTest, TheSeedAloneDecidesWhoIsHit) {
  const auto three = On([](Selection* s) { s->set_count(3); });
  std::set<std::vector<size_t>> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(Hit(three, Nodes(20), seed), Hit(three, Nodes(20), seed));
    seen.insert(Hit(three, Nodes(20), seed));
  }
  EXPECT_GT(seen.size(), 40u);
}

TEST(SelectTest, OtherRolesAndTheOrderOfTheInventoryChangeNothing) {
  const auto three = On([](Selection* s) { s->set_count(3); });
  const auto indices = [&](const std::vector<Candidate>& all) {
    std::set<uint32_t> hit;
    for (const size_t place : Hit(three, all)) hit.insert(all[place].index);
    return hit;
  };
  auto all = Nodes(20);
  const auto expected = indices(all);
  std::reverse(all.begin(), all.end());
  all.insert(all.begin() + 5, {"other", 0, {}});
  EXPECT_EQ(indices(all), expected);
}

TEST(SelectTest, EveryInstanceIsAsLikelyToBeHit) {
  const auto two = On([](Selection* s) { s->set_count(2); });
  int hits[8] = {};
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    for (const size_t place : Hit(two, Nodes(8), seed)) ++hits[place];
  }
  for (const int count : hits) EXPECT_NEAR(count, 1000, 150);
}

std::map<std::string, int> Strata(uint32_t count, const std::vector<int>& sizes, uint64_t seed = 1) {
  std::vector<Candidate> all;
  for (size_t zone = 0; zone < sizes.size(); ++zone) {
    for (int i = 0; i < sizes[zone]; ++i) {
      all.push_back({"node", static_cast<uint32_t>(all.size()), {{"zone", absl::StrCat("z", zone)}}});
    }
  }
  const auto selection = On([count](Selection* s) {
    s->set_count(count);
    s->set_stratify("zone");
  });
  std::map<std::string, int> hit;
  for (const size_t place : Hit(selection, all, seed)) ++hit[all[place].labels["zone"]];
  return hit;
}

TEST(SelectTest, StrataAreHitEvenly) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(Strata(6, {10, 10, 10}, seed), (std::map<std::string, int>{{"z0", 2}, {"z1", 2}, {"z2", 2}}));
    for (const auto& [zone, count] : Strata(7, {10, 10, 10}, seed)) EXPECT_TRUE(count == 2 || count == 3);
  }
}

TEST(SelectTest, ASmallStratumGivesWhatItHas) {
  EXPECT_EQ(Strata(9, {10, 1, 10}), (std::map<std::string, int>{{"z0", 4}, {"z1", 1}, {"z2", 4}}));
  EXPECT_EQ(Strata(21, {10, 1, 10}), (std::map<std::string, int>{{"z0", 10}, {"z1", 1}, {"z2", 10}}));
}

TEST(SelectTest, TheSeedDrawsWhichStrataGetTheSurplus) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) seen.insert(Strata(1, {5, 5, 5}, seed).begin()->first);
  EXPECT_EQ(seen.size(), 3u);
}

TEST(SelectTest, AStratumLabelMustBeOnEveryCandidate) {
  auto all = Nodes(2);
  all[1].labels.clear();
  const auto selection = On([](Selection* s) {
    s->set_count(1);
    s->set_stratify("parity");
  });
  EXPECT_EQ(Error(selection, all), "stratify: node/1 has no label `parity`");
}

TEST(CheckSelectionTest, ExactlyOneThingIsSelected) {
  Selection selection;
  EXPECT_EQ(CheckSelection(selection).message(), "role: nothing is selected; name a role, a link or a load");
  selection.set_link("im");
  EXPECT_TRUE(CheckSelection(selection).ok());
  selection.set_role("node");
  EXPECT_EQ(CheckSelection(selection).message(), "role: only one of role, link and load can be selected");
  selection.clear_link();
  selection.set_load("users");
  EXPECT_FALSE(CheckSelection(selection).ok());
}

TEST(CheckSelectionTest, LinksAndLoadsAreHitAsAWhole) {
  Selection selection;
  selection.set_link("im");
  selection.set_count(2);
  EXPECT_EQ(CheckSelection(selection).message(), "count: picks instances of a role, but a link is selected");
  selection.clear_amount();
  selection.set_live(true);
  EXPECT_EQ(CheckSelection(selection).message(), "live: picks instances of a role, but a link is selected");
  selection.set_live(false);
  EXPECT_EQ(Error(selection, Nodes(3)), "role: a link or a load has no instances to pick from");
}

TEST(CheckSelectionTest, WhatMeansNothingIsRefused) {
  EXPECT_EQ(CheckSelection(On([](Selection* s) { s->set_all(false); })).message(),
            "all: false selects nobody; leave it out, or say true");
  EXPECT_EQ(CheckSelection(On([](Selection* s) { s->add_exclude(); })).message(), "exclude: an entry names nobody");
  EXPECT_EQ(CheckSelection(On([](Selection* s) { s->set_stratify("zone"); })).message(),
            "stratify: needs a count or a percentage to share out");
  EXPECT_FALSE(CheckSelection(On([](Selection* s) {
                 s->set_all(true);
                 s->set_stratify("zone");
               })).ok());
  EXPECT_EQ(CheckSelection(On([](Selection* s) {
              AddLabel(s->add_labels(), "a", "1");
              AddLabel(s->add_labels(), "a", "2");
            })).message(),
            "labels: `a` stands there twice");
}

}  // namespace
}  // namespace squall

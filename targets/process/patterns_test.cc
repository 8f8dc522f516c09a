#include "targets/process/patterns.h"

#include <string>

#include "gtest/gtest.h"

namespace squall {
namespace {

TargetSpec Spec(std::vector<EventRule> rules, const std::string& ready = "") {
  TargetSpec spec;
  spec.role = "server";
  spec.events = std::move(rules);
  if (!ready.empty()) spec.ready = {.how = Readiness::LOG_LINE, .regex = ready};
  return spec;
}

std::string Events(const TargetSpec& spec, std::string_view line) {
  std::string seen;
  (*RolePatterns::Compile(spec))->ForEachEvent(line, [&](const std::string& name, double value) {
    seen += name + "=" + std::to_string(value).substr(0, 4) + " ";
  });
  return seen;
}

TEST(RolePatternsTest, ARuleIsSearchedAnywhereInTheLine) {
  EXPECT_EQ(Events(Spec({{"drop", "dropped"}}), "role dropped now"), "drop=1.00 ");
  EXPECT_EQ(Events(Spec({{"drop", "^dropped"}}), "role dropped now"), "");
}

TEST(RolePatternsTest, EveryRuleThatMatchesGivesItsEvent) {
  EXPECT_EQ(Events(Spec({{"a", "x"}, {"b", "y"}, {"c", "xy"}}), "xy"), "a=1.00 b=1.00 c=1.00 ");
}

TEST(RolePatternsTest, TheGroupNamedValueGivesTheNumber) {
  EXPECT_EQ(Events(Spec({{"took", R"((\w+) took (?P<value>[-\d.e]+) ms)"}}), "query took 2.5 ms"), "took=2.50 ");
  EXPECT_EQ(Events(Spec({{"took", R"(took (?P<value>\S+))"}}), "took long"), "took=1.00 ");
  EXPECT_EQ(Events(Spec({{"took", R"(took (?P<value>\S+))"}}), "took nan"), "took=1.00 ");
  EXPECT_EQ(Events(Spec({{"took", R"(took(?P<value> \d+)?)"}}), "took"), "took=1.00 ") << "a group that is not there";
}

TEST(RolePatternsTest, LinesNeedNotBeText) {
  EXPECT_EQ(Events(Spec({{"e", "a.b"}}), std::string_view("\0\xff a\xff"
                                                          "b",
                                                          7)),
            "e=1.00 ");
}

TEST(RolePatternsTest, ReadyIsItsOwnPattern) {
  const auto patterns = *RolePatterns::Compile(Spec({}, "[Rr]eady to accept"));
  EXPECT_TRUE(patterns->AsksForReady());
  EXPECT_FALSE(patterns->AsksForEvents());
  EXPECT_TRUE(patterns->Ready("* Ready to accept connections"));
  EXPECT_FALSE(patterns->Ready("not ready"));
  EXPECT_FALSE((*RolePatterns::Compile(Spec({})))->Ready("ready"));
}

TEST(RolePatternsTest, ABadExpressionIsRefusedByRoleAndRule) {
  EXPECT_EQ(RolePatterns::Compile(Spec({{"drop", "(a"}})).status().message(),
            "role server: events.drop: missing ): (a");
  EXPECT_EQ(RolePatterns::Compile(Spec({{"drop", ""}})).status().message(),
            "role server: events.drop: the regular expression is empty");
  EXPECT_EQ(RolePatterns::Compile(Spec({}, "[a")).status().message(), "role server: ready.log: missing ]: [a");
}

}  // namespace
}  // namespace squall

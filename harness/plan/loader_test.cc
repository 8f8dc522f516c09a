#include "harness/plan/loader.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using plan::v1::Plan;

constexpr char kOutage[] = "harness/plan/testdata/good/outage.yaml";

std::string All(const LoadResult& result) {
  std::string text;
  for (const PlanError& error : result.errors) absl::StrAppend(&text, FormatError(error), "\n");
  return text;
}

std::string Small(const std::string& more) {
  return absl::StrCat("squall: 1\nname: small\ntargets: {server: {argv: [/bin/server]}}\n", more);
}

TEST(LoaderTest, ThePlanOfTheOutageLoads) {
  const LoadResult result = LoadPlanFile(kOutage, {});
  ASSERT_TRUE(result.ok()) << All(result);
  const Plan& plan = result.plan->plan;
  EXPECT_EQ(plan.name(), "skype_2010_12_22");
  ASSERT_EQ(plan.targets_size(), 4);
  EXPECT_EQ(plan.targets(0).name(), "support");
  EXPECT_TRUE(plan.targets(0).ready().has_grpc_health());
  const plan::v1::Target& supernode = plan.targets(1);
  EXPECT_EQ(supernode.count(), 40u);
  EXPECT_EQ(supernode.variants(0).values(0).share(), "70%");
  EXPECT_EQ(supernode.variants(1).values(0).of(0).value(), "5.0.0.152");
  EXPECT_EQ(supernode.argv(3), "--support=${link.im.address}");
  EXPECT_EQ(supernode.argv(4), "--slots=125");
  EXPECT_EQ(supernode.restart().when(), plan::v1::Restart::ON_CRASH);
  EXPECT_DOUBLE_EQ(supernode.restart().jitter().value(), 0.2);
  EXPECT_EQ(supernode.metrics().every().nanos(), 250'000'000);
  EXPECT_EQ(plan.targets(2).count(), 0u);
  EXPECT_EQ(plan.links(0).to().role(), "support");
  const plan::v1::Step& trigger = plan.steps(0);
  EXPECT_EQ(trigger.when().expr(), "online >= 99%");
  EXPECT_EQ(trigger.for_().seconds(), 6);
  EXPECT_EQ(trigger.fault().delay().jitter().nanos(), 500'000'000);
  EXPECT_EQ(trigger.fault().delay().direction(), faults::v1::DOWNSTREAM);
  EXPECT_EQ(plan.steps(3).drain().over().seconds(), 60);
  EXPECT_EQ(plan.invariants(0).name(), "pool_floor");
  EXPECT_EQ(plan.charts_size(), 2);
}

TEST(LoaderTest, EveryFieldKnowsItsPlace) {
  const LoadResult result = LoadPlanFile(kOutage, {});
  ASSERT_TRUE(result.ok()) << All(result);
  const PositionIndex& positions = result.plan->positions;
  EXPECT_EQ(positions.Find("targets[support].argv[1]"), (Position{7, 31}));
  EXPECT_EQ(positions.Find("name"), (Position{2, 7}));
  EXPECT_EQ(positions.Find("steps[0].fault.delay.latency")->line, 49);
  EXPECT_EQ(positions.Find("targets[supernode].variants[vulnerable][yes].of[version]")->line, 15);
  EXPECT_FALSE(positions.Find("steps[9]").has_value());
  EXPECT_EQ(positions.Nearest("steps[0].fault.delay.nothing.here").line, 49);
  const Position expr = *positions.Find("invariants[recovery].expr");
  EXPECT_EQ(positions.Inside("invariants[recovery].expr", 5), (Position{expr.line, expr.column + 4}));
}

TEST(LoaderTest, TextProtoIsTheSamePlan) {
  const LoadResult result = LoadPlanFile("harness/plan/testdata/good/redis.textproto", {{"late", "300ms"}});
  ASSERT_TRUE(result.ok()) << All(result);
  EXPECT_EQ(result.plan->plan.targets(0).argv(3), "--note=300ms");
  EXPECT_EQ(result.plan->plan.params(0).value(), "300ms");
  EXPECT_EQ(result.plan->positions.Find("targets[server].argv[3]"), (Position{10, 3}));
  EXPECT_EQ(result.plan->positions.Find("steps[0].fault.delay")->line, 16);
}

TEST(LoaderTest, SetChangesDeclaredParamsOnly) {
  const LoadResult result = LoadPlanFile(kOutage, {{"buggy", "10%"}});
  ASSERT_TRUE(result.ok()) << All(result);
  EXPECT_EQ(result.plan->plan.targets(1).variants(0).values(0).share(), "10%");
  EXPECT_EQ(result.plan->params.at("buggy"), "10%");
  EXPECT_EQ(result.plan->params.at("slots"), "125");
  EXPECT_TRUE(absl::StrContains(All(LoadPlanFile(kOutage, {{"bugy", "10%"}})),
                                "outage.yaml: --set bugy: the plan declares no such param; did you mean `buggy`?"));
  EXPECT_TRUE(absl::StrContains(All(LoadPlanFile(kOutage, {{"buggy", "many"}})), "wants a number, as in `70%`"));
  EXPECT_TRUE(absl::StrContains(All(LoadPlanFile(kOutage, {{"buggy", "140%"}})), "140%"));
}

TEST(LoaderTest, EscapedReferencesStayText) {
  const LoadResult result = LoadPlan(Small("about: costs $${x} or $5\n") + "links: {l: {to: server}}\n", "f.yaml", {});
  ASSERT_TRUE(result.ok()) << All(result);
  EXPECT_EQ(result.plan->plan.about(), "costs ${x} or $5");
  const LoadResult late = LoadPlan(
      "squall: 1\nname: n\nparams: {p: x}\ntargets: {s: {argv: [/bin/s, \"$${port} ${port} ${p}\"]}}\n", "f.yaml", {});
  ASSERT_TRUE(late.ok()) << All(late);
  EXPECT_EQ(late.plan->plan.targets(0).argv(1), "$${port} ${port} x");
}

TEST(LoaderTest, ADigestAndTheTextAreKept) {
  const LoadResult result = LoadPlan("squall: 1\nname: n\ntargets: {s: {argv: [/bin/s]}}\n", "p/f.yaml", {});
  ASSERT_TRUE(result.ok()) << All(result);
  EXPECT_EQ(result.plan->path, "p/f.yaml");
  EXPECT_EQ(result.plan->sha256, "6cf39a603233596ae6a331b759e8d80e2226aa990a25228e5b608d15c7424ecc");
  EXPECT_EQ(result.plan->text.size(), 49u);
}

TEST(LoaderTest, MergeKeysGiveTargetsTheirCommonPart) {
  const LoadResult result = LoadPlan(R"(squall: 1
name: merged
targets:
  a: &common {argv: [/bin/a], ready: {tcp: {}}}
  b: {<<: *common, argv: [/bin/b]}
)",
                                     "f.yaml", {});
  ASSERT_TRUE(result.ok()) << All(result);
  EXPECT_EQ(result.plan->plan.targets(1).argv(0), "/bin/b");
  EXPECT_TRUE(result.plan->plan.targets(1).ready().has_tcp());
}

TEST(LoaderTest, AFaultWithoutALengthIsFine) {
  const LoadResult result =
      LoadPlan(Small("steps: [{name: s, fault: {on: {role: server}, hang: {}}}]\n"), "f.yaml", {});
  EXPECT_TRUE(result.ok()) << All(result);
}

TEST(LoaderTest, ARoleThatStartsEmptyIsFineOnceAStepStartsIt) {
  const char* targets = "squall: 1\nname: n\ntargets: {mega: {count: 0, argv: [/bin/m]}}\n";
  const std::string crash = "  - {name: c, fault: {on: {role: mega}, crash: {}}}\n";
  const LoadResult without = LoadPlan(absl::StrCat(targets, "steps:\n", crash), "f.yaml", {});
  EXPECT_TRUE(absl::StrContains(All(without), "`mega` has no instances"));
  const LoadResult with =
      LoadPlan(absl::StrCat(targets, "steps:\n  - {name: s, start: {role: mega}}\n", crash), "f.yaml", {});
  EXPECT_TRUE(with.ok()) << All(with);
}

TEST(LoaderTest, AFaultyFieldDoesNotCauseFurtherComplaintsAboutWhatItHides) {
  const LoadResult result =
      LoadPlan(Small("steps: [{name: s, fault: {on: {role: server}, hagn: {}}}]\n"), "f.yaml", {});
  ASSERT_EQ(result.errors.size(), 1u) << All(result);
  EXPECT_TRUE(absl::StrContains(All(result), "did you mean `hang`?"));
}

TEST(LoaderTest, LineEndsAndByteOrderMarksOfOtherSystemsAreFine) {
  std::string text = "\xEF\xBB\xBFsquall: 1\r\nname: n\r\ntargets: {s: {argv: [/bin/s]}}\r\n";
  EXPECT_TRUE(LoadPlan(text, "f.yaml", {}).ok());
}

TEST(LoaderTest, AnErrorInAnExpressionStandsAtItsCharacter) {
  const LoadResult result = LoadPlan(Small("invariants:\n  up: \"always up >= >= 1\"\n"), "f.yaml", {});
  ASSERT_EQ(result.errors.size(), 1u) << All(result);
  EXPECT_EQ(result.errors[0].path, "invariants[up].expr");
  EXPECT_EQ(result.errors[0].at, (Position{5, 21})) << All(result);
}

}  // namespace
}  // namespace squall

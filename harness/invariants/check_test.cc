#include "harness/invariants/check.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

plan::v1::Plan Plan() {
  plan::v1::Plan plan;
  auto* node = plan.add_targets();
  node->set_name("supernode");
  node->add_events()->set_name("self_shutdown");
  node->add_probes()->set_name("answers");
  node->add_variants()->set_name("version");
  plan.add_links()->set_name("im");
  plan.add_steps()->set_name("trigger");
  auto* pool = plan.add_signals();
  pool->set_name("pool");
  pool->set_expr("sum(up{role=\"supernode\"})");
  return plan;
}

// What is said about one invariant; "" if nothing.
std::string Said(const std::string& expr) {
  plan::v1::Plan plan = Plan();
  plan.add_invariants()->set_expr(expr);
  std::string said;
  const absl::Status status = CheckExpressions(plan, [&](const std::string& path, const std::string& message) {
    EXPECT_EQ(path, "invariants[0].expr");
    said = message;
  });
  EXPECT_EQ(status.ok(), said.empty());
  return said;
}

TEST(CheckTest, GoodExpressionsPass) {
  for (const char* expr :
       {"always pool >= 1", "never count(exits{cause=\"by signal\",version=\"5\"})[10s] > 3",
        "always min(answers) == 1", "always rate(link_bytes_total{link=\"im\",direction=\"UPSTREAM\"})[1s] < 1",
        "always count(self_shutdown) == 0", "within 5s after trigger.end: pool > 1",
        "always age(up) < 5s during fault"}) {
    EXPECT_EQ(Said(expr), "") << expr;
  }
}

TEST(CheckTest, NamesThatDoNotExistAreErrorsWithTheNearOne) {
  EXPECT_EQ(Said("always poool >= 1"), "column 8: unknown metric `poool`; did you mean `pool`?");
  EXPECT_EQ(Said("always count(exitss)[1s] < 1"), "column 14: unknown metric `exitss`; did you mean `exits`?");
  EXPECT_EQ(Said("always sum(up{rol=\"supernode\"}) > 1"), "column 12: `up` has no label `rol`; did you mean `role`?");
  EXPECT_EQ(Said("always sum(up{role=\"supernod\"}) > 1"),
            "column 12: no `role` is called `supernod`; did you mean `supernode`?");
  EXPECT_THAT(Said("never count(exits{cause=\"by signals\"})[1s] > 1"), HasSubstr("did you mean `by signal`?"));
  EXPECT_THAT(Said("always sum(link_bytes_total{link=\"mi\"}) > 1"), HasSubstr("no `link` is called `mi`"));
  EXPECT_EQ(Said("always pool > 1 during step triger"), "column 24: unknown step `triger`; did you mean `trigger`?");
  EXPECT_EQ(Said("within 5s after triger.end: pool > 1"), "column 17: unknown step `triger`; did you mean `trigger`?");
  EXPECT_THAT(Said("always up{version=~\"(\"} == 1"), HasSubstr("is no regular expression"));
}

TEST(CheckTest, KindsMustFitTheirUse) {
  EXPECT_THAT(Said("always rate(up)[1s] > 1"), HasSubstr("`up` is a gauge"));
  EXPECT_THAT(Said("always max(cpu_seconds_total)[1s] > 1"), HasSubstr("use rate() or increase()"));
  EXPECT_THAT(Said("always avg(exits) > 1"), HasSubstr("counted only"));
  EXPECT_THAT(Said("always sum(pool) > 1"), HasSubstr("`pool` is a signal"));
  EXPECT_THAT(Said("always pool{role=\"supernode\"} > 1"), HasSubstr("has no labels"));
  EXPECT_THAT(Said("fraction(pool > 1) > pool"), HasSubstr("compared with a constant"));
  EXPECT_THAT(Said("always pool > baseline(pool over run)"), HasSubstr("never known"));
  EXPECT_THAT(Said("at run.requested: pool > 1"), HasSubstr("is not requested"));
}

TEST(CheckTest, AScrapeBringsNamesThatNobodyKnowsBefore) {
  plan::v1::Plan plan = Plan();
  plan.mutable_targets(0)->mutable_metrics();
  plan.add_invariants()->set_expr("always sum(in_role{whatever=\"x\"}) > 1");
  EXPECT_TRUE(CheckExpressions(plan).ok());
  plan.add_invariants()->set_expr("always sum(up{whatever=\"x\"}) > 1");
  EXPECT_FALSE(CheckExpressions(plan).ok());
}

TEST(CheckTest, EveryExpressionOfThePlanIsLookedAt) {
  plan::v1::Plan plan = Plan();
  plan.mutable_signals(0)->set_expr("sum(");
  plan.mutable_steps(0)->mutable_when()->set_expr("x");
  plan.add_valid_while()->set_expr("y > 1");
  plan.add_abort_when()->set_expr("z > 1 during step nope");
  plan.add_invariants()->set_expr("always");
  plan.add_measures()->set_expr("max of q");
  plan.add_charts("nope");
  std::map<std::string, std::string> said;
  const absl::Status status =
      CheckExpressions(plan, [&](const std::string& path, const std::string& message) { said[path] = message; });
  EXPECT_EQ(said.size(), 7);
  for (const char* path : {"signals[0].expr", "steps[0].when.expr", "valid_while[0].expr", "abort_when[0].expr",
                           "invariants[0].expr", "measures[0].expr"}) {
    EXPECT_THAT(said[path], StartsWith("column ")) << path;
  }
  EXPECT_THAT(said["charts[0]"], HasSubstr("no signal is called `nope`"));
  EXPECT_THAT(std::string(status.message()), StartsWith("signals[0].expr: column 5: "));
}

TEST(CheckTest, SignalsAreUsableAndNotDefinedByThemselves) {
  plan::v1::Plan plan = Plan();
  const auto add = [&](const char* name, const char* expr) {
    auto* signal = plan.add_signals();
    signal->set_name(name);
    signal->set_expr(expr);
  };
  add("a", "b + 1");
  add("b", "max(c, 2)");
  add("c", "a");
  add("with-dash", "1");
  add("always", "1");
  add("exits", "1");
  std::map<std::string, std::string> said;
  EXPECT_FALSE(
      CheckExpressions(plan, [&](const std::string& path, const std::string& text) { said[path] = text; }).ok());
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(said["signals[" + std::to_string(i) + "].expr"], HasSubstr("defined by itself")) << i;
  }
  EXPECT_THAT(said["signals[4].name"], HasSubstr("cannot be used in expressions"));
  EXPECT_THAT(said["signals[5].name"], HasSubstr("cannot be used in expressions"));
  EXPECT_THAT(said["signals[6].name"], HasSubstr("already the name of a metric"));
}

TEST(CheckTest, MeasuresNameWhatStandsAboveThem) {
  plan::v1::Plan plan = Plan();
  const auto add = [&](const char* name, const char* expr) {
    auto* measure = plan.add_measures();
    measure->set_name(name);
    measure->set_expr(expr);
  };
  auto* invariant = plan.add_invariants();
  invariant->set_name("floor");
  invariant->set_expr("always pool > 1");
  add("crashes", "count of exits");
  add("share", "crashes / 2");
  add("early", "late + 1");
  add("late", "1");
  add("r1", "recovery of floor");
  add("r2", "recovery of flor");
  add("c", "count of up");
  add("d", "count of cpu_seconds_total");
  std::map<std::string, std::string> said;
  EXPECT_FALSE(
      CheckExpressions(plan, [&](const std::string& path, const std::string& text) { said[path] = text; }).ok());
  EXPECT_EQ(said.size(), 5);
  EXPECT_THAT(said["measures[2].expr"], HasSubstr("no measure `late` stands above"));
  EXPECT_THAT(said["measures[4].expr"], HasSubstr("nothing recovers"));
  EXPECT_THAT(said["measures[5].expr"], HasSubstr("did you mean `floor`?"));
  EXPECT_THAT(said["measures[6].expr"], HasSubstr("are no events"));
  EXPECT_THAT(said["measures[7].expr"], HasSubstr("use `increase of`"));
}

}  // namespace
}  // namespace squall

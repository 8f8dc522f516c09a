// Measures: each kind against its figure, and what is undefined is null with a reason, never 0.
#include "harness/invariants/measure.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/invariants/trace_for_test.h"

namespace squall {
namespace {

using testing::HasSubstr;

// What the outage looks like to the measures, in short: 10 nodes, 3 crash, then 6 leave their role by themselves; a
// trigger from 10 to 16 s, a helper at 40 s, a batch at 50 s.
Trace Outage() {
  Trace trace(80000);
  trace.Gauge("in_role", {{0, 10}, {12000, 9}, {12500, 8}, {13000, 7}, {15000, 4}, {17000, 1}, {52000, 10}});
  trace.Gauge("online",
              {{0, 1}, {13000, 0.7}, {17000, 0}, {30000, 0.1}, {41000, 0.2}, {53000, 0.96}, {54000, 0.9}, {55000, 1}});
  Trace::Samples offered, made;
  for (int t = 0; t <= 80000; t += 250) {
    const double normal = std::min(t, 17000) * 0.02, storm = std::max(0, std::min(t, 50000) - 17000) * 2.0;
    offered.emplace_back(t, normal + storm);
    made.emplace_back(t, (normal + storm) * 0.95);
  }
  trace.Counter("offered_total", offered, 3000).Counter("made_total", made, 3000);
  trace.Events("exits", {{12000, 1}, {12500, 1}, {15500, 1}}, {{"cause", "by signal"}, {"role", "node"}});
  trace.Events("exits", {{70000, 1}}, {{"cause", "by us"}, {"role", "node"}});
  trace.Events("self_shutdown", {{15000, 1}, {15100, 1}, {15400, 1}, {16000, 1}, {16500, 1}, {17000, 1}});
  trace.Signal("pool", "sum(in_role)");
  trace.Step("trigger", 10000, 16000).Step("mega1", 40000, -1, 0, false).Step("mega2", 50000, -1, 0, false);
  auto* invariant = trace.plan().add_invariants();
  invariant->set_name("back");
  invariant->set_expr("within 60s after trigger.end: online >= 95% stays 5s");
  return trace;
}

double Figure(const std::string& expr, double portion_ms = 0) {
  Trace trace = Outage();
  const auto result = trace.Measure(expr, portion_ms);
  EXPECT_TRUE(result.has_value()) << expr << ": " << result.undefined_because();
  return result.value();
}

std::string Undefined(Trace trace, const std::string& expr) {
  const auto result = trace.Measure(expr);
  EXPECT_FALSE(result.has_value()) << expr << " = " << result.value();
  return result.undefined_because();
}

TEST(MeasureTest, TheFlagshipsMeasuresCanBeWritten) {
  for (const double portion : {0.0, 100.0, 777.0}) {
    EXPECT_NEAR(Figure("count of exits{cause=\"by signal\"} / 10", portion), 0.3, 1e-9);
    EXPECT_NEAR(
        Figure("count of exits{cause=\"by signal\"} before first self_shutdown / count of exits{cause=\"by signal\"}",
               portion),
        2.0 / 3, 1e-9);
    EXPECT_EQ(Figure("count of self_shutdown", portion), 6);
    EXPECT_EQ(Figure("count of exits{cause=\"by signal\"} over [trigger.start, trigger.end)", portion), 3);
    EXPECT_NEAR(Figure("min of pool / 10 over [trigger.start, mega1.start)", portion), 0.1, 1e-9);
    EXPECT_NEAR(Figure("avg of rate(offered_total)[1s] over [trigger.end + 4s, mega1.start) / "
                       "avg of rate(offered_total)[1s] over [run.start + 2s, trigger.start)",
                       portion),
                100, 1e-6);
    EXPECT_NEAR(Figure("increase of made_total over [trigger.end + 4s, mega1.start) / "
                       "increase of offered_total over [trigger.end + 4s, mega1.start)",
                       portion),
                0.95, 1e-9);
    EXPECT_NEAR(Figure("max of online over [trigger.end + 4s, mega1.start)", portion), 0.1, 1e-9);
    EXPECT_NEAR(Figure("value of online at mega1.start + 9s", portion), 0.2, 1e-9);
    EXPECT_NEAR(Figure("time of first online >= 95% after mega2.start", portion), 3, 1e-9);
    EXPECT_NEAR(Figure("time of first online >= 95% stays 2s after mega2.start", portion), 5, 1e-9);
    EXPECT_NEAR(Figure("recovery of back", portion), 39, 1e-9);
  }
}

TEST(MeasureTest, EachReductionHasItsFigure) {
  const std::string over = " of online over [trigger.start, trigger.end + 2s)";
  EXPECT_NEAR(Figure("min" + over), 0, 1e-9);
  EXPECT_NEAR(Figure("max" + over), 1, 1e-9);
  EXPECT_NEAR(Figure("last" + over), 0, 1e-9);
  EXPECT_NEAR(Figure("avg" + over), (3 * 1 + 4 * 0.7) / 8, 1e-9);
  EXPECT_NEAR(Figure("increase" + over), -1, 1e-9);
  EXPECT_NEAR(Figure("max of online"), 1, 1e-9);
  EXPECT_EQ(Figure("count of exits"), 4);
  EXPECT_EQ(Figure("count of exits over [run.start, trigger.end)"), 3);
  EXPECT_EQ(Figure("count of self_shutdown over [trigger.end, run.end)"), 3);  // the one at 16 s is in
  EXPECT_EQ(Figure("count of exits before first self_shutdown over [run.start + 12.2s, run.end)"), 1);
  EXPECT_EQ(Figure("2 * (3 + 4) - 10 / 4"), 11.5);
  EXPECT_EQ(Figure("-(1 - 3)"), 2);
}

TEST(MeasureTest, WhatIsUndefinedSaysWhyAndIsNotZero) {
  EXPECT_EQ(Undefined(Outage(), "count of self_shutdown over [mega2.end, run.end)"), "`mega2.end` never came");
  EXPECT_EQ(Undefined(Outage(), "min of pool over [trigger.start, mega2.end)"), "`mega2.end` never came");
  EXPECT_EQ(Undefined(Outage(), "value of online at mega2.start + 60s"), "`mega2.start + 1m` is not within the run");
  EXPECT_EQ(Undefined(Outage(), "time of first online > 2 after mega2.start"), "it never came true after that");
  EXPECT_EQ(Undefined(Outage(), "1 / (count of self_shutdown over [trigger.start, trigger.start + 1s))"),
            "it would divide by 0");
  EXPECT_EQ(Undefined(Outage(), "max of unheard_of over run"), "its value was never known there");
  EXPECT_EQ(Undefined(Outage(), "count of unheard_of"), "`unheard_of` are no events");
  EXPECT_EQ(Undefined(Trace(1000).Events("a", {{10, 1}}).Events("b", {}), "count of a before first b"),
            "there was no `b`");
  EXPECT_EQ(Undefined(Trace(1000).Events("a", {{10, 1}}).Hole(100, 200), "count of a"), "some events were lost");
  EXPECT_EQ(Undefined(Trace(10000).Gauge("x", {{0, 1}}, 3000), "avg of x over run"),
            "its value was not known for 70% of the time");
}

TEST(MeasureTest, NoEventIsZeroWhereEventsAreKnown) {
  Trace trace = Trace(1000).Events("a", {});
  EXPECT_EQ(trace.Measure("count of a").value(), 0);
  EXPECT_TRUE(trace.Measure("count of a").has_value());
}

TEST(MeasureTest, ALaterMeasureMayUseAnEarlierOne) {
  Trace trace = Outage();
  for (const auto& [name, expr] :
       std::vector<std::pair<const char*, const char*>>{{"crashes", "count of exits{cause=\"by signal\"}"},
                                                        {"share", "crashes / 10"},
                                                        {"never", "max of online over [mega2.end, run.end)"},
                                                        {"worse", "never * 2 + crashes"}}) {
    auto* measure = trace.plan().add_measures();
    measure->set_name(name);
    measure->set_expr(expr);
  }
  const auto results = trace.Play(500)->Measures();
  EXPECT_NEAR(results[1].value(), 0.3, 1e-9);
  EXPECT_FALSE(results[3].has_value());
  EXPECT_EQ(results[3].undefined_because(), "never: `mega2.end` never came");
}

TEST(MeasureTest, ALateRecoveryStillHasItsTime) {
  Trace trace = Outage();
  trace.plan().mutable_invariants(0)->set_expr("within 30s after trigger.end: online >= 95% stays 5s");
  EXPECT_NEAR(trace.Measure("recovery of back").value(), 39, 1e-9);
  trace.plan().mutable_invariants(0)->set_expr("within 30s after trigger.end: online >= 2");
  EXPECT_EQ(Undefined(trace, "recovery of back"), "`back` did not recover");
  trace.plan().mutable_invariants(0)->set_expr("within 30s after mega2.end: online >= 2");
  EXPECT_EQ(Undefined(trace, "recovery of back"), "`mega2.end` never came");
}

}  // namespace
}  // namespace squall

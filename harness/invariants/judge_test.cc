// What the judge promises beside verdicts: evidence, early decisions, `when`, conditions, measures, waiting.
#include "harness/invariants/judge.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/invariants/trace_for_test.h"

namespace squall {
namespace {

using report::v1::HOLDS;
using report::v1::UNKNOWN;
using report::v1::VACUOUS;
using report::v1::VIOLATED;
using testing::HasSubstr;
using testing::StartsWith;

// --- Each operator has a planted bug it catches: violated, its near twin holds, a gap is unknown
// ------------------------

struct Triple {
  const char* expr;
  Trace::Samples bad, good;
  const char* why;
};

TEST(JudgeTest, EveryOperatorCatchesItsBugAndSparesItsTwin) {
  const Trace::Samples flat = {{0, 10}};
  const std::vector<Triple> triples = {
      {"always x < 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 9.99}, {501, 9}}, "<"},
      {"always x <= 10", {{0, 9}, {500, 10.01}, {501, 9}}, {{0, 9}, {500, 10}, {501, 9}}, "<="},
      {"always x > 10", {{0, 11}, {500, 10}, {501, 11}}, {{0, 11}, {500, 10.01}, {501, 11}}, ">"},
      {"always x >= 10", {{0, 11}, {500, 9.99}, {501, 11}}, {{0, 11}, {500, 10}, {501, 11}}, ">="},
      {"always x == 10", {{0, 10}, {500, 10.5}, {501, 10}}, flat, "=="},
      {"always x != 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 11}, {501, 9}}, "!="},
      {"never x > 10", {{0, 9}, {500, 11}, {501, 9}}, flat, "never"},
      {"sometimes x > 10", flat, {{0, 9}, {500, 11}, {501, 9}}, "sometimes"},
      {"always not x > 10", {{0, 9}, {500, 11}, {501, 9}}, flat, "not"},
      {"always x > 1 and x < 20", {{0, 9}, {500, 21}, {501, 9}}, {{0, 9}, {500, 19}, {501, 9}}, "and"},
      {"always x < 1 or x > 5", {{0, 9}, {500, 3}, {501, 9}}, {{0, 9}, {500, 0.5}, {501, 9}}, "or"},
      {"never x > 10 for 1s", {{0, 9}, {500, 11}, {1501, 9}}, {{0, 9}, {500, 11}, {1499, 9}}, "for"},
      {"always once 1s x > 10", {{0, 11}, {500, 9}, {1501, 11}}, {{0, 11}, {500, 9}, {1499, 11}}, "once"},
      {"always x > 10 grace 1s", {{0, 11}, {500, 9}, {1501, 11}}, {{0, 11}, {500, 9}, {1499, 11}}, "grace"},
      {"always x + 1 < 11", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 9.9}, {501, 9}}, "+"},
      {"always 20 - x > 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 9.9}, {501, 9}}, "-"},
      {"always 2 * x < 20", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 9.9}, {501, 9}}, "*"},
      {"always 100 / x > 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 9.9}, {501, 9}}, "/"},
      {"always -x > -10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 9.9}, {501, 9}}, "sign"},
      {"always min(x, 5) >= 5", {{0, 9}, {500, 4}, {501, 9}}, {{0, 9}, {500, 5}, {501, 9}}, "min of two"},
      {"always max(x, 5) <= 9", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}, {500, 4}, {501, 9}}, "max of two"},
      {"always sum(x) < 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}}, "sum"},
      {"always avg(x) < 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}}, "avg"},
      {"always min(x) > 5", {{0, 9}, {500, 5}, {501, 9}}, {{0, 9}}, "min"},
      {"always max(x) < 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}}, "max"},
      {"always count(x) >= 1 during [run.start + 100ms, run.end)", {{0, 9}, {500, kEndMark}}, {{0, 9}}, "count"},
      {"always countif(x > 5) >= 1", {{0, 9}, {500, 5}, {501, 9}}, {{0, 9}}, "countif"},
      {"always min(x)[1s] > 5", {{0, 9}, {500, 5}, {501, 9}}, {{0, 9}}, "min window"},
      {"always max(x)[1s] < 10", {{0, 9}, {500, 10}, {501, 9}}, {{0, 9}}, "max window"},
      {"at run.end: avg(x)[1s] < 10",
       {{0, 9}, {1500, 9}, {1501, 11.1}},
       {{0, 9}, {1500, 9}, {1501, 10.9}},
       "avg window"},
      {"at run.end: last(x)[1s] == 9", {{0, 9}, {1900, 8}}, {{0, 8}, {1900, 9}}, "last"},
      {"at run.end: x == 9", {{0, 9}, {2000, 8}}, {{0, 8}, {2000, 9}}, "at"},
      {"at run.end: count(x)[1s] == 2",
       {{0, 9}, {1001, 9}, {1500, 9}, {1999, 9}},
       {{0, 9}, {1000, 1}, {1500, 9}, {2000, 9}},
       "count of samples"},
      {"fraction(x > 10) >= 50%", {{0, 11}, {999, 9}}, {{0, 11}, {1000, 9}}, "fraction"},
      {"when x > 10 then x > 20", {{0, 9}, {500, 15}, {600, 9}}, {{0, 9}, {500, 21}, {600, 9}}, "implies"},
      {"when x > 10 then within 500ms: x < 5",
       {{0, 9}, {500, 15}, {1001, 4}},
       {{0, 9}, {500, 15}, {1000, 4}},
       "responds"},
      {"within 1s after run.start: x > 10", {{0, 9}, {1001, 11}}, {{0, 9}, {1000, 11}}, "within"},
      {"within 1s after run.start: x > 10 stays 500ms",
       {{0, 9}, {900, 11}, {1300, 9}},
       {{0, 9}, {900, 11}, {1401, 9}},
       "stays"},
  };
  for (const Triple& triple : triples) {
    SCOPED_TRACE(std::string(triple.why) + ": " + triple.expr);
    EXPECT_EQ(Trace(2000).Gauge("x", triple.bad).Judge(triple.expr).verdict(), VIOLATED);
    EXPECT_EQ(Trace(2000).Gauge("x", triple.good).Judge(triple.expr).verdict(), HOLDS);
    EXPECT_EQ(Trace(2000).Gauge("other", {{0, 1}}).Judge(triple.expr).verdict(), UNKNOWN);
  }
}

TEST(JudgeTest, WindowsOverEventsCatchTheirBug) {
  const Trace::Samples three = {{300, 5}, {600, 6}, {900, 7}}, two = {{300, 5}, {600, 6}};
  for (const auto& [expr, bad, good] : std::vector<std::tuple<const char*, Trace::Samples, Trace::Samples>>{
           {"always count(e)[1s] <= 2", three, two},
           {"always rate(e)[1s] <= 2", three, two},
           {"always increase(e)[1s] <= 2", three, two},
           {"always sum(e)[1s] <= 11", three, two},
           {"always sum(e) <= 2", three, two},
           {"always count(e) <= 2", three, two},
           {"always e <= 2", three, two},
           {"at run.end: max(e)[2s] == 6", three, two},
           {"at run.end: min(e)[1800ms] == 5", {{600, 6}, {900, 7}}, two},
           {"at run.end: avg(e)[2s] == 5.5", three, two},
           {"at run.end: last(e)[2s] == 6", three, two},
           {"at run.end: p50(e)[2s] == 5", three, two},
           {"at run.end: quantile(0.67, e)[2s] <= 6", three, two},
       }) {
    SCOPED_TRACE(expr);
    EXPECT_EQ(Trace(2000).Events("e", bad).Judge(expr).verdict(), VIOLATED);
    EXPECT_EQ(Trace(2000).Events("e", good).Judge(expr).verdict(), HOLDS);
    EXPECT_EQ(Trace(2000).Events("e", good).Hole(200, 1900).Judge(expr).verdict(), UNKNOWN);
  }
}

TEST(JudgeTest, NoEventOfADeclaredKindIsARealZero) {
  EXPECT_EQ(Trace(2000).Events("e", {}).Judge("always count(e)[1s] == 0").verdict(), HOLDS);
  EXPECT_EQ(Trace(2000).Judge("always count(exits{cause=\"by signal\"})[1s] == 0").verdict(), HOLDS);
  EXPECT_EQ(Trace(2000).Judge("always count(nobody_said_what)[1s] == 0").verdict(), UNKNOWN);
}

TEST(JudgeTest, RatesOfCountersDoNotExtrapolate) {
  Trace trace = Trace(4000).Counter("req_total", {{0, 0}, {1000, 10}, {2000, 20}, {3000, 30}, {4000, 40}}, 3000);
  EXPECT_EQ(trace.Judge("at run.end: rate(req_total)[2s] == 10").verdict(), HOLDS);
  EXPECT_EQ(trace.Judge("at run.end: increase(req_total)[2s] == 20").verdict(), HOLDS);
  EXPECT_EQ(trace.Judge("at run.end: req_total == 40").verdict(), HOLDS);
  EXPECT_EQ(trace.Judge("at run.end: increase(req_total)[5s] <= 40").verdict(),
            UNKNOWN);  // what was before, nobody knows
}

TEST(JudgeTest, ACounterOfANewProcessBeganAtZero) {
  Trace trace(20000);
  trace.Counter("req_total", {{0, 100}, {9000, 100}}, 30000, {{"target", "a"}, {"incarnation", "1"}});
  trace.Counter("req_total", {{10000, 7}, {19000, 9}}, 3000, {{"target", "a"}, {"incarnation", "2"}});
  const auto result = trace.Judge("at run.end: sum(req_total) == 109 and increase(req_total)[15s] == 9");
  EXPECT_EQ(result.verdict(), HOLDS) << result.evidence();
}

TEST(JudgeTest, LabelsSelectSeries) {
  Trace trace(1000);
  trace.Gauge("v", {{0, 1}}, 0, {{"role", "node"}, {"zone", "a1"}});
  trace.Gauge("v", {{0, 2}}, 0, {{"role", "node"}, {"zone", "a2"}});
  trace.Gauge("v", {{0, 4}}, 0, {{"role", "node"}, {"zone", "b"}});
  trace.Gauge("v", {{0, 8}}, 0, {{"role", "node"}});
  for (const auto& [selector, sum] : std::vector<std::pair<const char*, int>>{{"v", 15},
                                                                              {"v{zone=\"a1\"}", 1},
                                                                              {"v{zone!=\"a1\"}", 14},
                                                                              {"v{zone=~\"a.\"}", 3},
                                                                              {"v{zone=~\"a\"}", -1},
                                                                              {"v{zone!~\"a.\"}", 12},
                                                                              {"v{zone=\"\"}", 8},
                                                                              {"v{zone!=\"\",zone!=\"b\"}", 3}}) {
    const auto result = trace.Judge("always sum(" + std::string(selector) + ") == " + std::to_string(sum));
    EXPECT_EQ(result.verdict(), sum < 0 ? UNKNOWN : HOLDS) << selector << " " << result.ShortDebugString();
  }
  const auto several = trace.Judge("always v >= 1");
  EXPECT_EQ(several.verdict(), UNKNOWN);
  EXPECT_THAT(several.evidence(), HasSubstr("matches several series"));
}

// --- Scopes and anchors
// -------------------------------------------------------------------------------------------------

TEST(JudgeTest, EveryScopeLooksAtItsOwnInstants) {
  // One bad instant per second: at 500 + 1000 k ms.
  const auto bad_at = [](double ms) {
    return Trace(10000).Gauge("x", {{0, 1}, {ms, 0}, {ms + 1, 1}}).Step("a", 2000, 4000).Step("b", 6000, 8000);
  };
  const std::vector<std::pair<const char*, std::vector<int>>> scopes = {
      {"run", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {"step a", {2, 3}},
      {"fault", {2, 3, 6, 7}},
      {"before step b", {0, 1, 2, 3, 4, 5}},
      {"before fault", {0, 1}},
      {"after step a", {4, 5}},
      {"after step b", {8, 9}},
      {"after fault", {4, 5, 8, 9}},
      {"[a.end, b.start)", {4, 5}},
      {"[a.start + 1s, b.end - 1s)", {3, 4, 5, 6}},
      {"[run.start + 1s, run.end - 1s)", {1, 2, 3, 4, 5, 6, 7, 8}},
      {"[fault.end, run.end)", {4, 5, 6, 7, 8, 9}},
      {"[fault.start, fault.end)", {2, 3, 6, 7}},
  };
  for (const auto& [scope, seconds] : scopes) {
    for (int second = 0; second < 10; ++second) {
      const bool inside = std::find(seconds.begin(), seconds.end(), second) != seconds.end();
      Trace trace = bad_at(second * 1000 + 500);
      for (const double portion : {0.0, 333.0}) {
        EXPECT_EQ(trace.Judge("always x == 1 during " + std::string(scope), portion).verdict(),
                  inside ? VIOLATED : HOLDS)
            << scope << " second " << second << " portion " << portion;
      }
    }
  }
}

TEST(JudgeTest, WhatNeverHappenedIsVacuousAndSaysSo) {
  Trace trace = Trace(5000).Gauge("x", {{0, 1}}).Step("a", -1, -1).Step("c", 1000, 2000);
  for (const char* expr :
       {"always x == 0 during step a", "never x == 1 during before step a", "always x == 0 during after step a",
        "always x == 0 during [a.start, run.end)", "always x == 0 during [run.start, a.start)",
        "always x == 0 during [c.end, a.end)", "at a.start: x == 0", "within 1s after a.end: x == 0",
        "fraction(x == 0) > 1 during step a", "when x == 1 then x == 0 during step a",
        "when x == 2 then within 1s: x == 0", "sometimes x == 0 during step a"}) {
    const auto result = trace.Judge(expr);
    EXPECT_EQ(result.verdict(), VACUOUS) << expr;
    EXPECT_THAT(result.evidence(), HasSubstr("never came")) << expr << ": " << result.evidence();
    EXPECT_TRUE(result.final());
  }
}

TEST(JudgeTest, AStepThatNeverEndedEndsWithTheRun) {
  EXPECT_EQ(
      Trace(5000).Gauge("x", {{0, 1}, {4000, 0}}).Step("a", 1000, -1).Judge("always x == 1 during step a").verdict(),
      VIOLATED);
}

TEST(JudgeTest, AnInstantThatMayLieOutsideTheScopeDecidesNothing) {
  const auto bad_at = [](double ms) {
    return Trace(10000).Gauge("x", {{0, 1}, {ms, 0}, {ms + 1, 1}}).Step("a", 2000, 4000, 300);
  };
  EXPECT_EQ(bad_at(1600).Judge("always x == 1 during step a").verdict(), HOLDS);
  EXPECT_EQ(bad_at(1900).Judge("always x == 1 during step a").verdict(), UNKNOWN);
  EXPECT_EQ(bad_at(2100).Judge("always x == 1 during step a").verdict(), UNKNOWN);
  EXPECT_EQ(bad_at(2400).Judge("always x == 1 during step a").verdict(), VIOLATED);
  EXPECT_EQ(bad_at(3900).Judge("always x == 1 during step a").verdict(), UNKNOWN);
  EXPECT_EQ(bad_at(4400).Judge("always x == 1 during step a").verdict(), HOLDS);
  EXPECT_EQ(bad_at(2100).Judge("sometimes x == 0 during step a").verdict(), UNKNOWN);
  EXPECT_EQ(bad_at(2400).Judge("sometimes x == 0 during step a").verdict(), HOLDS);
}

// --- Early decisions
// ----------------------------------------------------------------------------------------------------

// The time at which the first invariant became final with this verdict; the run's end if only then.
double DecidedAt(Trace trace, const std::string& expr, report::v1::Truth verdict) {
  double at = -1;
  trace.after_portion = [&](const Judge& judge, double ms) {
    const auto result = judge.Results()[0];
    if (at < 0 && result.final()) at = ms;
    if (result.final()) {
      EXPECT_EQ(result.verdict(), verdict) << expr << " at " << ms;
    }
  };
  EXPECT_EQ(trace.Judge(expr, 10).verdict(), verdict) << expr;
  return at;
}

TEST(JudgeTest, DecidesAsEarlyAsItCan) {
  const auto trace = [] { return Trace(30000).Gauge("x", {{0, 1}, {3000, 0}, {9000, 1}}).Step("a", 2000, 4000); };
  EXPECT_NEAR(DecidedAt(trace(), "always x == 1", VIOLATED), 3010, 11);
  EXPECT_NEAR(DecidedAt(trace(), "always x == 1 grace 2s", VIOLATED), 5010, 11);
  EXPECT_NEAR(DecidedAt(trace(), "sometimes x == 0", HOLDS), 3010, 11);
  EXPECT_NEAR(DecidedAt(trace(), "always x == 1 during before step a", HOLDS), 2250, 21);  // the edge lag
  EXPECT_NEAR(DecidedAt(trace(), "at a.end: x == 0", HOLDS), 4260, 21);
  EXPECT_NEAR(DecidedAt(trace(), "within 8s after a.end: x == 1 stays 3s", HOLDS), 12260, 21);
  // From 7 s on no start is left that has not met a zero, though the hold would end at 10 s.
  EXPECT_NEAR(DecidedAt(trace(), "within 3s after a.end: x == 1 stays 3s", VIOLATED), 7260, 21);
  EXPECT_EQ(DecidedAt(trace(), "always x >= 0", HOLDS), -1);
}

TEST(JudgeTest, WaitsForWhatIsToComeAndForNothingElse) {
  Trace trace = Trace(20000).Gauge("x", {{0, 1}, {3000, 0}}).Step("a", 2000, 4000);
  double decided_at = -1;
  trace.after_portion = [&](const Judge& judge, double ms) {
    if (ms <= 3990) {
      EXPECT_TRUE(judge.AllDecided()) << ms;
    }
    if (ms > 4010 && decided_at < 0 && judge.AllDecided()) decided_at = ms;
  };
  trace.Judge("within 5s after a.end: x == 2 stays 1s", 10);
  EXPECT_NEAR(decided_at, 9260, 21);
  trace.after_portion = [&](const Judge& judge, double ms) { EXPECT_TRUE(judge.AllDecided()) << ms; };
  trace.Judge("always x == 1", 10);
  trace.Judge("within 5s after run.end: x == 1", 10);
}

TEST(JudgeTest, ARequestedStepHoldsBackWhatNamesIt) {
  plan::v1::Plan plan = Trace(1).Step("a", -1, -1).plan();
  auto* invariant = plan.add_invariants();
  invariant->set_name("p");
  invariant->set_expr("always x == 1 during before step a");
  SignalStore store;
  auto judge = *Judge::Create(plan, &store);
  judge->SetRunStart(kTestStart);
  store.AddGauge("x", {}, TestTime(0), 1, 1'000'000'000'000);
  store.AddGauge("x", {}, TestTime(3000), 0, 1'000'000'000'000);
  judge->OnStep("a", Judge::kRequested, TestTime(2000), TestTime(2000));
  judge->Advance(TestTime(5000));  // its start may have been at 2.5 s, told late
  EXPECT_FALSE(judge->Results()[0].final());
  judge->OnStep("a", Judge::kStart, TestTime(2500), TestTime(2500));
  judge->Advance(TestTime(5001));
  EXPECT_EQ(judge->Results()[0].verdict(), HOLDS);
  EXPECT_TRUE(judge->Results()[0].final());
  EXPECT_EQ(judge->late_edges(), 0);
}

TEST(JudgeTest, AnEdgeToldTooLateIsCounted) {
  plan::v1::Plan plan = Trace(1).Step("a", -1, -1).plan();
  auto* invariant = plan.add_invariants();
  invariant->set_name("p");
  invariant->set_expr("always x == 1 during step a");
  SignalStore store;
  auto judge = *Judge::Create(plan, &store);
  judge->SetRunStart(kTestStart);
  judge->Advance(TestTime(5000));
  judge->OnStep("a", Judge::kStart, TestTime(4800), TestTime(4800));
  EXPECT_EQ(judge->late_edges(), 0);
  judge->OnStep("a", Judge::kEnd, TestTime(4000), TestTime(4000));
  EXPECT_EQ(judge->late_edges(), 1);
  judge->OnStep("unheard_of", Judge::kStart, TestTime(1), TestTime(1));
}

TEST(JudgeTest, BeyondTheWatermarkNothingIsKnown) {
  plan::v1::Plan plan = Trace(1).plan();
  auto* invariant = plan.add_invariants();
  invariant->set_name("p");
  invariant->set_expr("always x == 1");
  for (const double known_ms : {4500.0, 2000.0}) {
    SignalStore store;
    auto judge = *Judge::Create(plan, &store);
    judge->SetRunStart(kTestStart);
    store.AddGauge("x", {}, TestTime(0), 1, 1'000'000'000'000);
    agent::v1::Batch batch;
    batch.set_watermark_ns(TestTime(known_ms));
    store.Apply("a", batch);
    judge->Finish(TestTime(5000));
    EXPECT_EQ(judge->Results()[0].verdict(), known_ms > 4000 ? HOLDS : UNKNOWN);
  }
}

// --- Evidence
// -----------------------------------------------------------------------------------------------------------

TEST(JudgeTest, EvidenceIsASentenceWithTheFigure) {
  Trace trace =
      Trace(20000).Gauge("in_role", {{0, 30}, {14200, 19}, {17300, 0}, {18000, 5}}).Step("trigger", 10000, 16000);
  trace.Signal("pool", "sum(in_role)").Signal("share", "pool / 40").Signal("wait", "pool * 10", "ms");
  const auto floor = trace.Judge("always pool >= 20 during [trigger.start, run.end)");
  EXPECT_EQ(floor.evidence(), "pool was 0 at 17.3 s, must be >= 20");
  EXPECT_EQ(floor.margin(), -20);
  EXPECT_EQ(floor.leaf(), "pool >= 20");
  EXPECT_EQ(floor.preceded_by(), "trigger");
  EXPECT_NEAR(floor.first_violation_s(), 14.2, 1e-9);
  EXPECT_EQ(trace.Judge("always share >= 25%").evidence(), "share was 0% at 17.3 s, must be >= 25%");
  EXPECT_EQ(trace.Judge("never wait < 100ms").margin_unit(), "ms");
  EXPECT_EQ(trace.Judge("never wait < 100").evidence(), "wait was 0 ms at 17.3 s, must be >= 100");
  EXPECT_EQ(trace.Judge("always 20 <= pool").evidence(), "pool was 0 at 17.3 s, must be >= 20");
  EXPECT_EQ(trace.Judge("always pool >= 0").evidence(), "at worst pool was 0 at 17.3 s, must be >= 0");
  EXPECT_EQ(trace.Judge("sometimes pool > 90").evidence(), "pool was 30 at 0.0 s, must be > 90");
  EXPECT_EQ(trace.Judge("always pool == 30").evidence(), "pool was 19 at 14.2 s, must be == 30");
  EXPECT_EQ(trace.Judge("always pool >= share + 20").evidence(), "pool was 0 at 17.3 s, must be >= 20");
  EXPECT_EQ(trace.Judge("fraction(pool >= 20) >= 99%").evidence(), "the fraction was 71%, must be >= 99%");
  EXPECT_EQ(trace.Judge("within 1500ms after trigger.end: pool >= 15").evidence(),
            "at best pool was 19 at 14.2 s, must be >= 15");
  EXPECT_EQ(trace.Judge("within 500ms after trigger.end: pool >= 20").evidence(),
            "not within 500ms; pool was 19 at 14.2 s, must be >= 20");
}

TEST(JudgeTest, EvidenceOfWhatIsNotKnownSaysWhy) {
  const auto never = Trace(2000).Judge("always xyz > 1");
  EXPECT_EQ(never.evidence(), "xyz was not known at 0.0 s: no series of `xyz` ever came");
  EXPECT_EQ(never.reason(), "missing_data");
  EXPECT_EQ(Trace(9000).Gauge("xyz", {{0, 2}}, 3000).Judge("always xyz > 1").evidence(),
            "xyz was not known at 3.0 s: `xyz` was silent");
}

// --- When, conditions
// ---------------------------------------------------------------------------------------------------

TEST(JudgeTest, WhenHoldsOnceItHasBeenTrueForItsTime) {
  Trace trace = Trace(9000).Gauge("online", {{0, 0.5}, {1000, 0.99}, {2500, 0.9}, {3000, 1}});
  auto* step = trace.plan().add_steps();
  step->set_name("go");
  step->mutable_when()->set_expr("online >= 99%");
  step->mutable_when()->mutable_for_()->set_seconds(2);
  double first = -1;
  trace.after_portion = [&](const Judge& judge, double ms) {
    if (first < 0 && judge.When("go") == HOLDS) first = ms;
    EXPECT_EQ(judge.When("no_such_step"), UNKNOWN);
  };
  trace.Judge("always online > 0", 50);
  EXPECT_NEAR(first, 5000, 51);
}

TEST(JudgeTest, ConditionsTolerateAStretch) {
  const auto conditions = [](const Trace::Samples& samples, const std::string& expr, int for_s) {
    Trace trace = Trace(9000).Gauge("made", samples).Step("t", 4000, 6000);
    for (auto* condition : {trace.plan().add_valid_while(), trace.plan().add_abort_when()}) {
      condition->set_name("c");
      condition->set_expr(expr);
      condition->mutable_for_()->set_seconds(for_s);
    }
    const auto judge = trace.Play(100);
    const auto all = judge->Conditions();
    EXPECT_EQ(all[0].kind(), "valid_while");
    EXPECT_EQ(all[1].kind(), "abort_when");
    return std::make_pair(all[0].verdict(), all[1].verdict());
  };
  const Trace::Samples dip = {{0, 1}, {3000, 0}, {4500, 1}};
  EXPECT_EQ(conditions(dip, "made == 1", 0).first, VIOLATED);
  EXPECT_EQ(conditions(dip, "made == 1", 1).first, VIOLATED);
  EXPECT_EQ(conditions(dip, "made == 1", 2).first, HOLDS);
  EXPECT_EQ(conditions(dip, "made == 0", 0).second, VIOLATED);
  EXPECT_EQ(conditions(dip, "made == 0", 1).second, VIOLATED);
  EXPECT_EQ(conditions(dip, "made == 0", 2).second, HOLDS);
  EXPECT_EQ(conditions(dip, "made == 1 during [t.start + 1s, run.end)", 0).first, HOLDS);
  EXPECT_EQ(conditions(dip, "made == 0 during step t", 0).second, VIOLATED);
  EXPECT_EQ(conditions({}, "made == 1", 0).first, UNKNOWN);
}

// The final check waits for the recovery, counted from the clear, instead of looking at the instant of the clear.
TEST(JudgeTest, RecoveryIsCountedFromTheClearOfTheFault) {
  const auto run = [](double back_ms) {
    return Trace(30000)
        .Gauge("answering", {{0, 3}, {5000, 1}, {back_ms, 3}})
        .Step("crash", 5000, 5100)
        .Judge("within 10s after last fault.end: answering == 3", 100);
  };
  EXPECT_EQ(run(8100).verdict(), HOLDS);
  EXPECT_NEAR(run(8100).recovery_s(), 3.0, 1e-9);
  EXPECT_EQ(run(17100).verdict(), VIOLATED);
  EXPECT_NEAR(run(17100).recovery_s(), 12.0, 1e-9);
  EXPECT_THAT(run(17100).evidence(), StartsWith("not within 10s: it took 12 s"));
}

TEST(JudgeTest, ABadPlanIsRefusedWithTheExpressionsPlace) {
  plan::v1::Plan plan;
  auto* invariant = plan.add_invariants();
  invariant->set_name("p");
  invariant->set_expr("always poool >= 1");
  SignalStore store;
  const auto judge = Judge::Create(plan, &store);
  EXPECT_FALSE(judge.ok());
  EXPECT_THAT(std::string(judge.status().message()),
              StartsWith("invariants[0].expr: column 8: unknown metric `poool`"));
}

TEST(JudgeTest, WithoutARunEverythingStaysOpen) {
  plan::v1::Plan plan;
  auto* invariant = plan.add_invariants();
  invariant->set_name("p");
  invariant->set_expr("always sum(up) >= 1");
  SignalStore store;
  auto judge = *Judge::Create(plan, &store);
  judge->Advance(TestTime(5));
  EXPECT_FALSE(judge->Results()[0].final());
  judge->Finish(TestTime(10));
  EXPECT_EQ(judge->Results()[0].verdict(), VACUOUS);
}

}  // namespace
}  // namespace squall

// Worked examples: what each shape of invariant says on a small trace, with margins. Each trace is judged in one go and
// in portions of different sizes: the results may not depend on how the data came.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "harness/invariants/trace_for_test.h"

namespace squall {
namespace {

using report::v1::HOLDS;
using report::v1::Truth;
using report::v1::UNKNOWN;
using report::v1::VACUOUS;
using report::v1::VIOLATED;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Case {
  const char* id;
  const char* expr;
  std::function<Trace()> trace;
  Truth verdict;
  double lo = NAN, hi = NAN;       // raw margins, NaN: not looked at
  double first_violation_ms = -1;  // -1: not looked at
  double recovery_ms = -1;
  const char* reason = nullptr;
};

Trace Pool(double run_ms, const Trace::Samples& samples, double stale_ms = 0) {
  return Trace(run_ms).Gauge("pool_size", samples, stale_ms);
}

Trace Gaps() {
  return Pool(12000, {{0, 48}, {1000, 47}, {2000, 46}, {3000, 45}, {9000, 44}, {10000, 46}, {11000, 48}}, 3000);
}

Trace Latency(double run_ms, const Trace::Samples& samples) {
  return Trace(run_ms).Gauge("lat_p99", samples).Step("crash_half", 10000, 20000);
}

Trace Recovers() {
  return Latency(
      70000,
      {{0, 120}, {10000, 900}, {20000, 700}, {25000, 400}, {30000, 250}, {35000, 180}, {40000, 150}, {50000, 130}});
}

Trace TwoFaults() {
  return Trace(120000)
      .Gauge("lat_p99", {{0, 120}, {10000, 900}, {35000, 180}, {40000, 800}, {50000, 170}})
      .Step("a", 10000, 20000)
      .Step("b", 38000, 45000);
}

Trace TenEvents() {
  return Trace(1000).Every(999).Events(
      "lat",
      {{100, 10}, {200, 20}, {300, 30}, {400, 40}, {500, 50}, {600, 60}, {700, 70}, {800, 80}, {900, 90}, {999, 1000}});
}

Trace Leaders() {
  return Trace(30000).Gauge("leaders", {{0, 1}, {5000, 0}, {7000, 1}, {15000, 0}, {16000, 1}, {17000, 0}, {19500, 1}});
}

Trace Errors(const Trace::Samples& samples) {
  return Trace(30000).Gauge("error_ratio", samples).Step("crash_half", 10000, 20000);
}

Trace Clock(double recovered_ms) {
  return Trace(20000).Gauge("leaders", {{0, 1}, {4000, 0}, {recovered_ms, 1}}).Step("k", 4000, 5000, 300);
}

Trace Quorum(const Trace::Samples& fourth) {
  const Trace::Samples full = {{0, 1}, {3000, 1}, {6000, 1}, {9000, 1}};
  return Trace(10000)
      .Gauge("node_up", full, 4000, {{"n", "a"}})
      .Gauge("node_up", full, 4000, {{"n", "b"}})
      .Gauge("node_up", fourth, 4000, {{"n", "c"}});
}

std::vector<Case> Cases() {
  const char* recovery = "within 30s after last fault.end: lat_p99 < 200 stays 10s";
  const char* leaders = "within 5s after last fault.end: leaders >= 1 stays 2s";
  const char* baseline = "always lat_p99 <= 1.2 * baseline(lat_p99 over before step crash_half) during step crash_half";
  return {
      {"E01 a floor holds; the margin is that of the worst sample", "always pool_size >= 40",
       [] { return Pool(10000, {{0, 48}, {3000, 45}, {4000, 41}, {5000, 43}, {8000, 48}}); }, HOLDS, 1, 1},
      {"E02 one bad sample is a violation", "always pool_size >= 40",
       [] { return Pool(6000, {{0, 48}, {2000, 44}, {4000, 39}, {5000, 42}}, 3000); }, VIOLATED, -1, -1, 4000},
      {"E03a equality satisfies >=", "always pool_size >= 40",
       [] { return Pool(4000, {{0, 44}, {2000, 40}, {3000, 44}}, 3000); }, HOLDS, 0, 0},
      {"E03b equality violates >", "always pool_size > 40",
       [] { return Pool(4000, {{0, 44}, {2000, 40}, {3000, 44}}, 3000); }, VIOLATED, 0, 0, 2000},
      {"E04 a gap is not known", "always pool_size >= 40", Gaps, UNKNOWN, -kInfinite, 4, -1, -1, "missing_data"},
      {"E05 a known violation beats a gap", "always pool_size >= 45", Gaps, VIOLATED, -kInfinite, -1, 9000},
      {"E06e no data at all", "always pool_size >= 40", [] { return Pool(5000, {}, 3000); }, UNKNOWN},
      {"E07a a dip within the grace", "always pool_size >= 40 grace 500ms",
       [] { return Pool(5000, {{0, 44}, {2000, 39}, {2400, 42}}); }, HOLDS, 2, 2},
      {"E07b a dip of exactly the grace", "always pool_size >= 40 grace 500ms",
       [] { return Pool(5000, {{0, 44}, {2000, 39}, {2500, 42}}); }, HOLDS, 2, 2},
      {"E07c a dip longer than the grace", "always pool_size >= 40 grace 500ms",
       [] { return Pool(5000, {{0, 44}, {2000, 39}, {2501, 42}}); }, VIOLATED, -1, -1, 2500},
      {"E08 scopes are half-open", "always error_ratio <= 5% during step crash_half",
       [] { return Errors({{0, 0.01}, {10000, 0.04}, {20000, 0.30}, {22000, 0.01}}); }, HOLDS, 0.01, 0.01},
      {"E09 a scope that never began", "always error_ratio <= 5% during step crash_half",
       [] { return Trace(30000).Gauge("error_ratio", {{0, 0.01}}).Step("crash_half", -1, -1); }, VACUOUS, NAN, NAN, -1,
       -1, "scope_empty"},
      {"E10 recovery, held", recovery, Recovers, HOLDS, 70, 70, -1, 15000},
      {"E11 a recovery that does not stay does not count", recovery,
       [] { return Latency(70000, {{0, 120}, {10000, 900}, {35000, 180}, {40000, 260}, {45000, 150}}); }, HOLDS, 50, 50,
       -1, 25000},
      {"E12 too late, and how late", recovery,
       [] { return Latency(70000, {{0, 120}, {10000, 900}, {30000, 240}, {51000, 150}}); }, VIOLATED, -40, -40, 50000,
       31000},
      {"E13 the run ends before it can be told", recovery,
       [] { return Latency(40000, {{0, 120}, {10000, 900}, {35000, 180}}); }, UNKNOWN, -700, kInfinite, -1, -1,
       "truncated"},
      {"E14a the next fault pre-empts", "within 30s after each fault.end: lat_p99 < 200 stays 10s", TwoFaults, UNKNOWN,
       -700, 30, -1, -1, "preempted"},
      {"E14b unless it is asked for across faults",
       "within 30s after each fault.end: lat_p99 < 200 stays 10s across faults", TwoFaults, HOLDS, 30, 30, -1, 30000},
      {"E16a nearest rank: p90 of 10 is the 9th", "at run.end: p90(lat)[999ms] <= 90", TenEvents, HOLDS, 0, 0},
      {"E16b p99 of 10 is the largest", "at run.end: p99(lat)[999ms] <= 90", TenEvents, VIOLATED, -910, -910},
      {"E16d the event at t - w is outside", "at run.end: count(lat)[899ms] == 9", TenEvents, HOLDS, kInfinite,
       kInfinite},
      {"E17 no event in the window is not known", "always p90(lat)[1s] < 200 during [run.start + 1s, run.end)",
       [] { return Trace(4000).Every(500).Events("lat", {{200, 50}, {700, 60}, {1200, 55}, {1700, 70}, {2100, 65}}); },
       UNKNOWN, -kInfinite, 130},
      {"E19 rate over a window, on the grid", "never rate(err)[2s] > 1",
       [] { return Trace(6000).Every(500).Events("err", {{1000, 1}, {1500, 1}, {3100, 1}, {3200, 1}, {3900, 1}}); },
       VIOLATED, -0.5, -0.5, 4000},
      {"E20a what was not delivered proves no upper bound", "always count(restart)[5s] <= 3",
       [] { return Trace(8000).Every(500).Events("restart", {{1000, 1}, {2500, 1}, {6000, 1}}).Hole(3000, 5000); },
       UNKNOWN, -kInfinite, 1},
      {"E20b but a lower one", "sometimes count(restart)[5s] >= 2",
       [] { return Trace(8000).Every(500).Events("restart", {{1000, 1}, {2500, 1}, {6000, 1}}).Hole(3000, 5000); },
       HOLDS, 0, kInfinite},
      {"E21 the increase of a counter over a reset", "at run.end: increase(req)[4s] == 60",
       [] { return Trace(8000).Every(500).Counter("req", {{0, 100}, {3000, 150}, {5000, 170}, {7000, 40}}, 3000); },
       HOLDS, kInfinite, kInfinite},
      {"E22a a baseline is the mean before the fault", baseline,
       [] {
         return Trace(30000)
             .Gauge("lat_p99", {{0, 100}, {5000, 110}, {10000, 120}, {15000, 125}, {20000, 130}}, 6000)
             .Step("crash_half", 10000, 20000);
       },
       HOLDS, 1, 1},
      {"E22b a hole in it makes it unknown", baseline,
       [] {
         return Trace(30000)
             .Gauge("lat_p99",
                    {{0, 100}, {5000, 110}, {10000, 120}, {12500, 121}, {15000, 125}, {17500, 125}, {20000, 130}}, 3000)
             .Step("crash_half", 10000, 20000);
       },
       UNKNOWN},
      {"E22c a floor under a baseline of 0",
       "always errs <= max(1.2 * baseline(errs over before step crash_half), 2) during step crash_half",
       [] { return Trace(30000).Gauge("errs", {{0, 0}, {12000, 1}, {13000, 0}}).Step("crash_half", 10000, 20000); },
       HOLDS, 1, 1},
      {"E24a bounded response", "when leaders < 1 then within 5s: leaders >= 1 stays 2s", Leaders, HOLDS, 0, 0, -1,
       4500},
      {"E24b a trigger that never fired", "when leaders > 1 then within 5s: leaders <= 1", Leaders, VACUOUS, NAN, NAN,
       -1, -1, "trigger_never"},
      {"E25 availability as a fraction", "fraction(up1 >= 1) >= 99%",
       [] { return Trace(20000).Gauge("up1", {{0, 1}, {8000, 0}, {8100, 1}}); }, HOLDS, 0.005, 0.005},
      {"E27a a quorum that does not need the silent node", "always countif(node_up >= 1) >= 2",
       [] { return Quorum({{0, 1}, {3000, 1}}); }, HOLDS, 0, 1},
      {"E27b a quorum that needs it", "always countif(node_up >= 1) >= 3", [] { return Quorum({{0, 1}, {3000, 1}}); },
       UNKNOWN, -1, 0},
      {"E27c a node that ended drops out", "always countif(node_up >= 1) >= 3",
       [] { return Quorum({{0, 1}, {2000, kEndMark}}); }, VIOLATED, -1, -1, 2000},
      {"E28 silence itself", "never absent(hb) for 2s",
       [] {
         return Trace(9000).Gauge("hb", {{0, 1}, {1000, 1}, {2000, 1}, {3000, 1}, {6000, 1}, {7000, 1}, {8000, 1}},
                                  1500);
       },
       HOLDS, kInfinite, kInfinite},
      {"E28b one second more", "never absent(hb) for 2s",
       [] { return Trace(9000).Gauge("hb", {{0, 1}, {1000, 1}, {2000, 1}, {3000, 1}, {7000, 1}, {8000, 1}}, 1500); },
       VIOLATED, -kInfinite, -kInfinite, 6500},
      {"E29 units are joined by shares of the limit", "always pool_size >= 40 and err_ratio <= 0.05",
       [] { return Pool(5000, {{0, 48}, {2000, 44}}).Gauge("err_ratio", {{0, 0.01}, {3000, 0.048}}); }, HOLDS, 0.002,
       0.002},
      {"E30 for, inside a formula", "never (cpu > 90 for 3s)",
       [] { return Trace(20000).Gauge("cpu", {{0, 50}, {2000, 95}, {4000, 80}, {8000, 92}, {12000, 70}}); }, VIOLATED,
       -2, -2, 11000},
      {"E31 existence", "sometimes failovers >= 1 during step crash_half",
       [] { return Trace(30000).Gauge("failovers", {{0, 0}, {12000, 1}}).Step("crash_half", 10000, 20000); }, HOLDS, 0,
       0},
      {"E31b never witnessed", "sometimes failovers >= 1 during step crash_half",
       [] { return Trace(30000).Gauge("failovers", {{0, 0}, {25000, 1}}).Step("crash_half", 10000, 20000); }, VIOLATED,
       -1, -1},
      {"E33a slack larger than the clocks' uncertainty", leaders, [] { return Clock(9000); }, HOLDS, 0, 0},
      {"E33b slack smaller than it", leaders, [] { return Clock(9900); }, UNKNOWN, -1, 0},
      {"E33c late by more than it", leaders, [] { return Clock(10400); }, VIOLATED, -1, -1},
      {"E34 implication", "when load1 >= 100 then cpu <= 90 during run",
       [] {
         return Trace(10000)
             .Gauge("load1", {{0, 50}, {3000, 120}, {6000, 60}})
             .Gauge("cpu", {{0, 95}, {3000, 80}, {6000, 97}});
       },
       HOLDS, 10, 10},
      {"E35 an implication whose trigger never fired", "when load1 >= 500 then cpu <= 90",
       [] { return Trace(10000).Gauge("load1", {{0, 50}}).Gauge("cpu", {{0, 95}}); }, VACUOUS, NAN, NAN, -1, -1,
       "trigger_never"},
      {"E36 settled from 30 s after the fault on", "always lat_p99 < 200 during [fault.end + 30s, run.end)", Recovers,
       HOLDS, 70, 70},
  };
}

void ExpectMargin(double wanted, double seen, const char* which) {
  if (std::isnan(wanted)) return;
  if (std::isinf(wanted)) {
    EXPECT_EQ(seen, wanted) << which;
  } else {
    EXPECT_NEAR(seen, wanted, 1e-9) << which;
  }
}

TEST(ConformanceTest, WorkedExamples) {
  for (const Case& example : Cases()) {
    for (const double portion_ms : {0.0, 137.0, 1000.0, 4321.0}) {
      SCOPED_TRACE(std::string(example.id) + ", portions of " + std::to_string(portion_ms) + " ms");
      Trace trace = example.trace();
      const auto result = trace.Judge(example.expr, portion_ms);
      EXPECT_EQ(result.verdict(), example.verdict) << result.ShortDebugString();
      EXPECT_TRUE(result.final());
      ExpectMargin(example.lo, result.margin_lo(), "margin_lo");
      ExpectMargin(example.hi, result.margin_hi(), "margin_hi");
      if (example.first_violation_ms >= 0) {
        EXPECT_NEAR(result.first_violation_s(), example.first_violation_ms / 1000, 1e-9);
      }
      if (example.recovery_ms >= 0) {
        EXPECT_NEAR(result.recovery_s(), example.recovery_ms / 1000, 1e-9);
      }
      if (example.reason != nullptr) {
        EXPECT_EQ(result.reason(), example.reason);
      }
    }
  }
}

}  // namespace
}  // namespace squall

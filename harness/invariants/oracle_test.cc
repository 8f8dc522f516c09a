// The judge against brute force: random formulas over random traces with holes, evaluated here at every tick by the
// definitions alone, there along changes, in random portions. Verdict, margins, first violation and recovery must
// agree.
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "harness/invariants/parser.h"
#include "harness/invariants/trace_for_test.h"

namespace squall {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
#ifndef ORACLE_EFFORT
#define ORACLE_EFFORT 1
#endif
constexpr int kEffort = ORACLE_EFFORT;
constexpr int kTickMs = 10;
constexpr int kEnd = 300;  // ticks

struct Mark {
  double rho, raw;
  bool operator<(const Mark& o) const { return rho != o.rho ? rho < o.rho : raw < o.raw; }
};
struct Value {
  int v;  // 0 false, 1 unknown, 2 true
  Mark lo, hi;
};
constexpr Mark kTop{kInfinite, kInfinite}, kBottom{-kInfinite, -kInfinite};
Value Crisp(int v) { return {v, v == 2 ? kTop : kBottom, v == 0 ? kBottom : kTop}; }
Value Both(const Value& a, const Value& b) { return {std::min(a.v, b.v), std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Value Some(const Value& a, const Value& b) { return {std::max(a.v, b.v), std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Value Opposite(const Value& a) { return {2 - a.v, {-a.hi.rho, -a.hi.raw}, {-a.lo.rho, -a.lo.raw}}; }

struct Range {
  double lo, hi;
};

// All times in ticks.
struct Series {
  std::vector<std::pair<int, double>> samples;
  int stale = 1 << 20;
  bool Seen(int t) const { return !samples.empty() && samples[0].first <= t; }
  // -1 not seen, 0 stale, 1 known, 2 ended
  int At(int t, double* value) const {
    int state = -1;
    for (const auto& [at, v] : samples) {
      if (at > t) break;
      state = v == kEndMark ? 2 : t - at >= stale ? 0 : 1;
      *value = v;
    }
    return state;
  }
};

class Oracle {
 public:
  std::map<std::string, std::vector<Series>> gauges;
  std::vector<int> events;
  std::vector<std::pair<int, int>> holes;  // (from, to]

  bool Seen(const std::string& name, int t) const {
    for (const Series& series : gauges.at(name)) {
      if (series.Seen(t)) return true;
    }
    return false;
  }

  std::vector<Range> Live(const std::string& name, int t) const {
    std::vector<Range> out;
    for (const Series& series : gauges.at(name)) {
      double value = 0;
      const int state = series.At(t, &value);
      if (state == 1) out.push_back({value, value});
      if (state == 0) out.push_back({-kInfinite, kInfinite});
    }
    return out;
  }

  Range Spatial(ast::Spatial how, const std::string& name, int t) const {
    const std::vector<Range> live = Live(name, t);
    if (how == ast::Spatial::kCount && !Seen(name, t)) return {0, kInfinite};
    if (how == ast::Spatial::kCount) {
      double known = 0;
      for (const Range& r : live) known += r.lo == r.hi;
      return {known, static_cast<double>(live.size())};
    }
    if (live.empty()) return {-kInfinite, kInfinite};
    Range out = live[0];
    for (size_t i = 1; i < live.size(); ++i) {
      if (how == ast::Spatial::kMin) out = {std::min(out.lo, live[i].lo), std::min(out.hi, live[i].hi)};
      if (how == ast::Spatial::kMax) out = {std::max(out.lo, live[i].lo), std::max(out.hi, live[i].hi)};
      if (how == ast::Spatial::kSum) out = {out.lo + live[i].lo, out.hi + live[i].hi};
    }
    return out;
  }

  // By the definitions, once for each node and tick.
  Range Number(const ast::Num& n, int t) const {
    auto& known = numbers_[&n];
    known.resize(kEnd + 2, {std::nan(""), 0});
    Range& value = known[static_cast<size_t>(t)];
    if (std::isnan(value.lo)) value = MakeNumber(n, t);
    return value;
  }

  Range MakeNumber(const ast::Num& n, int t) const {
    using ast::Num;
    switch (n.kind) {
      case Num::kNumber:
        return {n.number, n.number};
      case Num::kSelect: {
        const std::vector<Range> live = Live(n.selector.name, t);
        return live.size() == 1 ? live[0] : Range{-kInfinite, kInfinite};
      }
      case Num::kSpatial:
        return Spatial(n.spatial, n.selector.name, t);
      case Num::kCountIf: {
        double sure = 0, maybe = 0;
        if (!Seen(n.selector.name, t)) return {0, kInfinite};
        const Range limit = Number(n.children[0], t);
        for (const Range& r : Live(n.selector.name, t)) {
          const int v = Compare(n.compare, r, limit, 1).v;
          sure += v == 2;
          maybe += v == 1;
        }
        return {sure, sure + maybe};
      }
      case Num::kWindow:
        return Window(n, t);
      case Num::kAdd: {
        const Range a = Number(n.children[0], t), b = Number(n.children[1], t);
        return {a.lo + b.lo, a.hi + b.hi};
      }
      case Num::kSubtract: {
        const Range a = Number(n.children[0], t), b = Number(n.children[1], t);
        return {a.lo - b.hi, a.hi - b.lo};
      }
      default:
        ADD_FAILURE() << "the oracle does not know this";
        return {0, 0};
    }
  }

  Range Window(const ast::Num& n, int t) const {
    const int w = static_cast<int>(n.window_ns / 1'000'000 / kTickMs);
    if (n.window == ast::Window::kCount) {
      double count = 0;
      for (const int e : events) count += e > t - w && e <= t;
      bool hole = false;
      for (const auto& [from, to] : holes) hole |= from < t && to > std::max(t - w, 0);
      return {count, hole ? kInfinite : count};
    }
    const bool min = n.window == ast::Window::kMin;
    Range out{min ? kInfinite : -kInfinite, min ? kInfinite : -kInfinite};
    // A step function's instants in (t - w, t] are those of the ticks from t - w on: the value at t - w still holds
    // after.
    for (int u = std::max(t - w, 0); u <= t; ++u) {
      const Range now = Spatial(min ? ast::Spatial::kMin : ast::Spatial::kMax, n.selector.name, u);
      out = min ? Range{std::min(out.lo, now.lo), std::min(out.hi, now.hi)}
                : Range{std::max(out.lo, now.lo), std::max(out.hi, now.hi)};
    }
    return out;
  }

  static Value Compare(ast::Compare op, Range a, Range b, double scale) {
    if (op == ast::Compare::kGreater || op == ast::Compare::kGreaterEqual) std::swap(a, b);
    const bool strict = op == ast::Compare::kGreater || op == ast::Compare::kLess;
    const Mark lo{(b.lo - a.hi) / scale, b.lo - a.hi}, hi{(b.hi - a.lo) / scale, b.hi - a.lo};
    const int v = (strict ? a.hi < b.lo : a.hi <= b.lo) ? 2 : (strict ? a.lo >= b.hi : a.lo > b.hi) ? 0 : 1;
    return {v, lo, hi};
  }

  Value Truth(const ast::Formula& f, int t) const {
    auto& known = truths_[&f];
    known.resize(kEnd + 2, {-1, kTop, kTop});
    Value& value = known[static_cast<size_t>(t)];
    if (value.v < 0) value = MakeTruth(f, t);
    return value;
  }

  Value MakeTruth(const ast::Formula& f, int t) const {
    using ast::Formula;
    const int d = static_cast<int>(f.duration_ns / 1'000'000 / kTickMs);
    switch (f.kind) {
      case Formula::kCompare: {
        const Range limit = Number(f.sides[1], t);
        return Compare(f.compare, Number(f.sides[0], t), limit,
                       limit.lo != 0 && limit.lo == limit.hi ? std::abs(limit.lo) : 1);
      }
      case Formula::kAnd:
      case Formula::kOr: {
        Value v = Truth(f.children[0], t);
        for (size_t i = 1; i < f.children.size(); ++i) {
          v = f.kind == Formula::kAnd ? Both(v, Truth(f.children[i], t)) : Some(v, Truth(f.children[i], t));
        }
        return v;
      }
      case Formula::kNot:
        return Opposite(Truth(f.children[0], t));
      case Formula::kFor: {
        if (t < d) return Crisp(0);
        Value v = Crisp(2);
        for (int u = t - d; u <= t; ++u) v = Both(v, Truth(f.children[0], u));
        return v;
      }
      case Formula::kOnce: {
        Value v = Crisp(0);
        for (int u = std::max(t - d, 0); u <= t; ++u) v = Some(v, Truth(f.children[0], u));
        return v;
      }
      case Formula::kAbsent: {
        for (const Range& r : Live(f.selector.name, t)) {
          if (r.lo == r.hi) return Crisp(0);
        }
        return Crisp(2);
      }
    }
    return Crisp(1);
  }

  // sup over r in [a, a + d] of inf over [r, r + h]; from `limit` on nothing is known.
  Value Obligation(const std::vector<Value>& f, int a, int d, int h, int limit, int* recovery) const {
    const auto at = [&](int u) { return u >= limit || u > kEnd ? Crisp(1) : f[static_cast<size_t>(u)]; };
    Value best = Crisp(0);
    *recovery = -1;
    for (int r = a; r <= std::max(a + d, kEnd); ++r) {
      Value v = Crisp(2);
      for (int u = r; u <= r + h; ++u) v = Both(v, at(u));
      if (r <= a + d) best = Some(best, v);
      if (v.v == 2 && *recovery < 0) *recovery = r - a;
    }
    return best;
  }

 private:
  mutable std::map<const ast::Num*, std::vector<Range>> numbers_;
  mutable std::map<const ast::Formula*, std::vector<Value>> truths_;
};

struct Verdict {
  report::v1::Truth truth;
  bool margins = false;
  Value value{};
  int first_violation = -1;
};

report::v1::Truth AsTruth(int v) {
  return v == 2 ? report::v1::HOLDS : v == 0 ? report::v1::VIOLATED : report::v1::UNKNOWN;
}

class RandomTest : public testing::Test {
 protected:
  std::mt19937 random_{20101222};
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string Pick(const std::vector<std::string>& all) {
    return all[static_cast<size_t>(Below(static_cast<int>(all.size())))];
  }
  std::string Ms(int most_ticks) { return std::to_string((1 + Below(most_ticks)) * kTickMs) + "ms"; }

  std::string Atom() {
    const std::string op = Pick({" >= ", " > ", " <= ", " < "});
    switch (Below(9)) {
      case 0:
        return "g" + op + std::to_string(Below(6));
      case 1:
        return "h" + op + std::to_string(Below(6));
      case 2:
        return "g + h" + op + std::to_string(Below(11));
      case 3:
        return "g" + op + "h";
      case 4:
        return Pick({"min", "max"}) + "(" + Pick({"g", "m"}) + ")[" + Ms(60) + "]" + op + std::to_string(Below(6));
      case 5:
        return "count(e)[" + Ms(60) + "]" + op + std::to_string(Below(5));
      case 6:
        return Pick({"sum", "min", "max", "count"}) + "(m)" + op + std::to_string(Below(8));
      case 7:
        return "countif(m >= " + std::to_string(Below(6)) + ")" + op + std::to_string(Below(4));
      default:
        return "absent(" + Pick({"g", "h", "m"}) + ")";
    }
  }

  std::string Formula(int depth) {
    if (depth == 0 || Below(4) == 0) return Atom();
    switch (Below(5)) {
      case 0:
        return "(" + Formula(depth - 1) + " and " + Formula(depth - 1) + ")";
      case 1:
        return "(" + Formula(depth - 1) + " or " + Formula(depth - 1) + ")";
      case 2:
        return "not (" + Formula(depth - 1) + ")";
      case 3:
        return "((" + Formula(depth - 1) + ") for " + Ms(40) + ")";
      default:
        return "once " + Ms(40) + " (" + Formula(depth - 1) + ")";
    }
  }

  Series RandomSeries() {
    Series series;
    if (Below(3) > 0) series.stale = 3 * (7 + Below(20));  // exactly 3 periods
    for (int t = Below(4) ? 0 : Below(100); t <= kEnd; t += 1 + Below(50)) {
      series.samples.emplace_back(t, Below(12) == 0 ? kEndMark : Below(6));
    }
    return series;
  }

  void MakeTrace(Trace* trace, Oracle* oracle) {
    const auto add = [&](const std::string& name, const std::string& label) {
      const Series series = RandomSeries();
      Trace::Samples samples;
      for (const auto& [t, v] : series.samples) samples.emplace_back(t * kTickMs, v);
      trace->Gauge(name, samples, series.stale < (1 << 20) ? series.stale * kTickMs : 0, {{"n", label}});
      oracle->gauges[name].push_back(series);
    };
    add("g", "");
    add("h", "");
    for (int i = Below(4); i >= 0; --i) add("m", std::to_string(i));
    Trace::Samples events;
    for (int t = Below(40); t <= kEnd; t += 1 + Below(40)) {
      events.emplace_back(t * kTickMs, 1);
      oracle->events.push_back(t);
    }
    trace->Events("e", events);
    if (Below(3) == 0) {
      const int from = Below(250), to = from + 1 + Below(40);
      trace->Hole(from * kTickMs, to * kTickMs);
      oracle->holes.emplace_back(from, to);
    }
    trace->Every(kTickMs);
    trace->Step("a", 500, 900).Step("b", 1800, 2200);
  }

  void Compare(const std::string& expr, const report::v1::InvariantResult& seen, const Verdict& wanted) {
    ASSERT_EQ(seen.verdict(), wanted.truth) << expr << "\n" << seen.ShortDebugString();
    if (!wanted.margins) return;
    for (const auto& [name, got, want] :
         {std::tuple<const char*, double, double>{"lo", seen.margin_lo(), wanted.value.lo.raw},
          {"hi", seen.margin_hi(), wanted.value.hi.raw}}) {
      if (std::isinf(want)) {
        ASSERT_EQ(got, want) << expr << " margin " << name << "\n" << seen.ShortDebugString();
      } else {
        ASSERT_NEAR(got, want, 1e-9) << expr << " margin " << name << "\n" << seen.ShortDebugString();
      }
    }
    if (wanted.first_violation >= 0) {
      ASSERT_NEAR(seen.first_violation_s(), wanted.first_violation * kTickMs / 1e3, 1e-9) << expr;
    }
  }
};

TEST_F(RandomTest, ScopesOfInstantsAgreeWithBruteForce) {
  std::map<report::v1::Truth, int> seen;
  for (int round = 0; round < 150 * kEffort; ++round) {
    Trace trace(kEnd * kTickMs);
    Oracle oracle;
    MakeTrace(&trace, &oracle);
    const std::string text = Formula(3), other = Formula(2);
    const ast::Formula f = *ParseFormula(text), g = *ParseFormula(other);
    const std::vector<std::pair<std::string, std::pair<int, int>>> scopes = {
        {"run", {0, 300}},
        {"step a", {50, 90}},
        {"before step b", {0, 180}},
        {"after step a", {90, 180}},
        {"[a.start + 100ms, b.end - 50ms)", {60, 215}}};
    const auto& [scope, span] = scopes[static_cast<size_t>(Below(static_cast<int>(scopes.size())))];
    const std::string quantifier = Pick({"always", "never", "sometimes", "grace", "imply", "fraction"});
    Value value = Crisp(quantifier == "sometimes" ? 0 : 2);
    int first = -1, sure = 0, maybe = 0;
    bool triggered = false, maybe_triggered = false;
    for (int t = span.first; t < span.second; ++t) {
      Value v = oracle.Truth(f, t);
      sure += v.v == 2;
      maybe += v.v == 1;
      if (quantifier == "never") v = Opposite(v);
      if (quantifier == "imply") {
        triggered |= v.v == 2;
        maybe_triggered |= v.v == 1;
        v = Some(Opposite(v), oracle.Truth(g, t));
      }
      if (quantifier == "grace") {
        Value once = Crisp(0);
        for (int u = std::max(t - 20, 0); u <= t; ++u) once = Some(once, oracle.Truth(f, u));
        v = t < 20 ? Crisp(2) : once;
      }
      if (v.v == 0 && first < 0) first = t;
      value = quantifier == "sometimes" ? Some(value, v) : Both(value, v);
    }
    Verdict wanted{AsTruth(value.v), true, value, quantifier == "sometimes" ? -1 : first};
    std::string expr = quantifier + " " + text + " during " + scope;
    if (quantifier == "grace") expr = "always (" + text + ") grace 200ms during " + scope;
    if (quantifier == "imply") {
      expr = "when " + text + " then " + other + " during " + scope;
      if (!triggered && value.v == 2) {
        wanted.truth = maybe_triggered ? report::v1::UNKNOWN : report::v1::VACUOUS;
      }
    }
    if (quantifier == "fraction") {
      const double total = span.second - span.first;
      const Value share =
          Oracle::Compare(ast::Compare::kGreaterEqual, {sure / total, (sure + maybe) / total}, {0.5, 0.5}, 0.5);
      wanted = {AsTruth(share.v), true, share};
      expr = "fraction(" + text + ") >= 50% during " + scope;
    }
    const auto result = trace.Judge(expr, Below(3) == 0 ? 0 : 1 + Below(700));
    Compare(expr, result, wanted);
    if (HasFatalFailure()) return;
    ++seen[result.verdict()];
  }
  for (const auto truth : {report::v1::HOLDS, report::v1::VIOLATED, report::v1::UNKNOWN}) EXPECT_GT(seen[truth], 10);
}

TEST_F(RandomTest, RecoveryAgreesWithBruteForce) {
  std::map<report::v1::Truth, int> seen;
  for (int round = 0; round < 120 * kEffort; ++round) {
    Trace trace(kEnd * kTickMs);
    Oracle oracle;
    MakeTrace(&trace, &oracle);
    const std::string text = Formula(2);
    const ast::Formula f = *ParseFormula(text);
    std::vector<Value> values;
    for (int t = 0; t <= kEnd; ++t) values.push_back(oracle.Truth(f, t));
    const int d = 1 + Below(120), h = Below(3) == 0 ? 0 : 1 + Below(60);
    const bool across = Below(2) == 0;
    const std::string which = Pick({"each", "first", "last"});
    std::vector<std::pair<int, int>> anchors = {{90, 180}, {220, 1 << 20}};  // end of each fault, start of the next
    if (which == "first") anchors.pop_back();
    if (which == "last") anchors.erase(anchors.begin());
    Value value = Crisp(2);
    int slowest = 0;
    for (const auto& [a, next] : anchors) {
      int recovery = -1;
      value = Both(value, oracle.Obligation(values, a, d, h, across ? 1 << 20 : next, &recovery));
      slowest = recovery < 0 || slowest < 0 ? -1 : std::max(slowest, recovery);
    }
    std::string expr = "within " + std::to_string(d * kTickMs) + "ms after " + which + " fault.end: " + text;
    if (h > 0) expr += " stays " + std::to_string(h * kTickMs) + "ms";
    if (across) expr += " across faults";
    const auto result = trace.Judge(expr, Below(3) == 0 ? 0 : 1 + Below(700));
    Compare(expr, result, {AsTruth(value.v), true, value});
    if (HasFatalFailure()) return;
    if (slowest >= 0 && result.verdict() == report::v1::HOLDS) {
      ASSERT_NEAR(result.recovery_s(), slowest * kTickMs / 1e3, 1e-9) << expr;
    }
    ++seen[result.verdict()];
  }
  for (const auto truth : {report::v1::HOLDS, report::v1::VIOLATED, report::v1::UNKNOWN}) EXPECT_GT(seen[truth], 10);
}

TEST_F(RandomTest, ResponsesAgreeWithBruteForce) {
  std::map<report::v1::Truth, int> seen;
  for (int round = 0; round < 120 * kEffort; ++round) {
    Trace trace(kEnd * kTickMs);
    Oracle oracle;
    MakeTrace(&trace, &oracle);
    const std::string trigger_text = Formula(2), text = Formula(2);
    const ast::Formula trigger = *ParseFormula(trigger_text), f = *ParseFormula(text);
    std::vector<Value> values;
    for (int t = 0; t <= kEnd; ++t) values.push_back(oracle.Truth(f, t));
    const int d = 1 + Below(80), h = Below(3) == 0 ? 0 : 1 + Below(40);
    int sure = 0, possible = 0, prev = 0;
    int v = 2;
    for (int t = 0; t < kEnd; ++t) {
      const int now = oracle.Truth(trigger, t).v;
      int recovery = -1;
      const bool rises = now == 2 && prev == 0, may_rise = now == 1 || (now == 2 && prev == 1);
      if (rises || may_rise) {
        int answer = oracle.Obligation(values, t, d, h, 1 << 20, &recovery).v;
        if (now == 1 && t + h == kEnd) answer = std::min(answer, 1);  // to a trigger between two ticks
        v = std::min(v, rises || answer == 2 ? answer : 1);
      }
      sure += rises;
      possible += may_rise;
      prev = now;
    }
    Verdict wanted{sure > 0 ? AsTruth(v) : possible > 0 ? report::v1::UNKNOWN : report::v1::VACUOUS};
    std::string expr = "when " + trigger_text + " then within " + std::to_string(d * kTickMs) + "ms: " + text;
    if (h > 0) expr += " stays " + std::to_string(h * kTickMs) + "ms";
    const auto result = trace.Judge(expr, Below(3) == 0 ? 0 : 1 + Below(700));
    Compare(expr, result, wanted);
    if (HasFatalFailure()) return;
    ++seen[result.verdict()];
  }
  for (const auto truth : {report::v1::HOLDS, report::v1::VIOLATED, report::v1::UNKNOWN, report::v1::VACUOUS}) {
    EXPECT_GT(seen[truth], 3) << truth;
  }
}

// No final verdict may be taken back.
TEST_F(RandomTest, WhatIsFinalStays) {
  for (int round = 0; round < 15 * kEffort; ++round) {
    Trace trace(kEnd * kTickMs);
    Oracle oracle;
    MakeTrace(&trace, &oracle);
    const std::string text = Formula(2);
    const std::string expr =
        Pick({"always " + text + " during step a", "sometimes " + text, "never " + text + " grace 100ms",
              "within 500ms after each fault.end: " + text + " stays 100ms", "when g > 2 then within 300ms: " + text,
              "at b.start: " + text, "always " + text + " during [a.end, b.start)"});
    std::optional<report::v1::Truth> final;
    trace.after_portion = [&](const squall::Judge& judge, double ms) {
      const auto result = judge.Results()[0];
      if (final) {
        EXPECT_TRUE(result.final()) << expr << " at " << ms;
        EXPECT_EQ(result.verdict(), *final) << expr << " at " << ms;
      }
      if (result.final()) final = result.verdict();
    };
    const auto result = trace.Judge(expr, 20);
    if (final) {
      ASSERT_EQ(result.verdict(), *final) << expr;
    }
  }
}

}  // namespace
}  // namespace squall

#include "harness/invariants/parser.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string Error(const std::string& text) {
  const auto body = ParseInvariant(text);
  return body.ok() ? "parsed" : std::string(body.status().message());
}

TEST(ParserTest, CanonicalTextIsItsOwnCanonicalText) {
  for (const std::string text : {
           "always pool >= 20",
           "always pool >= 20 grace 500ms during [trigger.start, run.end)",
           "never (cpu > 90 for 3s)",
           "never count(exits{cause=\"by signal\"})[10s] > 3 during fault",
           "sometimes failovers >= 1 during step crash-half",
           "at run.end: increase(req)[4s] == 60",
           "at mega1.start + 9s: online >= 15% and online <= 25%",
           "within 30s after each trigger.end: online >= 95% stays 10s",
           "within 30s after last fault.end: p99(http_ms)[5s] < 200 stays 10s across faults",
           "when leaders < 1 then within 5s: leaders >= 1 stays 2s during run",
           "when load >= 100 then cpu <= 90",
           "fraction(up >= 1) >= 99% during after step k",
           "always x <= max(1.2 * baseline(x over before step k), 2) during step k",
           "always a - (b - c) < (a + b) * -c / 2",
           "always not (a < 1 or b < 1) and (c < 1 or d < 1)",
           "always not (a < 1 and b < 1)",
           "never absent(hb) for 2s",
           "always once 5s (a < 1) and a < 2",
           "always min(a{x!=\"1\",y=~\"b.*\",z!~\"\\\"\\\\\"})[1s] > 0.001",
           "always countif(up{role=\"s\"} == 1) >= 3 and age(up) < 2500ms",
           "always p999(l)[1m] < 1h and p05(l)[1m] < 1h and quantile(1, l)[1m] < 2h",
       }) {
    const auto body = ParseInvariant(text);
    ASSERT_TRUE(body.ok()) << text << "\n" << body.status();
    const std::string printed = ast::Print(*body);
    const auto again = ParseInvariant(printed);
    ASSERT_TRUE(again.ok()) << printed << "\n" << again.status();
    EXPECT_EQ(ast::Print(*again), printed) << text;
  }
}

TEST(ParserTest, PrecedenceIsOrAndNotCompareSumProduct) {
  EXPECT_EQ(ast::Print(*ParseFormula("a < 1 or b + c * d > 2 and not e == 3 for 5s")),
            "a < 1 or b + c * d > 2 and not e == 3 for 5s");
  const ast::Formula f = *ParseFormula("a < 1 or b < 1 and not c < 1 for 5s");
  EXPECT_EQ(f.kind, ast::Formula::kOr);
  EXPECT_EQ(f.children[1].kind, ast::Formula::kAnd);
  EXPECT_EQ(f.children[1].children[1].kind, ast::Formula::kNot);
  EXPECT_EQ(f.children[1].children[1].children[0].kind, ast::Formula::kFor);
  EXPECT_EQ(ast::Print(*ParseNum("8 - 4 - 2")), "8 - 4 - 2");
  EXPECT_EQ(ast::Print(*ParseNum("8 - (4 - 2)")), "8 - (4 - 2)");
}

TEST(ParserTest, NumbersCarryTheirUnit) {
  EXPECT_EQ(ParseNum("95%")->number, 0.95);
  EXPECT_EQ(ParseNum("1m30s")->number, 90);
  EXPECT_EQ(ParseNum("250ms")->number, 0.25);
  EXPECT_EQ(ParseNum("1.5h")->number, 5400);
  EXPECT_EQ(ParseInvariant("within 1m30s after a.end: x > 1")->deadline_ns, 90'000'000'000);
}

TEST(ParserTest, StepsMayHaveNamesThatAreNoMetrics) {
  const auto body = ParseInvariant("always x > 1 during [kill-9.start + 5s, first.end - 500ms)");
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->scope.from.step, "kill-9");
  EXPECT_EQ(body->scope.from.offset_ns, 5'000'000'000);
  EXPECT_EQ(body->scope.to.step, "first");
  EXPECT_EQ(body->scope.to.offset_ns, -500'000'000);
  EXPECT_EQ(ParseInvariant("within 5s after first.end: x > 1")->which, ast::Body::kEach);
  EXPECT_EQ(ParseInvariant("within 5s after first fault.end: x > 1")->which, ast::Body::kFirst);
  EXPECT_EQ(ParseInvariant("at 2x.start: x > 1")->anchor.step, "2x");
  EXPECT_TRUE(ParseInvariant("always x > 1 during (a.start, b.start)").ok());
}

TEST(ParserTest, ErrorsNameTheColumnAndWhatWasMeant) {
  EXPECT_EQ(
      Error("alway pool > 1"),
      "column 1: expected `always`, `never`, `sometimes`, `at`, `within`, `when` or `fraction`, found `alway`; did "
      "you mean `always`?");
  EXPECT_EQ(Error("always pool >"), "column 14: expected a number, a metric or `(`, found the end");
  EXPECT_EQ(Error("always pool"), "column 12: expected a comparison such as `>= 1` after the number");
  EXPECT_EQ(Error("always pool > 1 durin run"),
            "column 17: expected `grace`, `during` or the end, found `durin`; did you mean `during`?");
  EXPECT_EQ(Error("always pool = 1"), "column 13: write `==` for equality");
  EXPECT_EQ(Error("always 1 < pool < 3"), "column 17: comparisons do not chain: join two with `and`");
  EXPECT_EQ(Error("always pool > 5x"), "column 15: `x` is no unit of time (ms, s, m, h)");
  EXPECT_EQ(Error("always pool > 1..2"), "column 15: `1..2` is no number");
  EXPECT_EQ(Error("always cuont(x)[5s] > 1"), "column 8: `cuont` is no function; did you mean `count`?");
  EXPECT_EQ(Error("always rate(x) > 1"), "column 16: expected a window such as [10s] after rate(...), found `>`");
  EXPECT_EQ(Error("always rate(x)[0s] > 1"), "column 16: a window is longer than 0");
  EXPECT_EQ(Error("always x > 1 during [a.begin, b.end)"),
            "column 24: expected `start`, `end` or `requested`, found `begin`");
  EXPECT_EQ(Error("always x > 1 during [a.start, b.end]"),
            "column 36: a scope does not hold its end: close it with `)`");
  EXPECT_EQ(Error("within after a.end: x > 1"),
            "column 8: expected a duration such as 500ms after `within`, found `after`");
  EXPECT_EQ(Error("always x{role=server} > 1"), "column 15: expected a value in double quotes, found `server`");
  EXPECT_EQ(Error("always x{role=\"server} > 1"), "column 15: this string has no closing quote");
  EXPECT_EQ(Error("always x > 1 $"), "column 14: `$` has no meaning here");
  EXPECT_EQ(Error("always x > 1 \xc3\xa4"), "column 14: a byte that is no printable ASCII stands here");
  EXPECT_EQ(Error("always (x > 1) + 2 > 3"), "column 9: expected a number here, this is true or false");
  EXPECT_EQ(Error("sometimes x > 1 grace 5s"), "column 17: `sometimes` has no grace");
  EXPECT_EQ(Error("always min(a + b) > 1"), "column 12: min() of one takes a metric, not a sum");
  EXPECT_EQ(Error("always never > 1"), "column 8: expected a number, a metric or `(`, found `never`");
  EXPECT_EQ(Error(""),
            "column 1: expected `always`, `never`, `sometimes`, `at`, `within`, `when` or `fraction`, found the end");
}

TEST(ParserTest, DepthAndLengthAreBounded) {
  EXPECT_THAT(Error("always " + std::string(200, '(') + "x > 1" + std::string(200, ')')), HasSubstr("64 levels"));
  EXPECT_THAT(Error("always " + std::string(20, '(') + "x > 1" + std::string(20, ')')), "parsed");
  std::string nots = "always ";
  for (int i = 0; i < 900; ++i) nots += "not ";
  EXPECT_THAT(Error(nots + "x > 1"), HasSubstr("64 levels"));
  EXPECT_THAT(Error("always x > " + std::string(900, '-') + "1"), HasSubstr("64 levels"));
  std::string sum = "always x > 1";
  for (int i = 0; i < 600; ++i) sum += "+1";
  EXPECT_THAT(Error(sum), HasSubstr("at most 500 parts"));
  EXPECT_THAT(Error("always x > " + std::string(5000, ' ') + "1"), HasSubstr("at most 4096 bytes"));
}

TEST(ParserTest, MeasuresOfTheFlagshipParse) {
  for (const std::string text : {
           "count of exits{cause=\"by signal\",role=\"supernode\"} / 40",
           "count of exits{cause=\"by signal\"} before first self_shutdown / count of exits{cause=\"by signal\"}",
           "min of pool / 40 over [trigger.start, mega1.start)",
           "avg of rate(offered)[1s] over [trigger.end + 4s, mega1.start) / (avg of rate(offered)[1s] over before step "
           "trigger)",
           "max of online over [trigger.end + 4s, mega1.start)",
           "value of online at mega1.start + 9s",
           "time of first online >= 95% stays 2s after mega2.start",
           "recovery of users_back",
           "self_shutdowns / crashes - 1",
           "-(1 + 2) * increase of a over run",
           "last of sum(in_role) over run",
       }) {
    const auto measure = ParseMeasure(text);
    ASSERT_TRUE(measure.ok()) << text << "\n" << measure.status();
    const std::string printed = ast::Print(*measure);
    const auto again = ParseMeasure(printed);
    ASSERT_TRUE(again.ok()) << printed << "\n" << again.status();
    EXPECT_EQ(ast::Print(*again), printed);
  }
  EXPECT_EQ(ParseMeasure("min of pool / 40 over run")->kind, ast::Measure::kOver);
  EXPECT_EQ(ParseMeasure("count of a / count of b")->kind, ast::Measure::kDivide);
  EXPECT_THAT(std::string(ParseMeasure("mim of x over run").status().message()),
              StartsWith("column 1: `mim of` is no measure; did you"));
  EXPECT_THAT(std::string(ParseMeasure("max of x ovr run").status().message()), HasSubstr("did you mean `over`?"));
}

// Pieces of the language in random order reach further into the parser than random bytes do.
TEST(ParserTest, RandomTextNeverCrashes) {
  const std::vector<std::string> pieces = {
      "always", "never", "within", "after",   "when",     "then",  "during",   "[",     "]",    "(",  ")",
      "{",      "}",     "x",      "a.start", ":",        "fault", "run",      "step",  "5s",   "10", "95%",
      "count",  "min",   "max",    "p99",     "for",      "once",  "not",      "and",   "or",   ">=", "<",
      "==",     "+",     "-",      "*",       "/",        ",",     ".",        "\"s\"", "=",    "=~", "absent",
      "of",     "over",  "first",  "value",   "baseline", "at",    "countif",  "\"",    "\\",   "#",  "\n",
      "\xff",   "1e5",   "..",     "time",    "before",   "end",   "fraction", "grace", "stays"};
  std::mt19937 random(7);
  int parsed = 0;
  for (int round = 0; round < 10'000; ++round) {
    std::string text;
    for (size_t n = random() % 24; n > 0; --n) text += pieces[random() % pieces.size()] + (random() % 3 ? " " : "");
    const std::vector<absl::Status> all = {ParseInvariant(text).status(), ParseFormula(text).status(),
                                           ParseNum(text).status(), ParseMeasure(text).status(),
                                           ParseCondition(text).status()};
    for (const absl::Status& status : all) {
      if (status.ok()) {
        ++parsed;
      } else {
        ASSERT_THAT(std::string(status.message()), StartsWith("column ")) << text;
      }
    }
  }
  EXPECT_GT(parsed, 10);
}

}  // namespace
}  // namespace squall

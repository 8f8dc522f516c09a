#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "harness/invariants/ast.h"

namespace squall::ast {
namespace {

constexpr const char* kMatcherSymbols[] = {"=", "!=", "=~", "!~"};
constexpr const char* kEdgeNames[] = {"requested", "start", "end"};
constexpr const char* kWindowNames[] = {"count", "sum", "rate", "increase", "avg", "min", "max", "last", "quantile"};
constexpr const char* kSpatialNames[] = {"sum", "avg", "min", "max", "count"};
constexpr const char* kReduceNames[] = {"min", "max", "avg", "last", "increase"};

std::string PrintNumber(double number) {
  std::string text = absl::StrFormat("%.15g", number);
  if (std::strtod(text.c_str(), nullptr) != number) text = absl::StrFormat("%.17g", number);
  // The language has no exponents.
  if (text.find('e') != std::string::npos) text = absl::StrFormat("%.20f", number);
  return text;
}

std::string PrintLiteral(double number, Num::Unit unit) {
  if (unit == Num::kSeconds) return PrintDuration(std::llround(number * 1e9));
  if (unit != Num::kPercent) return PrintNumber(number);
  for (const double percent : {number * 100, std::round(number * 1e8) / 1e6}) {
    const std::string text = PrintNumber(percent);
    if (std::strtod(text.c_str(), nullptr) / 100 == number && text.size() < 12) return absl::StrCat(text, "%");
  }
  return PrintNumber(number);
}

std::string Parenthesised(const std::string& text, bool wanted) { return wanted ? absl::StrCat("(", text, ")") : text; }

// Binds tighter the higher it is.
int Precedence(const Num& num) {
  switch (num.kind) {
    case Num::kAdd:
    case Num::kSubtract:
      return 1;
    case Num::kMultiply:
    case Num::kDivide:
      return 2;
    case Num::kNegate:
      return 3;
    default:
      return 4;
  }
}

std::string PrintBinary(const Num& num, const char* symbol) {
  const int own = Precedence(num);
  const bool right_too = num.kind == Num::kSubtract || num.kind == Num::kDivide || Precedence(num.children[1]) == own;
  return absl::StrCat(Parenthesised(Print(num.children[0]), Precedence(num.children[0]) < own), " ", symbol, " ",
                      Parenthesised(Print(num.children[1]), Precedence(num.children[1]) < own + (right_too ? 1 : 0)));
}

std::string PrintWindow(const Num& num) {
  const std::string inner = Print(num.selector);
  const std::string window = absl::StrCat("[", PrintDuration(num.window_ns), "]");
  if (num.window != Window::kQuantile)
    return absl::StrCat(kWindowNames[static_cast<int>(num.window)], "(", inner, ")", window);
  if (num.quantile_thousandths >= 1000 || num.quantile_thousandths < 10) {
    return absl::StrCat("quantile(", num.quantile_thousandths / 1000.0, ", ", inner, ")", window);
  }
  const std::string digits = absl::StrFormat("%03d", num.quantile_thousandths);
  return absl::StrCat("p", digits.back() == '0' ? digits.substr(0, 2) : digits, "(", inner, ")", window);
}

int Precedence(const Formula& formula) {
  return formula.kind == Formula::kOr ? 1 : formula.kind == Formula::kAnd ? 2 : formula.kind == Formula::kNot ? 3 : 4;
}

std::string PrintJoined(const Formula& formula, const char* word) {
  std::string text;
  for (const Formula& child : formula.children) {
    absl::StrAppend(&text, text.empty() ? "" : word,
                    Parenthesised(Print(child), Precedence(child) <= Precedence(formula)));
  }
  return text;
}

std::string During(const Scope& scope) { return scope.given ? absl::StrCat(" during ", Print(scope)) : ""; }
std::string Over(const Scope& scope) { return scope.given ? absl::StrCat(" over ", Print(scope)) : ""; }

std::string Stays(int64_t ns) { return ns > 0 ? absl::StrCat(" stays ", PrintDuration(ns)) : ""; }

int Precedence(const Measure& measure) {
  return measure.kind == Measure::kAdd || measure.kind == Measure::kSubtract      ? 1
         : measure.kind == Measure::kMultiply || measure.kind == Measure::kDivide ? 2
                                                                                  : 3;
}

std::string PrintBinary(const Measure& measure, const char* symbol) {
  const int own = Precedence(measure);
  // `max of a over run - b` would go on with the scope's point, so what ends in one stands in parentheses.
  const auto side = [&](const Measure& child, int least) {
    const bool open = child.kind == Measure::kOver || child.kind == Measure::kValueAt ||
                      child.kind == Measure::kTimeOfFirst || child.kind == Measure::kRecovery;
    return Parenthesised(Print(child), open || Precedence(child) < least);
  };
  return absl::StrCat(side(measure.children[0], own), " ", symbol, " ", side(measure.children[1], own + 1));
}

}  // namespace

const char* Symbol(Compare compare) {
  constexpr const char* kSymbols[] = {"<", "<=", ">", ">=", "==", "!="};
  return kSymbols[static_cast<int>(compare)];
}

std::string PrintDuration(int64_t ns) {
  for (const auto& [unit, name] : {std::pair<int64_t, const char*>{3'600'000'000'000, "h"},
                                   {60'000'000'000, "m"},
                                   {1'000'000'000, "s"},
                                   {1'000'000, "ms"}}) {
    if (ns >= unit && ns % unit == 0) return absl::StrCat(ns / unit, name);
  }
  return absl::StrCat(PrintNumber(static_cast<double>(ns) / 1e9), "s");
}

std::string Print(const Selector& selector) {
  std::string text = selector.name;
  for (const Matcher& matcher : selector.matchers) {
    absl::StrAppend(&text, &matcher == &selector.matchers.front() ? "{" : ",", matcher.label,
                    kMatcherSymbols[matcher.op], "\"",
                    absl::StrReplaceAll(matcher.value, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
  }
  return selector.matchers.empty() ? text : absl::StrCat(text, "}");
}

std::string Print(const Point& point) {
  std::string text = absl::StrCat(point.step, ".", kEdgeNames[point.edge]);
  if (point.offset_ns > 0) absl::StrAppend(&text, " + ", PrintDuration(point.offset_ns));
  if (point.offset_ns < 0) absl::StrAppend(&text, " - ", PrintDuration(-point.offset_ns));
  return text;
}

std::string Print(const Scope& scope) {
  const std::string step = scope.step == "fault" ? scope.step : absl::StrCat("step ", scope.step);
  switch (scope.kind) {
    case Scope::kRun:
      return "run";
    case Scope::kStep:
      return step;
    case Scope::kBefore:
      return absl::StrCat("before ", step);
    case Scope::kAfter:
      return absl::StrCat("after ", step);
    case Scope::kBetween:
      return absl::StrCat("[", Print(scope.from), ", ", Print(scope.to), ")");
  }
  return "";
}

std::string Print(const Num& num) {
  switch (num.kind) {
    case Num::kNumber:
      return PrintLiteral(num.number, num.unit);
    case Num::kSelect:
      return Print(num.selector);
    case Num::kWindow:
      return PrintWindow(num);
    case Num::kSpatial:
      return absl::StrCat(kSpatialNames[static_cast<int>(num.spatial)], "(", Print(num.selector), ")");
    case Num::kCountIf:
      return absl::StrCat("countif(", Print(num.selector), " ", Symbol(num.compare), " ", Print(num.children[0]), ")");
    case Num::kAge:
      return absl::StrCat("age(", Print(num.selector), ")");
    case Num::kAdd:
      return PrintBinary(num, "+");
    case Num::kSubtract:
      return PrintBinary(num, "-");
    case Num::kMultiply:
      return PrintBinary(num, "*");
    case Num::kDivide:
      return PrintBinary(num, "/");
    case Num::kMin:
    case Num::kMax:
      return absl::StrCat(num.kind == Num::kMin ? "min(" : "max(", Print(num.children[0]), ", ", Print(num.children[1]),
                          ")");
    case Num::kNegate:
      return absl::StrCat("-", Parenthesised(Print(num.children[0]), Precedence(num.children[0]) < 3));
    case Num::kBaseline:
      return absl::StrCat("baseline(", Print(num.children[0]), " over ", Print(num.scope), ")");
  }
  return "";
}

std::string Print(const Formula& formula) {
  switch (formula.kind) {
    case Formula::kCompare:
      return absl::StrCat(Print(formula.sides[0]), " ", Symbol(formula.compare), " ", Print(formula.sides[1]));
    case Formula::kAnd:
      return PrintJoined(formula, " and ");
    case Formula::kOr:
      return PrintJoined(formula, " or ");
    case Formula::kNot:
      return absl::StrCat("not ", Parenthesised(Print(formula.children[0]), Precedence(formula.children[0]) < 3));
    case Formula::kFor: {
      const Formula& child = formula.children[0];
      return absl::StrCat(Parenthesised(Print(child), Precedence(child) < 4 || child.kind == Formula::kOnce), " for ",
                          PrintDuration(formula.duration_ns));
    }
    case Formula::kOnce:
      return absl::StrCat("once ", PrintDuration(formula.duration_ns), " (", Print(formula.children[0]), ")");
    case Formula::kAbsent:
      return absl::StrCat("absent(", Print(formula.selector), ")");
  }
  return "";
}

std::string Print(const Body& body) {
  const std::string last = Print(body.formulas.back());
  const std::string grace = body.grace_ns > 0 ? absl::StrCat(" grace ", PrintDuration(body.grace_ns)) : "";
  switch (body.kind) {
    case Body::kAlways:
      return absl::StrCat("always ", last, grace, During(body.scope));
    case Body::kNever:
      return absl::StrCat("never ", last, grace, During(body.scope));
    case Body::kSometimes:
      return absl::StrCat("sometimes ", last, During(body.scope));
    case Body::kAt:
      return absl::StrCat("at ", Print(body.anchor), ": ", last);
    case Body::kWithin:
      return absl::StrCat("within ", PrintDuration(body.deadline_ns), " after ",
                          body.which == Body::kFirst  ? "first "
                          : body.which == Body::kLast ? "last "
                                                      : "each ",
                          Print(body.anchor), ": ", last, Stays(body.stays_ns),
                          body.across_faults ? " across faults" : "");
    case Body::kRespond:
      return absl::StrCat("when ", Print(body.formulas[0]), " then within ", PrintDuration(body.deadline_ns), ": ",
                          last, Stays(body.stays_ns), During(body.scope));
    case Body::kImply:
      return absl::StrCat("when ", Print(body.formulas[0]), " then ", last, During(body.scope));
    case Body::kFraction:
      return absl::StrCat("fraction(", last, ") ", Symbol(body.compare), " ", Print(body.bound[0]), During(body.scope));
  }
  return "";
}

std::string Print(const Condition& condition) { return Print(condition.formula) + During(condition.scope); }

std::string Print(const Measure& measure) {
  switch (measure.kind) {
    case Measure::kNumber:
      return PrintLiteral(measure.number, measure.unit);
    case Measure::kReference:
      return measure.name;
    case Measure::kOver:
      return absl::StrCat(kReduceNames[measure.reduce], " of ", Print(measure.num[0]), Over(measure.scope));
    case Measure::kCountEvents:
      return absl::StrCat("count of ", Print(measure.events), Over(measure.scope));
    case Measure::kCountBefore:
      return absl::StrCat("count of ", Print(measure.events), " before first ", Print(measure.until),
                          Over(measure.scope));
    case Measure::kValueAt:
      return absl::StrCat("value of ", Print(measure.num[0]), " at ", Print(measure.point));
    case Measure::kRecovery:
      return absl::StrCat("recovery of ", measure.name);
    case Measure::kTimeOfFirst:
      return absl::StrCat("time of first ", Print(measure.formula[0]), Stays(measure.stays_ns), " after ",
                          Print(measure.point));
    case Measure::kAdd:
      return PrintBinary(measure, "+");
    case Measure::kSubtract:
      return PrintBinary(measure, "-");
    case Measure::kMultiply:
      return PrintBinary(measure, "*");
    case Measure::kDivide:
      return PrintBinary(measure, "/");
    case Measure::kNegate:
      return absl::StrCat("-", Parenthesised(Print(measure.children[0]), Precedence(measure.children[0]) < 3));
  }
  return "";
}

}  // namespace squall::ast

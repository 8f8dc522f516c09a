// Numbers and formulas, lowest precedence first: or, and, not, comparison [for D], + -, * /, sign.
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/invariants/parser_core.h"

namespace squall {
namespace {

using ast::Formula;
using ast::Num;

// 990 of "p99", 500 of "p50", 999 of "p999"; 0 of anything else.
int QuantileOf(std::string_view name) {
  if (name.size() < 2 || name.size() > 4 || name[0] != 'p') return 0;
  int thousandths = 0, unit = 100;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') return 0;
    thousandths += (c - '0') * unit;
    unit /= 10;
  }
  return name.size() == 2 ? 0 : thousandths;
}

std::optional<ast::Window> WindowOf(std::string_view name) {
  using ast::Window;
  if (name == "count") return Window::kCount;
  if (name == "sum") return Window::kSum;
  if (name == "rate") return Window::kRate;
  if (name == "increase") return Window::kIncrease;
  if (name == "avg") return Window::kAvg;
  if (name == "min") return Window::kMin;
  if (name == "max") return Window::kMax;
  if (name == "last") return Window::kLast;
  if (QuantileOf(name) > 0 || name == "quantile") return Window::kQuantile;
  return std::nullopt;
}

std::optional<ast::Spatial> SpatialOf(std::string_view name) {
  using ast::Spatial;
  if (name == "count") return Spatial::kCount;
  if (name == "sum") return Spatial::kSum;
  if (name == "avg") return Spatial::kAvg;
  if (name == "min") return Spatial::kMin;
  if (name == "max") return Spatial::kMax;
  return std::nullopt;
}

Num Binary(Num::Kind kind, Num left, Num right) {
  Num num{.kind = kind, .column = left.column};
  num.children.push_back(std::move(left));
  num.children.push_back(std::move(right));
  return num;
}

}  // namespace

ExpressionParser::Any ExpressionParser::Of(Num num) {
  const int column = num.column;
  return {.num = std::move(num), .column = column};
}

ExpressionParser::Any ExpressionParser::Of(Formula formula) {
  const int column = formula.column;
  return {.formula = std::move(formula), .column = column};
}

Num ExpressionParser::TheNumber(Any any) {
  if (ok() && !any.num) Fail(any.column, "expected a number here, this is true or false");
  return any.num ? *std::move(any.num) : Num();
}

Formula ExpressionParser::TheFormula(Any any) {
  if (ok() && !any.formula) {
    if (token().kind == Token::kBad) FailHere(token().text);
    Fail(token().column, "expected a comparison such as `>= 1` after the number");
  }
  return any.formula ? *std::move(any.formula) : Formula();
}

Num ExpressionParser::ParseNumber() {
  Any any = ParseSum();
  return TheNumber(std::move(any));
}

Formula ExpressionParser::ParseWholeFormula() { return TheFormula(ParseOr()); }

ExpressionParser::Any ExpressionParser::ParseOr() {
  const Level level(this);
  if (!ok()) return {};
  Any left = ParseAnd();
  if (!ok() || !Is("or")) return left;
  Formula all{.kind = Formula::kOr, .column = left.column};
  all.children.push_back(TheFormula(std::move(left)));
  while (Take("or")) all.children.push_back(TheFormula(ParseAnd()));
  return Of(std::move(all));
}

ExpressionParser::Any ExpressionParser::ParseAnd() {
  Any left = ParseUnary();
  if (!ok() || !Is("and")) return left;
  Formula all{.kind = Formula::kAnd, .column = left.column};
  all.children.push_back(TheFormula(std::move(left)));
  while (Take("and")) all.children.push_back(TheFormula(ParseUnary()));
  return Of(std::move(all));
}

ExpressionParser::Any ExpressionParser::ParseUnary() {
  const Level level(this);
  const int column = token().column;
  if (!CountNode(column)) return {};
  if (Take("not")) {
    Formula formula{.kind = Formula::kNot, .column = column};
    formula.children.push_back(TheFormula(ParseUnary()));
    return Of(std::move(formula));
  }
  Any atom;
  if (Take("once")) {
    Formula formula{.kind = Formula::kOnce, .column = column};
    formula.duration_ns = ExpectDuration("after `once`");
    formula.children.push_back(TheFormula(ParseUnary()));
    atom = Of(std::move(formula));
  } else {
    atom = ParseCompare();
  }
  while (ok() && Is("for") && CountNode(column)) {
    Formula formula{.kind = Formula::kFor, .column = column};
    formula.children.push_back(TheFormula(std::move(atom)));
    Take("for");
    formula.duration_ns = ExpectDuration("after `for`");
    atom = Of(std::move(formula));
  }
  return atom;
}

std::optional<ast::Compare> ExpressionParser::TakeCompare() {
  if (Take("<")) return ast::Compare::kLess;
  if (Take("<=")) return ast::Compare::kLessEqual;
  if (Take(">")) return ast::Compare::kGreater;
  if (Take(">=")) return ast::Compare::kGreaterEqual;
  if (Take("==")) return ast::Compare::kEqual;
  if (Take("!=")) return ast::Compare::kNotEqual;
  if (ok() && Is("=")) FailHere("write `==` for equality");
  return std::nullopt;
}

ExpressionParser::Any ExpressionParser::ParseCompare() {
  Any left = ParseSum();
  if (!ok()) return {};
  const std::optional<ast::Compare> compare = TakeCompare();
  if (!compare) return left;
  Formula formula{.kind = Formula::kCompare, .compare = *compare, .column = left.column};
  formula.sides.push_back(TheNumber(std::move(left)));
  formula.sides.push_back(TheNumber(ParseSum()));
  if (const int column = token().column; ok() && TakeCompare()) {
    Fail(column, "comparisons do not chain: join two with `and`");
  }
  return Of(std::move(formula));
}

ExpressionParser::Any ExpressionParser::ParseSum() {
  Any left = ParseProduct();
  while (ok() && (Is("+") || Is("-"))) {
    const Num::Kind kind = Is("+") ? Num::kAdd : Num::kSubtract;
    Num number = TheNumber(std::move(left));
    Take(token().text);
    left = Of(Binary(kind, std::move(number), TheNumber(ParseProduct())));
  }
  return left;
}

ExpressionParser::Any ExpressionParser::ParseProduct() {
  Any left = ParseFactor();
  while (ok() && (Is("*") || Is("/"))) {
    const Num::Kind kind = Is("*") ? Num::kMultiply : Num::kDivide;
    Num number = TheNumber(std::move(left));
    Take(token().text);
    left = Of(Binary(kind, std::move(number), TheNumber(ParseFactor())));
  }
  return left;
}

ExpressionParser::Any ExpressionParser::ParseFactor() {
  const Level level(this);
  const Token now = token();
  if (!CountNode(now.column)) return {};
  Num num{.column = now.column};
  switch (now.kind) {
    case Token::kNumber:
    case Token::kPercent:
      num.number = now.number;
      num.unit = now.kind == Token::kPercent ? Num::kPercent : Num::kPlain;
      lexer_.Next();
      return Of(std::move(num));
    case Token::kDuration:
      num.number = static_cast<double>(now.duration_ns) / 1e9;
      num.unit = Num::kSeconds;
      lexer_.Next();
      return Of(std::move(num));
    case Token::kName:
      if (IsReserved(now.text)) break;
      lexer_.Next();
      if (Is("(")) {
        if (now.text != "absent") return Of(ParseCall(now.text, now.column));
        Take("(");
        Formula absent{.kind = Formula::kAbsent, .selector = ParseSelector(), .column = now.column};
        Expect(")");
        return Of(std::move(absent));
      }
      num.kind = Num::kSelect;
      num.selector = Matchers(now.text, now.column);
      return Of(std::move(num));
    default:
      break;
  }
  if (Take("-")) {
    num.kind = Num::kNegate;
    num.children.push_back(TheNumber(ParseFactor()));
    return Of(std::move(num));
  }
  if (Take("(")) return ParseParenthesis();
  Expected("a number, a metric or `(`");
  return {};
}

ExpressionParser::Any ExpressionParser::ParseParenthesis() {
  Any inner = ParseOr();
  Expect(")");
  return inner;
}

Num ExpressionParser::ParseCall(std::string name, int column) {
  Num num{.column = column};
  Take("(");
  if (name == "countif") return ParseCountIf(std::move(num));
  if (name == "baseline") return ParseBaseline(std::move(num));
  if (name == "age") {
    num.kind = Num::kAge;
    num.selector = ParseSelector();
    Expect(")");
    return num;
  }
  const std::optional<ast::Window> window = WindowOf(name);
  if (!window) {
    static const std::vector<std::string> kFunctions = {"count",    "sum",     "rate", "increase", "avg",     "min",
                                                        "max",      "last",    "p50",  "p90",      "p95",     "p99",
                                                        "quantile", "countif", "age",  "absent",   "baseline"};
    lexer_.Next();
    Fail(column, absl::StrCat("`", name, "` is no function", DidYouMean(name, kFunctions)));
    return num;
  }
  num.window = *window;
  if (name == "quantile") {
    const double q = token().number;
    if (token().kind != Token::kNumber || q <= 0 || q > 1) FailHere("a quantile lies in (0, 1]");
    num.quantile_thousandths = static_cast<int>(q * 1000 + 0.5);
    lexer_.Next();
    Expect(",");
  } else {
    num.quantile_thousandths = QuantileOf(name);
  }
  if (name == "min" || name == "max") return ParseExtremum(std::move(name), std::move(num));
  num.selector = ParseSelector();
  Expect(")");
  if (!ok()) return num;
  if (Is("[")) {
    ParseWindow(&num);
  } else if (const std::optional<ast::Spatial> spatial = SpatialOf(name)) {
    num.kind = Num::kSpatial;
    num.spatial = *spatial;
  } else {
    Expected(absl::StrCat("a window such as [10s] after ", name, "(...)"));
  }
  return num;
}

void ExpressionParser::ParseWindow(Num* num) {
  Take("[");
  num->kind = Num::kWindow;
  const int column = token().column;
  num->window_ns = ExpectDuration("for the window");
  if (ok() && num->window_ns <= 0) Fail(column, "a window is longer than 0");
  Expect("]");
}

// min(selector), min(selector)[D], min(number, number)
Num ExpressionParser::ParseExtremum(std::string name, Num num) {
  Num first = TheNumber(ParseOr());
  if (Take(",")) {
    num.kind = name == "min" ? Num::kMin : Num::kMax;
    num.children.push_back(std::move(first));
    num.children.push_back(TheNumber(ParseOr()));
    Expect(")");
    return num;
  }
  Expect(")");
  if (ok() && first.kind != Num::kSelect) Fail(first.column, absl::StrCat(name, "() of one takes a metric, not a sum"));
  num.selector = std::move(first.selector);
  if (ok() && Is("[")) {
    ParseWindow(&num);
    return num;
  }
  num.kind = Num::kSpatial;
  num.spatial = name == "min" ? ast::Spatial::kMin : ast::Spatial::kMax;
  return num;
}

Num ExpressionParser::ParseCountIf(Num num) {
  num.kind = Num::kCountIf;
  num.selector = ParseSelector();
  const std::optional<ast::Compare> compare = ok() ? TakeCompare() : std::nullopt;
  if (ok() && !compare) Expected("a comparison, as in countif(up == 1)");
  if (compare) num.compare = *compare;
  num.children.push_back(TheNumber(ParseSum()));
  Expect(")");
  return num;
}

Num ExpressionParser::ParseBaseline(Num num) {
  num.kind = Num::kBaseline;
  num.children.push_back(TheNumber(ParseOr()));
  Expect("over");
  num.scope = ParseScope();
  Expect(")");
  return num;
}

}  // namespace squall

#include "harness/invariants/parser_core.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace squall {
namespace {

constexpr size_t kMostBytes = 4096;
constexpr int kMostLevels = 64;
constexpr int kMostNodes = 500;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

bool IsReserved(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "always", "never", "sometimes", "at",   "within", "when",   "then",  "during", "grace", "stays", "across", "and",
      "or",     "not",   "for",       "once", "over",   "before", "after", "of",     "first", "run",   "fault"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

ExpressionParser::ExpressionParser(std::string_view text) : lexer_(text.substr(0, kMostBytes)) {
  if (text.size() > kMostBytes) Fail(static_cast<int>(kMostBytes), "an expression has at most 4096 bytes");
}

ExpressionParser::Level::Level(ExpressionParser* parser) : parser_(parser) {
  if (++parser_->depth_ > kMostLevels) parser_->FailHere("this is nested deeper than 64 levels");
}

bool ExpressionParser::CountNode(int column) {
  if (++nodes_ > kMostNodes) Fail(column, "an expression has at most 500 parts; give some of them a name in `signals`");
  return ok();
}

bool ExpressionParser::Is(std::string_view text) const {
  return (token().kind == Token::kName || token().kind == Token::kSymbol) && token().text == text;
}

bool ExpressionParser::Take(std::string_view text) {
  if (!ok() || !Is(text)) return false;
  lexer_.Next();
  return true;
}

bool ExpressionParser::Expect(std::string_view text) {
  if (Take(text)) return true;
  Expected(absl::StrCat("`", View(text), "`"), {std::string(text)});
  return false;
}

int64_t ExpressionParser::ExpectDuration(std::string_view what) {
  if (!ok()) return 0;
  if (token().kind != Token::kDuration) {
    Expected(absl::StrCat("a duration such as 500ms ", View(what)));
    return 0;
  }
  const int64_t ns = token().duration_ns;
  lexer_.Next();
  return ns;
}

std::string ExpressionParser::ExpectStepName(std::string_view what) {
  if (!ok()) return "";
  std::string name = lexer_.NextStepName();
  if (name.empty()) Expected(what);
  return name;
}

void ExpressionParser::ExpectEnd(const std::vector<std::string>& may_follow) {
  if (!ok() || token().kind == Token::kEnd) return;
  std::vector<std::string> quoted;
  for (const std::string& word : may_follow) quoted.push_back(absl::StrCat("`", word, "`"));
  quoted.push_back("the end");
  std::string what = quoted[0];
  for (size_t i = 1; i < quoted.size(); ++i) absl::StrAppend(&what, i + 1 < quoted.size() ? ", " : " or ", quoted[i]);
  Expected(what, may_follow);
}

void ExpressionParser::Fail(int column, std::string message) {
  if (ok()) status_ = absl::InvalidArgumentError(absl::StrCat("column ", column, ": ", message));
}

void ExpressionParser::FailHere(std::string message) { Fail(token().column, std::move(message)); }

void ExpressionParser::Expected(std::string_view what, const std::vector<std::string>& words) {
  if (token().kind == Token::kBad) return FailHere(token().text);
  std::string hint = token().kind == Token::kName ? DidYouMean(token().text, words) : "";
  FailHere(absl::StrCat("expected ", View(what), ", found ", lexer_.Found(), hint));
}

ast::Selector ExpressionParser::ParseSelector() {
  if (!ok()) return {};
  const Token name = token();
  if (name.kind != Token::kName || IsReserved(name.text)) {
    Expected("the name of a metric");
    return {};
  }
  lexer_.Next();
  return Matchers(name.text, name.column);
}

ast::Selector ExpressionParser::Matchers(std::string name, int column) {
  ast::Selector selector{.name = std::move(name), .column = column};
  if (!Take("{")) return selector;
  while (ok() && !Take("}")) {
    ast::Matcher matcher;
    matcher.label = token().text;
    if (token().kind != Token::kName) Expected("the name of a label");
    lexer_.Next();
    if (Take("=~")) {
      matcher.op = ast::Matcher::kMatch;
    } else if (Take("!~")) {
      matcher.op = ast::Matcher::kNoMatch;
    } else if (Take("!=")) {
      matcher.op = ast::Matcher::kNotEqual;
    } else if (!Take("=")) {
      Expected("`=`, `!=`, `=~` or `!~`");
    }
    if (ok() && token().kind != Token::kString) Expected("a value in double quotes");
    matcher.value = token().text;
    if (ok()) lexer_.Next();
    selector.matchers.push_back(std::move(matcher));
    if (ok() && !Take(",") && !Is("}")) Expected("`,` or `}`");
  }
  return selector;
}

ast::Point ExpressionParser::ParsePoint(bool with_offset) {
  ast::Point point{.column = token().column};
  point.step = ExpectStepName("the name of a step, `run` or `fault`");
  if (ok() && !Is(".")) Expected("`.start` or `.end`");
  Take(".");
  static const std::vector<std::string> kEdges = {"start", "end", "requested"};
  if (Take("start")) {
    point.edge = ast::Point::kStart;
  } else if (Take("end")) {
    point.edge = ast::Point::kEnd;
  } else if (Take("requested")) {
    point.edge = ast::Point::kRequested;
  } else if (ok()) {
    Expected("`start`, `end` or `requested`", kEdges);
  }
  if (!with_offset) return point;
  if (Take("+")) {
    point.offset_ns = ExpectDuration("after `+`");
  } else if (Take("-")) {
    point.offset_ns = -ExpectDuration("after `-`");
  }
  return point;
}

ast::Scope ExpressionParser::ParseScope() {
  ast::Scope scope{.given = true, .column = token().column};
  const auto step_or_fault = [&] {
    if (Take("fault")) {
      scope.step = "fault";
    } else if (Expect("step")) {
      scope.step = ExpectStepName("the name of a step");
    }
  };
  if (Take("run")) {
    scope.kind = ast::Scope::kRun;
  } else if (Take("before")) {
    scope.kind = ast::Scope::kBefore;
    step_or_fault();
  } else if (Take("after")) {
    scope.kind = ast::Scope::kAfter;
    step_or_fault();
  } else if (Is("step") || Is("fault")) {
    scope.kind = ast::Scope::kStep;
    step_or_fault();
  } else if (Take("[") || Take("(")) {
    scope.kind = ast::Scope::kBetween;
    scope.from = ParsePoint(true);
    Expect(",");
    scope.to = ParsePoint(true);
    if (ok() && Is("]")) FailHere("a scope does not hold its end: close it with `)`");
    Expect(")");
  } else if (ok()) {
    Expected("a scope: `run`, `fault`, `step NAME`, `before ...`, `after ...` or `[POINT, POINT)`",
             {"run", "fault", "step", "before", "after"});
  }
  return scope;
}

}  // namespace squall

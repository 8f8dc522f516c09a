#include "harness/invariants/parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/invariants/parser_core.h"

namespace squall {
namespace {

using ast::Body;

const std::vector<std::string>& BodyWords() {
  static const std::vector<std::string> kWords = {"always", "never", "sometimes", "at", "within", "when", "fraction"};
  return kWords;
}

std::vector<std::string> ParseDuring(ExpressionParser* p, ast::Scope* scope) {
  if (p->Take("during")) {
    *scope = p->ParseScope();
    return {};
  }
  return {"during"};
}

void ParseStays(ExpressionParser* p, Body* body, std::vector<std::string>* may_follow) {
  if (p->Take("stays")) {
    body->stays_ns = p->ExpectDuration("after `stays`");
  } else {
    may_follow->push_back("stays");
  }
}

// always f [grace D] [during S]; never and sometimes alike.
void ParseQuantified(ExpressionParser* p, Body* body) {
  body->formulas.push_back(p->ParseWholeFormula());
  std::vector<std::string> may_follow;
  if (p->Is("grace") && body->kind == Body::kSometimes) p->FailHere("`sometimes` has no grace");
  if (p->Take("grace")) {
    body->grace_ns = p->ExpectDuration("after `grace`");
  } else if (body->kind != Body::kSometimes) {
    may_follow.push_back("grace");
  }
  for (std::string& word : ParseDuring(p, &body->scope)) may_follow.push_back(std::move(word));
  p->ExpectEnd(may_follow);
}

// within D after [each|first|last] anchor: f [stays H] [across faults]
void ParseWithin(ExpressionParser* p, Body* body) {
  body->deadline_ns = p->ExpectDuration("after `within`");
  p->Expect("after");
  if (p->ok() && p->AfterStepName() != '.') {  // a step may be called `first`
    if (p->Take("first")) {
      body->which = Body::kFirst;
    } else if (p->Take("last")) {
      body->which = Body::kLast;
    } else {
      p->Take("each");
    }
  }
  body->anchor = p->ParsePoint(false);
  p->Expect(":");
  body->formulas.push_back(p->ParseWholeFormula());
  std::vector<std::string> may_follow;
  ParseStays(p, body, &may_follow);
  if (p->Take("across")) {
    p->Expect("faults");
    body->across_faults = true;
  } else {
    may_follow.push_back("across");
  }
  p->ExpectEnd(may_follow);
}

// when f then within D: f [stays H] [during S]; when f then f [during S]
void ParseWhen(ExpressionParser* p, Body* body) {
  body->formulas.push_back(p->ParseWholeFormula());
  p->Expect("then");
  std::vector<std::string> may_follow;
  if (p->Take("within")) {
    body->kind = Body::kRespond;
    body->deadline_ns = p->ExpectDuration("after `within`");
    p->Expect(":");
    body->formulas.push_back(p->ParseWholeFormula());
    ParseStays(p, body, &may_follow);
  } else {
    body->kind = Body::kImply;
    body->formulas.push_back(p->ParseWholeFormula());
  }
  for (std::string& word : ParseDuring(p, &body->scope)) may_follow.push_back(std::move(word));
  p->ExpectEnd(may_follow);
}

// fraction(f) cmp n [during S]
void ParseFraction(ExpressionParser* p, Body* body) {
  p->Expect("(");
  body->formulas.push_back(p->ParseWholeFormula());
  p->Expect(")");
  static constexpr std::pair<std::string_view, ast::Compare> kCompares[] = {
      {"<", ast::Compare::kLess},          {"<=", ast::Compare::kLessEqual}, {">", ast::Compare::kGreater},
      {">=", ast::Compare::kGreaterEqual}, {"==", ast::Compare::kEqual},     {"!=", ast::Compare::kNotEqual}};
  bool found = false;
  for (const auto& [symbol, compare] : kCompares) {
    if (found || !p->Take(symbol)) continue;
    body->compare = compare;
    found = true;
  }
  if (p->ok() && !found) p->Expected("a comparison such as `>= 99%`");
  body->bound.push_back(p->ParseNumber());
  std::vector<std::string> may_follow = ParseDuring(p, &body->scope);
  p->ExpectEnd(may_follow);
}

void ParseBody(ExpressionParser* p, Body* body) {
  if (p->Take("always")) {
    body->kind = Body::kAlways;
    ParseQuantified(p, body);
  } else if (p->Take("never")) {
    body->kind = Body::kNever;
    ParseQuantified(p, body);
  } else if (p->Take("sometimes")) {
    body->kind = Body::kSometimes;
    ParseQuantified(p, body);
  } else if (p->Take("at")) {
    body->kind = Body::kAt;
    body->anchor = p->ParsePoint(true);
    p->Expect(":");
    body->formulas.push_back(p->ParseWholeFormula());
    p->ExpectEnd({});
  } else if (p->Take("within")) {
    body->kind = Body::kWithin;
    ParseWithin(p, body);
  } else if (p->Take("when")) {
    ParseWhen(p, body);
  } else if (p->Take("fraction")) {
    body->kind = Body::kFraction;
    ParseFraction(p, body);
  } else {
    p->Expected("`always`, `never`, `sometimes`, `at`, `within`, `when` or `fraction`", BodyWords());
  }
}

template <typename T>
absl::StatusOr<T> Result(const ExpressionParser& parser, T value) {
  if (!parser.ok()) return parser.status();
  return value;
}

}  // namespace

absl::StatusOr<Body> ParseInvariant(std::string_view text) {
  ExpressionParser parser(text);
  Body body;
  if (parser.ok()) ParseBody(&parser, &body);
  return Result(parser, std::move(body));
}

absl::StatusOr<ast::Formula> ParseFormula(std::string_view text) {
  ExpressionParser parser(text);
  ast::Formula formula = parser.ParseWholeFormula();
  parser.ExpectEnd({"and", "or", "for"});
  return Result(parser, std::move(formula));
}

absl::StatusOr<ast::Condition> ParseCondition(std::string_view text) {
  ExpressionParser parser(text);
  ast::Condition condition{.formula = parser.ParseWholeFormula()};
  const std::vector<std::string> may_follow = ParseDuring(&parser, &condition.scope);
  parser.ExpectEnd(may_follow);
  return Result(parser, std::move(condition));
}

absl::StatusOr<ast::Num> ParseNum(std::string_view text) {
  ExpressionParser parser(text);
  ast::Num num = parser.ParseNumber();
  parser.ExpectEnd({});
  return Result(parser, std::move(num));
}

}  // namespace squall

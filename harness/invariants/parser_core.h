// The recursive descent behind parser.h: numbers and formulas here, bodies and measures in files of their own.
//
//   ExpressionParser parser(text);
//   ast::Num num = parser.ParseNumber();
//   parser.ExpectEnd({});
//   if (!parser.ok()) return parser.status();
//
// After the first problem every method returns at once; status() is that problem.
#ifndef HARNESS_INVARIANTS_PARSER_CORE_H_
#define HARNESS_INVARIANTS_PARSER_CORE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "harness/invariants/ast.h"
#include "harness/invariants/lexer.h"
#include "harness/plan/near_match.h"

namespace squall {

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text);

  ast::Num ParseNumber();
  ast::Num ParseLiteral() { return TheNumber(ParseFactor()); }
  ast::Formula ParseWholeFormula();
  ast::Scope ParseScope();
  ast::Point ParsePoint(bool with_offset);
  ast::Selector ParseSelector();

  // Tokens.
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  const Token& token() const { return lexer_.token(); }
  bool Is(std::string_view text) const;  // the present token is this word or symbol
  bool Take(std::string_view text);
  bool Expect(std::string_view text);
  int64_t ExpectDuration(std::string_view what);
  std::string ExpectStepName(std::string_view what);
  // Fails unless everything has been read. `may_follow` are the words that could have stood here.
  void ExpectEnd(const std::vector<std::string>& may_follow);
  void Fail(int column, std::string message);
  void FailHere(std::string message);
  // "expected A, found `x`; did you mean `y`?"
  void Expected(std::string_view what, const std::vector<std::string>& words = {});
  char AfterStepName() const { return lexer_.AfterStepName(); }
  bool CountNode(int column);

  // Goes down one level of nesting for its lifetime; ok() is false if that is one too many.
  class Level {
   public:
    explicit Level(ExpressionParser* parser);
    ~Level() { --parser_->depth_; }

   private:
    ExpressionParser* const parser_;
  };

 private:
  // "(" may open a number or a formula; which one shows only later.
  struct Any {
    std::optional<ast::Num> num;
    std::optional<ast::Formula> formula;
    int column = 0;
  };
  Any ParseOr();
  Any ParseAnd();
  Any ParseUnary();
  Any ParseCompare();
  Any ParseSum();
  Any ParseProduct();
  Any ParseFactor();
  Any ParseParenthesis();
  ast::Num ParseCall(std::string name, int column);
  ast::Num ParseCountIf(ast::Num num);
  ast::Num ParseBaseline(ast::Num num);
  ast::Num ParseExtremum(std::string name, ast::Num num);
  void ParseWindow(ast::Num* num);
  ast::Selector Matchers(std::string name, int column);
  std::optional<ast::Compare> TakeCompare();
  ast::Num TheNumber(Any any);
  ast::Formula TheFormula(Any any);
  static Any Of(ast::Num num);
  static Any Of(ast::Formula formula);

  Lexer lexer_;
  absl::Status status_;
  int depth_ = 0;
  int nodes_ = 0;
};

// Words that cannot be the name of a metric or signal.
bool IsReserved(std::string_view word);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_PARSER_CORE_H_

// Cuts an expression into tokens, on demand, because a step's name may hold a `-` that is a minus elsewhere.
//
//   Lexer lexer("pool >= 40%");
//   lexer.token().kind;            // Token::kName; lexer.Next() goes on
//
// Never fails: what it does not know is a token of kind kBad with a message. Columns count bytes from 1.
#ifndef HARNESS_INVARIANTS_LEXER_H_
#define HARNESS_INVARIANTS_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace squall {

struct Token {
  enum Kind { kName, kNumber, kPercent, kDuration, kString, kSymbol, kEnd, kBad };
  Kind kind = kEnd;
  std::string text;         // as written; of a string its value; of kBad the message
  double number = 0;        // kNumber, kPercent (as a share)
  int64_t duration_ns = 0;  // kDuration
  int column = 1;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { Next(); }

  const Token& token() const { return token_; }
  void Next();
  // Reads the present token again as the name of a step: [A-Za-z0-9_-]+. Empty if none stands there.
  std::string NextStepName();
  // What follows the name of a step that stands here; '\0' if none does.
  char AfterStepName() const;
  // For messages: "`foo`", "the end".
  std::string Found() const;

 private:
  void ReadNumber();
  void ReadString();
  void Bad(std::string message);
  size_t StepNameEnd() const;

  const std::string_view text_;
  size_t begin_ = 0;  // of the present token
  size_t at_ = 0;     // behind it
  Token token_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_LEXER_H_

#include "harness/invariants/lexer.h"

#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace squall {
namespace {

constexpr double kLongestSeconds = 1e9;

bool StartsName(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool InName(char c) { return StartsName(c) || absl::ascii_isdigit(c); }
bool InStepName(char c) { return InName(c) || c == '-'; }

// Seconds of a unit; 0 if there is none of this name.
double SecondsOf(std::string_view unit) {
  return unit == "ms" ? 1e-3 : unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
}

}  // namespace

void Lexer::Bad(std::string message) {
  token_.kind = Token::kBad;
  token_.text = std::move(message);
}

void Lexer::Next() {
  if (token_.kind == Token::kBad) return;  // one problem is enough
  while (at_ < text_.size() && (absl::ascii_isspace(text_[at_]) || text_[at_] == '#')) {
    if (text_[at_] != '#') {
      ++at_;
      continue;
    }
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  begin_ = at_;
  token_ = Token();
  token_.column = static_cast<int>(begin_) + 1;
  if (at_ >= text_.size()) return;
  const char c = text_[at_];
  if (StartsName(c)) {
    // A colon joins two names ("ns:metric") but does not end one ("run.end: f").
    while (at_ < text_.size() &&
           (InName(text_[at_]) || (text_[at_] == ':' && at_ + 1 < text_.size() && InName(text_[at_ + 1])))) {
      ++at_;
    }
    token_.kind = Token::kName;
    token_.text = text_.substr(begin_, at_ - begin_);
  } else if (absl::ascii_isdigit(c) || (c == '.' && at_ + 1 < text_.size() && absl::ascii_isdigit(text_[at_ + 1]))) {
    ReadNumber();
  } else if (c == '"') {
    ReadString();
  } else {
    const std::string_view two = text_.substr(at_, 2);
    const bool pair = two == "<=" || two == ">=" || two == "==" || two == "!=" || two == "=~" || two == "!~";
    const std::string_view symbol = two.substr(0, pair ? 2 : 1);
    if (!pair && std::string_view("<>=+-*/(){}[],:.").find(c) == std::string_view::npos) {
      return Bad(absl::ascii_isprint(c) ? absl::StrCat("`", std::string(1, c), "` has no meaning here")
                                        : std::string("a byte that is no printable ASCII stands here"));
    }
    at_ += symbol.size();
    token_.kind = Token::kSymbol;
    token_.text = symbol;
  }
}

void Lexer::ReadNumber() {
  double total = 0;
  bool duration = false;
  do {
    const size_t digits = at_;
    while (at_ < text_.size() && (absl::ascii_isdigit(text_[at_]) || text_[at_] == '.')) ++at_;
    double value = 0;
    const std::string number(text_.substr(digits, at_ - digits));
    if (!absl::SimpleAtod(number, &value) || !std::isfinite(value)) {
      return Bad(absl::StrCat("`", number.substr(0, 40), "` is no number"));
    }
    if (!duration && at_ < text_.size() && text_[at_] == '%') {
      ++at_;
      token_.kind = Token::kPercent;
      token_.number = value / 100;
      token_.text = text_.substr(begin_, at_ - begin_);
      return;
    }
    const size_t letters = at_;
    while (at_ < text_.size() && absl::ascii_isalpha(text_[at_])) ++at_;
    const std::string unit(text_.substr(letters, at_ - letters));
    if (unit.empty() && !duration) {
      token_.kind = Token::kNumber;
      token_.number = value;
      token_.text = number;
      return;
    }
    if (SecondsOf(unit) == 0) {
      return Bad(unit.empty() ? std::string("this part of the duration has no unit (ms, s, m, h)")
                              : absl::StrCat("`", unit.substr(0, 40), "` is no unit of time (ms, s, m, h)"));
    }
    duration = true;
    total += value * SecondsOf(unit);
  } while (at_ < text_.size() && absl::ascii_isdigit(text_[at_]));
  if (total > kLongestSeconds) return Bad("this duration is too long");
  token_.kind = Token::kDuration;
  token_.duration_ns = std::llround(total * 1e9);
  token_.text = text_.substr(begin_, at_ - begin_);
}

void Lexer::ReadString() {
  std::string value;
  for (++at_; at_ < text_.size(); ++at_) {
    char c = text_[at_];
    if (c == '"') {
      ++at_;
      token_.kind = Token::kString;
      token_.text = std::move(value);
      return;
    }
    if (c == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\')) c = text_[++at_];
    value += c;
  }
  Bad("this string has no closing quote");
}

size_t Lexer::StepNameEnd() const {
  size_t end = begin_;
  while (end < text_.size() && InStepName(text_[end])) ++end;
  return end;
}

std::string Lexer::NextStepName() {
  const size_t end = StepNameEnd();
  std::string name(text_.substr(begin_, end - begin_));
  if (name.empty()) return name;
  at_ = end;
  token_.kind = Token::kName;  // a name such as 2x may have been a bad number
  Next();
  return name;
}

char Lexer::AfterStepName() const {
  const size_t end = StepNameEnd();
  return end > begin_ && end < text_.size() ? text_[end] : '\0';
}

std::string Lexer::Found() const {
  if (token_.kind == Token::kEnd) return "the end";
  return absl::StrCat("`", std::string(text_.substr(begin_, std::min<size_t>(at_ - begin_, 40))), "`");
}

}  // namespace squall

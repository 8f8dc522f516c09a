#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/invariants/parser.h"
#include "harness/invariants/parser_core.h"

namespace squall {
namespace {

using ast::Measure;

class MeasureParser {
 public:
  explicit MeasureParser(std::string_view text) : p_(text) {}

  absl::StatusOr<Measure> Parse() {
    Measure measure = Sum();
    p_.ExpectEnd({"over"});
    if (!p_.ok()) return p_.status();
    return measure;
  }

 private:
  static Measure Binary(Measure::Kind kind, Measure left, Measure right) {
    Measure measure{.kind = kind, .column = left.column};
    measure.children.push_back(std::move(left));
    measure.children.push_back(std::move(right));
    return measure;
  }

  Measure Sum() {
    const ExpressionParser::Level level(&p_);
    Measure left = Product();
    while (p_.ok() && (p_.Is("+") || p_.Is("-"))) {
      const auto kind = p_.Is("+") ? Measure::kAdd : Measure::kSubtract;
      p_.Take(p_.token().text);
      left = Binary(kind, std::move(left), Product());
    }
    return left;
  }

  Measure Product() {
    Measure left = Factor();
    while (p_.ok() && (p_.Is("*") || p_.Is("/"))) {
      const auto kind = p_.Is("*") ? Measure::kMultiply : Measure::kDivide;
      p_.Take(p_.token().text);
      left = Binary(kind, std::move(left), Factor());
    }
    return left;
  }

  Measure Factor() {
    const ExpressionParser::Level level(&p_);
    const Token now = p_.token();
    Measure measure{.column = now.column};
    if (!p_.CountNode(now.column)) return measure;
    if (now.kind == Token::kNumber || now.kind == Token::kPercent || now.kind == Token::kDuration) {
      const ast::Num number = p_.ParseLiteral();
      measure.number = number.number;
      measure.unit = number.unit;
    } else if (p_.Take("-")) {
      measure.kind = Measure::kNegate;
      measure.children.push_back(Factor());
    } else if (p_.Take("(")) {
      measure = Sum();
      p_.Expect(")");
    } else if (now.kind == Token::kName) {
      Named(now.text, &measure);
    } else {
      p_.Expected("a measure such as `max of pool over run`, a number or `(`");
    }
    return measure;
  }

  void Named(const std::string& word, Measure* measure) {
    measure->name = p_.ExpectStepName("the name of a measure");
    if (!p_.Take("of")) {
      measure->kind = Measure::kReference;
      return;
    }
    measure->name.clear();
    if (word == "count") return Count(measure);
    if (word == "value") {
      measure->kind = Measure::kValueAt;
      measure->num.push_back(p_.ParseNumber());
      p_.Expect("at");
      measure->point = p_.ParsePoint(true);
    } else if (word == "recovery") {
      measure->kind = Measure::kRecovery;
      measure->name = p_.ExpectStepName("the name of an invariant");
    } else if (word == "time") {
      measure->kind = Measure::kTimeOfFirst;
      p_.Expect("first");
      measure->formula.push_back(p_.ParseWholeFormula());
      if (p_.Take("stays")) measure->stays_ns = p_.ExpectDuration("after `stays`");
      p_.Expect("after");
      measure->point = p_.ParsePoint(true);
    } else {
      Reduced(word, measure);
    }
  }

  void Reduced(const std::string& word, Measure* measure) {
    static constexpr std::pair<std::string_view, Measure::Reduce> kReduces[] = {{"min", Measure::kMin},
                                                                                {"max", Measure::kMax},
                                                                                {"avg", Measure::kAvg},
                                                                                {"last", Measure::kLast},
                                                                                {"increase", Measure::kIncrease}};
    measure->kind = Measure::kOver;
    bool found = false;
    for (const auto& [name, reduce] : kReduces) {
      if (word != name) continue;
      measure->reduce = reduce;
      found = true;
    }
    if (!found) {
      p_.Fail(measure->column, absl::StrCat("`", word, " of` is no measure",
                                            DidYouMean(word, {"min", "max", "avg", "last", "increase", "count", "value",
                                                              "recovery", "time"})));
      return;
    }
    measure->num.push_back(p_.ParseNumber());
    if (p_.Take("over")) measure->scope = p_.ParseScope();
  }

  // count of EVENTS [before first EVENTS] [over SCOPE]
  void Count(Measure* measure) {
    measure->kind = Measure::kCountEvents;
    measure->events = p_.ParseSelector();
    if (p_.Take("before")) {
      p_.Expect("first");
      measure->kind = Measure::kCountBefore;
      measure->until = p_.ParseSelector();
    }
    if (p_.Take("over")) measure->scope = p_.ParseScope();
  }

  ExpressionParser p_;
};

}  // namespace

absl::StatusOr<Measure> ParseMeasure(std::string_view text) { return MeasureParser(text).Parse(); }

}  // namespace squall

// What an expression of a plan means, as a tree: the result of the parser, the input of the evaluator.
//
//   ASSIGN_OR_RETURN(ast::Body body, ParseInvariant("always pool >= 20 during [trigger.start, run.end)"));
//   Print(body);   // the same in canonical spelling: parse(Print(x)) prints the same again
//
// Value types; trees own their children. Times and windows are int64 ns, numbers in expressions are doubles (durations
// in seconds, percentages as shares). `column` counts bytes of the source from 1.
#ifndef HARNESS_INVARIANTS_AST_H_
#define HARNESS_INVARIANTS_AST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace squall::ast {

struct Matcher {
  enum Op { kEqual, kNotEqual, kMatch, kNoMatch };  // = != =~ !~
  std::string label;
  Op op = kEqual;
  std::string value;
};

// A metric, or a signal of the plan, with label matchers.
struct Selector {
  std::string name;
  std::vector<Matcher> matchers;
  int column = 0;
};

enum class Compare { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual };
enum class Window { kCount, kSum, kRate, kIncrease, kAvg, kMin, kMax, kLast, kQuantile };
enum class Spatial { kSum, kAvg, kMin, kMax, kCount };

// "trigger.start + 30s"
struct Point {
  enum Edge { kRequested, kStart, kEnd };
  std::string step;  // a step's name, or "run", or "fault" (every fault step)
  Edge edge = kStart;
  int64_t offset_ns = 0;
  int column = 0;
};

struct Scope {
  enum Kind { kRun, kStep, kBefore, kAfter, kBetween };
  Kind kind = kRun;
  std::string step;  // kStep, kBefore, kAfter: name, or "fault"
  Point from, to;    // kBetween: [from, to)
  bool given = false;
  int column = 0;
};

struct Num {
  enum Kind {
    kNumber,   // number
    kSelect,   // selector
    kWindow,   // window, selector, window_ns, quantile
    kSpatial,  // spatial, selector
    kCountIf,  // selector, compare, children[0]
    kAge,      // selector
    kAdd,      // children[0], children[1] of this and the following
    kSubtract,
    kMultiply,
    kDivide,
    kMin,
    kMax,
    kNegate,    // children[0]
    kBaseline,  // children[0] over scope
  };
  enum Unit { kPlain, kSeconds, kPercent };
  Kind kind = kNumber;
  double number = 0;
  Unit unit = kPlain;  // how the number was written
  Selector selector;
  Window window = Window::kCount;
  int quantile_thousandths = 0;  // 990 = p99
  int64_t window_ns = 0;
  Spatial spatial = Spatial::kSum;
  Compare compare = Compare::kLess;
  Scope scope;
  std::vector<Num> children;
  int column = 0;
};

struct Formula {
  enum Kind {
    kCompare,  // left compare right
    kAnd,      // children
    kOr,       // children
    kNot,      // children[0]
    kFor,      // children[0], duration_ns
    kOnce,     // children[0], duration_ns
    kAbsent,   // selector
  };
  Kind kind = kCompare;
  Compare compare = Compare::kLess;
  std::vector<Num> sides;  // kCompare: left, right
  std::vector<Formula> children;
  int64_t duration_ns = 0;
  Selector selector;
  int column = 0;
};

struct Body {
  enum Kind { kAlways, kNever, kSometimes, kAt, kWithin, kRespond, kImply, kFraction };
  enum Which { kEach, kFirst, kLast };
  Kind kind = kAlways;
  std::vector<Formula> formulas;  // one; kRespond and kImply: the trigger first
  int64_t grace_ns = 0;           // kAlways, kNever
  Scope scope;                    // of all but kAt and kWithin
  Point anchor;                   // kAt, kWithin
  Which which = kEach;
  int64_t deadline_ns = 0;  // kWithin, kRespond
  int64_t stays_ns = 0;
  bool across_faults = false;
  Compare compare = Compare::kLess;  // kFraction
  std::vector<Num> bound;            // kFraction: one
};

// `expr`, `expr during SCOPE`: a condition of valid_while or abort_when.
struct Condition {
  Formula formula;
  Scope scope;
};

struct Measure {
  enum Kind {
    kNumber,       // number
    kReference,    // name of another measure
    kOver,         // reduce num over scope
    kCountEvents,  // events over scope
    kCountBefore,  // events before the first of `until`, within scope
    kValueAt,      // num at point
    kRecovery,     // name of an invariant
    kTimeOfFirst,  // seconds from `point` to the first instant of formula, which stays for stays_ns
    kAdd,          // children[0], children[1] of this and the following
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,  // children[0]
  };
  enum Reduce { kMin, kMax, kAvg, kLast, kIncrease };
  Kind kind = kNumber;
  double number = 0;
  Num::Unit unit = Num::kPlain;
  std::string name;
  Reduce reduce = kMin;
  std::vector<Num> num;  // one: kOver, kValueAt
  Selector events, until;
  Scope scope;
  Point point;
  std::vector<Formula> formula;  // one: kTimeOfFirst
  int64_t stays_ns = 0;
  std::vector<Measure> children;
  int column = 0;
};

std::string Print(const Selector& selector);
std::string Print(const Num& num);
std::string Print(const Formula& formula);
std::string Print(const Scope& scope);
std::string Print(const Point& point);
std::string Print(const Body& body);
std::string Print(const Condition& condition);
std::string Print(const Measure& measure);
std::string PrintDuration(int64_t ns);
const char* Symbol(Compare compare);

}  // namespace squall::ast

#endif  // HARNESS_INVARIANTS_AST_H_

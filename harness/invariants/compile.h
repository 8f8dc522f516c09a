// Turns expressions into nodes of the graph. Equal expressions share their nodes.
//
//   Compiler compiler(&names, &steps, &graph);
//   BoolNode* f = compiler.Formula(ast);      // names have been checked (check.h)
//   compiler.leaves()[margin.leaf]            // the comparison behind a margin
//
// Signals are replaced by what they stand for. Not thread-safe; nodes belong to the graph.
#ifndef HARNESS_INVARIANTS_COMPILE_H_
#define HARNESS_INVARIANTS_COMPILE_H_

#include <string>
#include <vector>

#include "harness/invariants/ast.h"
#include "harness/invariants/bool_nodes.h"
#include "harness/invariants/graph.h"
#include "harness/invariants/names.h"
#include "harness/invariants/num_nodes.h"
#include "harness/invariants/step_book.h"

namespace squall {

// A comparison (or absent()) for people: "pool was 12 at 17.3 s, must be >= 20".
struct Leaf {
  std::string text;     // the comparison
  std::string subject;  // the side that is not constant; of absent() the selector
  ast::Compare compare = ast::Compare::kLess;
  std::string limit;     // the other side, if constant
  bool flipped = false;  // the subject stands on the right
  bool absent = false;
  bool percent = false;  // the limit is written as a percentage
  std::string unit;
  const SelectionNode* selection = nullptr;  // some selection under it, to say why it is not known
};

class Compiler {
 public:
  Compiler(const Names* names, const StepBook* steps, Graph* graph) : names_(names), steps_(steps), graph_(graph) {}

  NumNode* Num(const ast::Num& num);
  BoolNode* Formula(const ast::Formula& formula);
  // The number of events since the run's start.
  NumNode* CountOfEvents(const ast::Selector& selector);
  BoolNode* For(BoolNode* child, int64_t duration_ns);
  BoolNode* Grace(BoolNode* child, int64_t duration_ns);
  BoolNode* Negated(BoolNode* child);
  BoolNode* Either(BoolNode* a, BoolNode* b);

  const std::vector<Leaf>& leaves() const { return leaves_; }

 private:
  template <typename T, typename Make>
  T* Shared(const std::string& key, Make make);
  SelectionNode* Select(const ast::Selector& selector);
  NumNode* Spatially(const ast::Selector& selector, SpatialNode::Aggregate aggregate);
  NumNode* Window(const ast::Num& num);
  NumNode* GaugeWindow(const ast::Num& num);
  NumNode* MakeNum(const ast::Num& num);
  BoolNode* MakeFormula(const ast::Formula& formula);
  BoolNode* Comparison(const ast::Formula& formula);
  const SelectionNode* SomeSelection(const ast::Num& num);

  const Names* const names_;
  const StepBook* const steps_;
  Graph* const graph_;
  std::vector<Leaf> leaves_;
  int depth_ = 0;  // of signals within signals
};

// Of numbers, sums and products of numbers.
bool IsConstant(const ast::Num& num);
double ConstantValue(const ast::Num& num);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_COMPILE_H_

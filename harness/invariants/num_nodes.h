// Nodes of numbers other than windows. Children are nodes that the graph owns.
#ifndef HARNESS_INVARIANTS_NUM_NODES_H_
#define HARNESS_INVARIANTS_NUM_NODES_H_

#include <array>
#include <vector>

#include "harness/invariants/graph.h"
#include "harness/invariants/selection.h"

namespace squall {

class ConstNode : public NumNode {
 public:
  explicit ConstNode(double value) { value_ = {value, value}; }
  void Start(int64_t) override {}
  bool Step(int64_t) override { return false; }
};

// + - * / min max of two.
class ArithmeticNode : public NumNode {
 public:
  ArithmeticNode(ast::Num::Kind kind, const NumNode* a, const NumNode* b) : kind_(kind), a_(a), b_(b) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t) override { return Set(Arithmetic(kind_, a_->value(), b_->value())); }

 private:
  const ast::Num::Kind kind_;
  const NumNode* const a_;
  const NumNode* const b_;
};

// sum, avg, min, max, count over the series that live now; or, without an aggregate, the one series there is. Of
// counters and events: the total. A tree over the series keeps a change at O(log n), without drift.
class SpatialNode : public NumNode {
 public:
  enum Aggregate { kSum, kAvg, kMin, kMax, kCount, kOnly };
  SpatialNode(const Graph* graph, const SelectionNode* selection, Aggregate aggregate)
      : graph_(graph), selection_(selection), aggregate_(aggregate) {}
  void Start(int64_t t_ns) override;
  bool Step(int64_t t_ns) override;

 private:
  Interval Leaf(size_t slot) const;
  Interval Join(Interval a, Interval b) const;
  void Put(size_t slot);
  Interval Result() const;

  const Graph* const graph_;
  const SelectionNode* const selection_;
  const Aggregate aggregate_;
  size_t capacity_ = 0;
  std::vector<Interval> tree_;  // [1] is the root, leaves from capacity_ on
  bool holed_ = false;          // some events of the run were lost
};

// How many series compare so with a number.
class CountIfNode : public NumNode {
 public:
  CountIfNode(const SelectionNode* selection, ast::Compare compare, const NumNode* limit)
      : selection_(selection), compare_(compare), limit_(limit) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t t_ns) override;

 private:
  enum class Part : int8_t { kOut, kFalse, kUnknown, kTrue };
  void Put(size_t slot);

  const SelectionNode* const selection_;
  const ast::Compare compare_;
  const NumNode* const limit_;
  Interval last_limit_{kInf, -kInf};
  std::vector<Part> parts_;
  std::array<int64_t, 4> number_{};
};

// Seconds since the newest sample; on the grid.
class AgeNode : public NumNode {
 public:
  AgeNode(const Graph* graph, const SelectionNode* selection) : graph_(graph), selection_(selection) {}
  void Start(int64_t t_ns) override;
  bool Step(int64_t t_ns) override;

 private:
  const Graph* const graph_;
  const SelectionNode* const selection_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_NUM_NODES_H_

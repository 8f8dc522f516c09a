// Nodes of truth: comparisons, and, or, not, for, once, absent.
#ifndef HARNESS_INVARIANTS_BOOL_NODES_H_
#define HARNESS_INVARIANTS_BOOL_NODES_H_

#include <vector>

#include "harness/invariants/graph.h"
#include "harness/invariants/selection.h"
#include "harness/invariants/sliding.h"

namespace squall {

class CompareNode : public BoolNode {
 public:
  enum Constant { kNone, kLeft, kRight };
  CompareNode(ast::Compare compare, const NumNode* left, const NumNode* right, Constant constant, int32_t leaf)
      : compare_(compare), left_(left), right_(right), constant_(constant), leaf_(leaf) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t t_ns) override;

 private:
  const ast::Compare compare_;
  const NumNode* const left_;
  const NumNode* const right_;
  const Constant constant_;
  const int32_t leaf_;
};

class JoinNode : public BoolNode {
 public:
  JoinNode(bool all, std::vector<const BoolNode*> children) : all_(all), children_(std::move(children)) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t) override {
    BoolValue value = children_[0]->value();
    for (size_t i = 1; i < children_.size(); ++i) {
      value = all_ ? And(value, children_[i]->value()) : Or(value, children_[i]->value());
    }
    return Set(value);
  }

 private:
  const bool all_;
  const std::vector<const BoolNode*> children_;
};

class NotNode : public BoolNode {
 public:
  explicit NotNode(const BoolNode* child) : child_(child) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t) override { return Set(Not(child_->value())); }

 private:
  const BoolNode* const child_;
};

class AbsentNode : public BoolNode {
 public:
  AbsentNode(const SelectionNode* selection, int32_t leaf) : selection_(selection), leaf_(leaf) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t t_ns) override {
    return Set(BoolValue::Crisp(selection_->known() == 0 ? Tri::kTrue : Tri::kFalse, leaf_, t_ns));
  }

 private:
  const SelectionNode* const selection_;
  const int32_t leaf_;
};

// `f for D`: f held throughout the closed [t - D, t]; false before the run is D old.
// `once D f`: f held at some instant of it.
// Grace: once D f, but true before the run is D old.
class PastNode : public BoolNode {
 public:
  enum Kind { kFor, kOnce, kGrace };
  PastNode(const Graph* graph, Kind kind, const BoolNode* child, int64_t duration_ns)
      : graph_(graph),
        kind_(kind),
        child_(child),
        duration_ns_(duration_ns),
        v_(duration_ns),
        lo_(duration_ns),
        hi_(duration_ns) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t t_ns) override;

 private:
  struct Below {
    bool operator()(const Margin& a, const Margin& b) const { return a.Below(b); }
  };
  const Graph* const graph_;
  const Kind kind_;
  const BoolNode* const child_;
  const int64_t duration_ns_;
  SlidingMin<Tri> v_;
  SlidingMin<Margin, Below> lo_, hi_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_BOOL_NODES_H_

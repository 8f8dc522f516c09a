// baseline(x over SCOPE): the mean of x, weighted by time, over the first stretch that the scope means. Not known until
// that stretch has ended, constant from then on; a hole in x makes it unknown on the side of the hole.
#ifndef HARNESS_INVARIANTS_BASELINE_NODE_H_
#define HARNESS_INVARIANTS_BASELINE_NODE_H_

#include <deque>
#include <optional>

#include "harness/invariants/graph.h"
#include "harness/invariants/step_book.h"

namespace squall {

class BaselineNode : public NumNode {
 public:
  BaselineNode(const Graph* graph, const StepBook* steps, const ast::Scope& scope, const NumNode* child)
      : graph_(graph), steps_(steps), scope_(scope), child_(child) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  void Refresh() override;
  bool Step(int64_t t_ns) override;

 private:
  // Sums from the run's start to `at_ns`, and the value from there on.
  struct Mark {
    int64_t at_ns;
    double lo = 0, hi = 0;                   // value x ns, finite parts only
    int64_t lo_unknown = 0, hi_unknown = 0;  // ns
    Interval value;
  };
  Mark At(int64_t t_ns) const;

  const Graph* const graph_;
  const StepBook* const steps_;
  const ast::Scope scope_;
  const NumNode* const child_;
  std::deque<Mark> marks_;  // of the last 30 s: edges are told late
  std::optional<Span> span_;
  std::optional<Mark> begin_;
  uint64_t version_ = 0;
  bool done_ = false;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_BASELINE_NODE_H_

// always, never, sometimes, `when f then g`, fraction: what is asked of every instant of a scope.
#ifndef HARNESS_INVARIANTS_SCOPED_TASK_H_
#define HARNESS_INVARIANTS_SCOPED_TASK_H_

#include <vector>

#include "harness/invariants/body_task.h"

namespace squall {

class ScopedTask : public BodyTask {
 public:
  // kImply: `a` is the trigger, `b` is (not a or then). The others look at `a` only.
  enum Kind { kAlways, kSometimes, kImply, kFraction };
  ScopedTask(const Graph* graph, const StepBook* steps, Kind kind, const ast::Scope& scope, const BoolNode* a,
             const BoolNode* b);
  // kFraction
  void SetBound(ast::Compare compare, double bound, std::string text, bool percent);

  Outcome Judge() const override;
  bool Waits() const override;

 protected:
  void Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) override;
  void OnSteps() override;

 private:
  struct Seen {  // within one span
    bool any = false;
    BoolValue value;
    std::optional<int64_t> first_false_ns;
    bool triggered = false, maybe_triggered = false;
    int64_t true_ns = 0, unknown_ns = 0, total_ns = 0;
  };
  void Observe(Seen* seen, int64_t from_ns, int64_t to_ns, const BoolSnapshot& now, bool certain) const;
  void ObserveFraction(Seen* seen, int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) const;
  bool Over() const;  // no further instant belongs to the scope
  void JudgeFraction(const Seen& all, Outcome* outcome) const;

  const Kind kind_;
  const ast::Scope scope_;
  std::vector<Span> spans_;
  std::vector<Seen> seen_;
  ast::Compare compare_ = ast::Compare::kLess;
  double bound_ = 0;
  std::string bound_text_;
  bool percent_ = false;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_SCOPED_TASK_H_

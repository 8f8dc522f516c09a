// at ANCHOR: f
#ifndef HARNESS_INVARIANTS_INSTANT_TASK_H_
#define HARNESS_INVARIANTS_INSTANT_TASK_H_

#include <vector>

#include "harness/invariants/body_task.h"

namespace squall {

class InstantTask : public BodyTask {
 public:
  InstantTask(const Graph* graph, const StepBook* steps, const ast::Point& point, const BoolNode* f)
      : BodyTask(graph, steps, f, f), point_(point) {
    Mention(point);
  }
  Outcome Judge() const override;
  bool Waits() const override;

 protected:
  void Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) override;
  void OnSteps() override;

 private:
  // Of an anchor known to lie in [lo, hi]: true if f is all through, false if f is nowhere.
  struct Seen {
    bool any = false;
    BoolValue all = BoolValue::True();
    BoolValue some = BoolValue::False();
  };
  const ast::Point point_;
  std::vector<Instant> instants_;
  std::vector<Seen> seen_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_INSTANT_TASK_H_

// within D after ANCHOR: f stays H; when f then within D: g stays H
#ifndef HARNESS_INVARIANTS_WITHIN_TASK_H_
#define HARNESS_INVARIANTS_WITHIN_TASK_H_

#include <deque>
#include <string>
#include <vector>

#include "harness/invariants/body_task.h"
#include "harness/invariants/obligation.h"

namespace squall {

// `a` is f, `b` is `f for H`.
class WithinTask : public BodyTask {
 public:
  WithinTask(const Graph* graph, const StepBook* steps, const ast::Body& body, const BoolNode* f, const BoolNode* held);
  Outcome Judge() const override;
  bool Waits() const override;

 protected:
  void Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) override;
  void OnSteps() override;
  void Drain(int64_t limit_ns) override;

 private:
  // An anchor lies in [lo, hi]: it holds if it does so for all of them (inner), is violated if for none (outer).
  struct Instance {
    Instant anchor;
    Obligation inner, outer;
    std::optional<int64_t> preempted_ns;  // the next fault
    bool was_preempted = false;
  };
  void CutWhatIsPreempted(Instance* instance, int64_t until_ns) const;
  std::vector<const Instance*> Asked() const;
  BoolValue ValueOf(const Instance& instance, bool* decided) const;

  const ast::Body body_;
  std::vector<Instance> instances_;
};

// `a` is the trigger; the answer's nodes come on their own, because there are three.
class RespondTask : public BodyTask {
 public:
  RespondTask(const Graph* graph, const StepBook* steps, const ast::Body& body, const BoolNode* trigger,
              const BoolNode* f, const BoolNode* held);
  Outcome Judge() const override;
  bool Waits() const override { return !finished_ && !open_.empty(); }
  void OnChange(int64_t t_ns) override;
  void GoBlind(int64_t t_ns) override {
    BodyTask::GoBlind(t_ns);
    answers_.push_back({t_ns, BoolValue::Unknown()});
  }

 protected:
  void Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) override;
  void OnSteps() override { spans_ = steps_->Spans(body_.scope); }
  void Drain(int64_t limit_ns) override;

 private:
  struct Open {
    Obligation obligation;
    bool sure;  // the trigger did happen
  };
  struct Answer {
    int64_t t_ns;
    BoolValue f;
  };
  struct Stretch {
    int64_t from_ns, to_ns;
  };
  void Trigger(int64_t t_ns, bool sure);
  void MaybeTriggered(int64_t t_ns);  // no answer is at hand from here on: was there a trigger, perhaps?
  void VisitTrigger(int64_t from_ns, int64_t to_ns, Tri trigger);
  void Close(const Open& open);

  const ast::Body body_;
  const BoolNode* const f_;
  std::deque<Answer> answers_;  // f, change by change, beside the snapshots
  std::vector<Span> spans_;
  std::deque<Open> open_;
  std::deque<Stretch> maybe_;  // in which a trigger may have happened, of the last H
  Tri last_trigger_ = Tri::kFalse;
  size_t last_span_ = static_cast<size_t>(-1);
  Tri last_held_ = Tri::kFalse;
  int64_t sure_ = 0, possible_ = 0;
  BoolValue value_ = BoolValue::True();
  std::optional<int64_t> first_violation_ns_, slowest_ns_;
  bool all_answered_ = true, cut_ = false;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_WITHIN_TASK_H_

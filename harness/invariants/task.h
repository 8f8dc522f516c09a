// One thing that is judged along the run. It listens to nodes of the graph, keeps their changes, and looks at them once
// it is sure which steps had started or ended by then.
//
//   task.Advance(watermark);     // looks at what is older than the edge lag
//   task.Finish(run_end);        // looks at the rest
//
// Each piece of time in which nothing changes is looked at once, in order.
#ifndef HARNESS_INVARIANTS_TASK_H_
#define HARNESS_INVARIANTS_TASK_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/invariants/graph.h"
#include "harness/invariants/step_book.h"

namespace squall {

class Task : public Sink {
 public:
  Task(const Graph* graph, const StepBook* steps) : graph_(graph), steps_(steps) {}

  void Advance(int64_t watermark_ns);
  // Everything up to and including the run's end.
  void Finish(int64_t run_end_ns);
  // Nothing is known from t_ns on.
  virtual void GoBlind(int64_t t_ns) = 0;
  // Some instant that is known lies ahead.
  virtual bool Waits() const = 0;
  bool LateFor(const std::string& step, bool is_fault, int64_t t_ns) const;

 protected:
  // Call in the constructor.
  void Mention(const ast::Scope& scope);
  void Mention(const ast::Point& point);
  void MentionFaults() { mentioned_.insert("fault"); }

  virtual void Drain(int64_t limit_ns) = 0;
  virtual void OnSteps() {}  // edges have come since the last Drain

  const Graph* const graph_;
  const StepBook* const steps_;
  int64_t position_ = std::numeric_limits<int64_t>::min();  // everything before has been looked at
  bool finished_ = false;

 private:
  std::set<std::string> mentioned_;
  int64_t look_ahead_ns_ = 0;
  uint64_t version_ = 0;
};

// A task with snapshots of type S: what its nodes said at an instant.
template <typename S>
class FeedTask : public Task {
 public:
  using Task::Task;

  void OnChange(int64_t t_ns) override {
    if (position_ == std::numeric_limits<int64_t>::min()) position_ = t_ns;
    if (pending_.empty() || pending_.back().first != t_ns) {
      pending_.emplace_back(t_ns, Take());
    } else {
      pending_.back().second = Take();
    }
  }

  void GoBlind(int64_t t_ns) override { pending_.emplace_back(t_ns, S()); }

 protected:
  virtual S Take() const = 0;
  // Nothing changed in [from, to).
  virtual void Visit(int64_t from_ns, int64_t to_ns, const S& now) = 0;

  void Drain(int64_t limit_ns) override {
    while (!pending_.empty() && position_ < limit_ns) {
      const int64_t next = pending_.size() > 1 ? pending_[1].first : kForever;
      const int64_t to = std::min(next, limit_ns);
      if (to > position_) Visit(position_, to, pending_.front().second);
      position_ = std::max(position_, to);
      if (to == next) pending_.pop_front();
    }
  }

 private:
  std::deque<std::pair<int64_t, S>> pending_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_TASK_H_

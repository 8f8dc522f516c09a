#include "harness/invariants/measure_task.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace squall {
namespace {

// A number over a scope may be unknown for this share of it: series begin and end, and a gap of a sample or two is no
// reason to have no number. More than that and there is none.
constexpr double kMostUnknown = 0.1;

std::string NoInstant(const StepBook& steps, const ast::Scope& scope) { return steps.Missing(scope); }

class OverTask : public MeasureTask {
 public:
  OverTask(const Graph* graph, const StepBook* steps, Nodes nodes, const ast::Measure& measure)
      : MeasureTask(graph, steps, nodes), reduce_(measure.reduce), scope_(measure.scope) {
    Mention(scope_);
  }

  bool Waits() const override {
    return !finished_ && std::any_of(spans_.begin(), spans_.end(),
                                     [&](const Span& span) { return span.end && span.end->nominal > position_; });
  }

  MeasureValue Measure() const override {
    Seen all;
    double increase = 0;
    for (size_t i = 0; i < spans_.size(); ++i) {
      if (spans_[i].needs_end && !spans_[i].end) continue;
      const Seen& seen = seen_[i];
      all.known_ns += seen.known_ns;
      all.total_ns += seen.total_ns;
      if (!seen.known_ns) continue;
      all.min = std::min(all.min, seen.min);
      all.max = std::max(all.max, seen.max);
      all.integral += seen.integral;
      all.last = seen.last;
      increase += seen.last - seen.first;
    }
    if (all.total_ns == 0) return MeasureValue::Undefined(NoInstant(*steps_, scope_));
    const double unknown = 1 - static_cast<double>(all.known_ns) / static_cast<double>(all.total_ns);
    if (all.known_ns == 0) return MeasureValue::Undefined("its value was never known there");
    if (unknown > kMostUnknown) {
      return MeasureValue::Undefined(absl::StrFormat("its value was not known for %.0f%% of the time", unknown * 100));
    }
    switch (reduce_) {
      case ast::Measure::kMin:
        return {all.min};
      case ast::Measure::kMax:
        return {all.max};
      case ast::Measure::kAvg:
        return {all.integral / static_cast<double>(all.known_ns)};
      case ast::Measure::kLast:
        return {all.last};
      case ast::Measure::kIncrease:
        return {increase};
    }
    return {};
  }

 protected:
  void OnSteps() override {
    spans_ = steps_->Spans(scope_);
    seen_.resize(std::max(seen_.size(), spans_.size()));
  }

  void Visit(int64_t from_ns, int64_t to_ns, const MeasureSnapshot& now) override {
    for (size_t i = 0; i < spans_.size(); ++i) {
      const int64_t from = std::max(from_ns, spans_[i].begin.nominal);
      const int64_t to = std::min(to_ns, spans_[i].end ? spans_[i].end->nominal : kForever);
      if (from >= to) continue;
      Seen& seen = seen_[i];
      seen.total_ns += to - from;
      if (!now.x.known()) continue;
      const double value = now.x.lo;
      if (seen.known_ns == 0) seen.first = value;
      seen.known_ns += to - from;
      seen.min = std::min(seen.min, value);
      seen.max = std::max(seen.max, value);
      seen.last = value;
      seen.integral += value * static_cast<double>(to - from);
    }
  }

 private:
  struct Seen {
    int64_t known_ns = 0, total_ns = 0;
    double min = kInf, max = -kInf, first = 0, last = 0, integral = 0;
  };
  const ast::Measure::Reduce reduce_;
  const ast::Scope scope_;
  std::vector<Span> spans_;
  std::vector<Seen> seen_;
};

// x: number of events so far; y, if asked for: of those that the count stops before.
class CountTask : public MeasureTask {
 public:
  CountTask(const Graph* graph, const StepBook* steps, Nodes nodes, const ast::Measure& measure)
      : MeasureTask(graph, steps, nodes), before_(measure.kind == ast::Measure::kCountBefore), measure_(measure) {
    Mention(measure.scope);
  }

  bool Waits() const override {
    return !finished_ && std::any_of(spans_.begin(), spans_.end(),
                                     [&](const Span& span) { return span.end && span.end->nominal > position_; });
  }

  MeasureValue Measure() const override {
    double total = 0;
    bool any = false, stopped = false;
    for (size_t i = 0; i < spans_.size(); ++i) {
      const Span& span = spans_[i];
      if (span.needs_end && !span.end) continue;
      any = true;
      total += seen_[i].count;
      stopped |= seen_[i].stopped;
      const int64_t end = std::min(position_, span.end ? span.end->nominal : position_);
      if (!seen_[i].stopped && graph_->store().HasHole(span.begin.nominal, end)) {
        return MeasureValue::Undefined("some events were lost");
      }
    }
    if (!any) return MeasureValue::Undefined(NoInstant(*steps_, measure_.scope));
    if (unknown_) return MeasureValue::Undefined(absl::StrCat("`", measure_.events.name, "` are no events"));
    if (before_ && !stopped) {
      return MeasureValue::Undefined(absl::StrCat("there was no `", ast::Print(measure_.until), "`"));
    }
    return {total};
  }

 protected:
  void OnSteps() override {
    spans_ = steps_->Spans(measure_.scope);
    seen_.resize(std::max(seen_.size(), spans_.size()));
  }

  void Visit(int64_t from_ns, int64_t to_ns, const MeasureSnapshot& now) override {
    if (!std::isfinite(now.x.lo)) {
      unknown_ = true;
      return;
    }
    // What happened at from_ns, the instant of this change.
    const double news = now.x.lo - last_x_;
    const bool stops = before_ && now.y.lo > last_y_;
    last_x_ = now.x.lo;
    last_y_ = std::max(last_y_, now.y.lo);
    for (size_t i = 0; i < spans_.size(); ++i) {
      if (from_ns < spans_[i].begin.nominal || (spans_[i].end && from_ns >= spans_[i].end->nominal)) continue;
      if (stops) seen_[i].stopped = true;  // what happened at the same instant was not before
      if (!seen_[i].stopped) seen_[i].count += news;
    }
  }

 private:
  struct Seen {
    double count = 0;
    bool stopped = false;
  };
  const bool before_;
  const ast::Measure measure_;
  std::vector<Span> spans_;
  std::vector<Seen> seen_;
  double last_x_ = 0, last_y_ = 0;
  bool unknown_ = false;
};

// value of x at POINT: of the first instance of it. time of first f after POINT.
class PointTask : public MeasureTask {
 public:
  PointTask(const Graph* graph, const StepBook* steps, Nodes nodes, const ast::Measure& measure)
      : MeasureTask(graph, steps, nodes), time_(measure.kind == ast::Measure::kTimeOfFirst), measure_(measure) {
    Mention(measure.point);
  }

  bool Waits() const override { return !finished_ && !time_ && at_ && *at_ >= position_; }

  MeasureValue Measure() const override {
    const std::string point = absl::StrCat("`", ast::Print(measure_.point), "`");
    if (!at_) return MeasureValue::Undefined(absl::StrCat(point, " never came"));
    if (*at_ >= position_) return MeasureValue::Undefined(absl::StrCat(point, " is not within the run"));
    if (time_) {
      if (!first_) return MeasureValue::Undefined("it never came true after that");
      return {static_cast<double>(*first_ - *at_) / 1e9};
    }
    if (!value_.known()) return MeasureValue::Undefined(absl::StrCat("its value was not known at ", point));
    return {value_.lo};
  }

 protected:
  void OnSteps() override {
    if (at_) return;
    const std::vector<Instant> instants = steps_->Instants(measure_.point);
    if (!instants.empty()) at_ = instants[0].nominal;
  }

  void Visit(int64_t from_ns, int64_t to_ns, const MeasureSnapshot& now) override {
    if (!at_) return;
    if (!time_) {
      if (from_ns <= *at_ && *at_ < to_ns) value_ = now.x;
      return;
    }
    const int64_t earliest = *at_ + measure_.stays_ns;
    if (!first_ && now.held == Tri::kTrue && to_ns > earliest) first_ = std::max(from_ns, earliest) - measure_.stays_ns;
  }

 private:
  const bool time_;
  const ast::Measure measure_;
  std::optional<int64_t> at_, first_;
  Interval value_;
};

}  // namespace

MeasureSnapshot MeasureTask::Take() const {
  MeasureSnapshot snapshot;
  if (nodes_.x != nullptr) snapshot.x = nodes_.x->value();
  if (nodes_.y != nullptr) snapshot.y = nodes_.y->value();
  if (nodes_.held != nullptr) snapshot.held = nodes_.held->value().v;
  return snapshot;
}

std::unique_ptr<MeasureTask> MakeMeasureTask(const ast::Measure& measure, Compiler* compiler, Graph* graph,
                                             const StepBook* steps) {
  MeasureTask::Nodes nodes;
  std::unique_ptr<MeasureTask> task;
  switch (measure.kind) {
    case ast::Measure::kOver:
      nodes.x = compiler->Num(measure.num[0]);
      task = std::make_unique<OverTask>(graph, steps, nodes, measure);
      break;
    case ast::Measure::kCountBefore:
      nodes.y = compiler->CountOfEvents(measure.until);
      [[fallthrough]];
    case ast::Measure::kCountEvents:
      nodes.x = compiler->CountOfEvents(measure.events);
      task = std::make_unique<CountTask>(graph, steps, nodes, measure);
      break;
    case ast::Measure::kValueAt:
      nodes.x = compiler->Num(measure.num[0]);
      task = std::make_unique<PointTask>(graph, steps, nodes, measure);
      break;
    case ast::Measure::kTimeOfFirst:
      nodes.held = compiler->For(compiler->Formula(measure.formula[0]), measure.stays_ns);
      task = std::make_unique<PointTask>(graph, steps, nodes, measure);
      break;
    default:
      return nullptr;
  }
  for (Node* node : {static_cast<Node*>(nodes.x), static_cast<Node*>(nodes.y), static_cast<Node*>(nodes.held)}) {
    if (node != nullptr) graph->AddSink(node, task.get());
  }
  return task;
}

}  // namespace squall

// Aggregates over the last D: agg(selector)[D].
//
//   gauge   min, max   exact at every instant: the step function's extremum (GaugeExtremumNode over a SpatialNode)
//           avg, last  avg is weighted by time, on the grid
//           count, sum, quantiles   of the samples, on the grid
//   events  all but last; on the grid; windows are (t - D, t]
//   counter rate, increase; on the grid; no extrapolation
// Anything else is never known. Which row holds may show only with the metric's first point: KindSwitchNode.
#ifndef HARNESS_INVARIANTS_WINDOW_NODES_H_
#define HARNESS_INVARIANTS_WINDOW_NODES_H_

#include <deque>
#include <functional>
#include <vector>

#include "harness/invariants/graph.h"
#include "harness/invariants/selection.h"
#include "harness/invariants/sliding.h"

namespace squall {

class GaugeExtremumNode : public NumNode {
 public:
  GaugeExtremumNode(const NumNode* child, bool min, int64_t window_ns)
      : child_(child), sign_(min ? 1 : -1), lo_(window_ns), hi_(window_ns) {}
  void Start(int64_t t_ns) override;
  bool Step(int64_t t_ns) override;

 private:
  const NumNode* const child_;
  const double sign_;  // the maximum is minus the minimum of the negated
  SlidingMin<double> lo_, hi_;
};

// Mean over the last D, or over what there is of it since the run's start.
class GaugeAverageNode : public NumNode {
 public:
  GaugeAverageNode(const Graph* graph, const NumNode* child, int64_t window_ns)
      : graph_(graph), child_(child), window_ns_(window_ns) {}
  void Start(int64_t t_ns) override;
  bool Step(int64_t t_ns) override;

 private:
  struct Piece {
    int64_t from_ns;
    Interval value;
  };
  Interval Mean(int64_t t_ns) const;
  const Graph* const graph_;
  const NumNode* const child_;
  const int64_t window_ns_;
  std::deque<Piece> pieces_;  // the first holds at t - D
};

// Over the points themselves.
class PointWindowNode : public NumNode {
 public:
  PointWindowNode(const Graph* graph, const SelectionNode* selection, ast::Window window, int thousandths,
                  int64_t window_ns)
      : graph_(graph), selection_(selection), window_(window), thousandths_(thousandths), window_ns_(window_ns) {}
  void Start(int64_t t_ns) override;
  bool Step(int64_t t_ns) override;

 private:
  Interval OfCounter(int64_t t_ns) const;
  Interval OfPoints(int64_t t_ns);
  double Quantile();

  const Graph* const graph_;
  const SelectionNode* const selection_;
  const ast::Window window_;
  const int thousandths_;
  const int64_t window_ns_;
  std::deque<SelectionNode::Fresh> points_;
  uint64_t round_ = 0;  // of the selection, taken in last
  double sum_ = 0;
  uint64_t removed_ = 0;  // since sum_ was taken anew
  std::vector<double> scratch_;
};

// The first child for gauges, the second for counters and events.
class KindSwitchNode : public NumNode {
 public:
  KindSwitchNode(const SelectionNode* selection, const NumNode* gauge, const NumNode* points)
      : selection_(selection), gauge_(gauge), points_(points) {}
  void Start(int64_t t_ns) override { Step(t_ns); }
  bool Step(int64_t) override {
    const auto kind = selection_->kind();
    return Set(!kind ? Interval() : kind == SeriesKind::kGauge ? gauge_->value() : points_->value());
  }

 private:
  const SelectionNode* const selection_;
  const NumNode* const gauge_;
  const NumNode* const points_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_WINDOW_NODES_H_

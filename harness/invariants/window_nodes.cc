#include "harness/invariants/window_nodes.h"

#include <algorithm>

namespace squall {

void GaugeExtremumNode::Start(int64_t t_ns) { Step(t_ns); }

bool GaugeExtremumNode::Step(int64_t t_ns) {
  const Interval now = child_->value();
  lo_.Push(t_ns, sign_ > 0 ? now.lo : -now.hi);
  hi_.Push(t_ns, sign_ > 0 ? now.hi : -now.lo);
  lo_.Expire(t_ns);
  hi_.Expire(t_ns);
  due_ = std::min(lo_.NextExpiry(), hi_.NextExpiry());
  return Set(sign_ > 0 ? Interval{lo_.Min(), hi_.Min()} : Interval{-hi_.Min(), -lo_.Min()});
}

void GaugeAverageNode::Start(int64_t t_ns) { Step(t_ns); }

bool GaugeAverageNode::Step(int64_t t_ns) {
  const bool grid = t_ns == graph_->LastGrid(t_ns);
  const bool news = pieces_.empty() || !(pieces_.back().value == child_->value());
  const Interval mean = grid && !pieces_.empty() ? Mean(t_ns) : value_;
  if (news) pieces_.push_back({t_ns, child_->value()});
  while (pieces_.size() > 1 && pieces_[1].from_ns <= t_ns - window_ns_) pieces_.pop_front();
  due_ = graph_->NextGrid(t_ns);
  return Set(t_ns == graph_->run_start_ns() ? child_->value() : mean);
}

Interval GaugeAverageNode::Mean(int64_t t_ns) const {
  const int64_t begin = std::max(t_ns - window_ns_, graph_->run_start_ns());
  if (t_ns <= begin) return {};
  double lo = 0, hi = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const int64_t from = std::max(begin, pieces_[i].from_ns);
    const int64_t to = i + 1 < pieces_.size() ? pieces_[i + 1].from_ns : t_ns;
    if (to <= from) continue;
    lo += pieces_[i].value.lo * static_cast<double>(to - from);
    hi += pieces_[i].value.hi * static_cast<double>(to - from);
  }
  const double length = static_cast<double>(t_ns - begin);
  return Sane(lo / length, hi / length);
}

void PointWindowNode::Start(int64_t t_ns) { Step(t_ns); }

bool PointWindowNode::Step(int64_t t_ns) {
  if (round_ != selection_->round()) {
    round_ = selection_->round();
    for (const SelectionNode::Fresh& point : selection_->fresh()) {
      points_.push_back(point);
      sum_ += point.value;
    }
  }
  if (t_ns != graph_->LastGrid(t_ns)) return false;
  due_ = graph_->NextGrid(t_ns);
  while (!points_.empty() && points_.front().t_ns <= t_ns - window_ns_) {
    sum_ -= points_.front().value;
    points_.pop_front();
    ++removed_;
  }
  if (points_.empty()) {
    sum_ = 0;
  } else if (removed_ > points_.size()) {  // subtraction leaves rounding behind: add up anew now and then
    removed_ = 0;
    sum_ = 0;
    for (const SelectionNode::Fresh& point : points_) sum_ += point.value;
  }
  const auto kind = selection_->kind();
  if (!kind) return Set({});
  return Set(kind == SeriesKind::kCounter ? OfCounter(t_ns) : OfPoints(t_ns));
}

Interval PointWindowNode::OfCounter(int64_t t_ns) const {
  const double per = window_ == ast::Window::kRate ? static_cast<double>(window_ns_) / 1e9 : 1;
  if (window_ != ast::Window::kRate && window_ != ast::Window::kIncrease) return {};
  const bool unsure = selection_->size() == 0 || selection_->CounterUnsure(t_ns, window_ns_);
  return {sum_ / per, unsure ? kInf : sum_ / per};
}

Interval PointWindowNode::OfPoints(int64_t t_ns) {
  using ast::Window;
  const bool events = selection_->kind() == SeriesKind::kEvent;
  const bool hole = events && graph_->store().HasHole(std::max(t_ns - window_ns_, graph_->run_start_ns()), t_ns);
  const double n = static_cast<double>(points_.size());
  switch (window_) {
    case Window::kCount:
      return {n, hole ? kInf : n};
    case Window::kRate:
    case Window::kIncrease: {
      if (!events) return {};
      const double value = window_ == Window::kRate ? n / (static_cast<double>(window_ns_) / 1e9) : n;
      return {value, hole ? kInf : value};
    }
    case Window::kSum:
      return hole ? Interval() : Interval{sum_, sum_};
    default:
      break;
  }
  if (points_.empty()) return {};
  const auto [least, most] = std::minmax_element(points_.begin(), points_.end(),
                                                 [](const auto& a, const auto& b) { return a.value < b.value; });
  switch (window_) {
    case Window::kMin:
      return {hole ? -kInf : least->value, least->value};
    case Window::kMax:
      return {most->value, hole ? kInf : most->value};
    case Window::kAvg:
      return hole ? Interval() : Interval{sum_ / n, sum_ / n};
    case Window::kLast:
      return hole ? Interval() : Interval{points_.back().value, points_.back().value};
    default: {
      if (hole) return {};
      const double value = Quantile();
      return {value, value};
    }
  }
}

// Nearest rank: the ceil(q N)-th smallest.
double PointWindowNode::Quantile() {
  scratch_.clear();
  for (const SelectionNode::Fresh& point : points_) scratch_.push_back(point.value);
  const size_t n = scratch_.size();
  const size_t rank = std::clamp<size_t>((n * static_cast<size_t>(thousandths_) + 999) / 1000, 1, n);
  std::nth_element(scratch_.begin(), scratch_.begin() + static_cast<int64_t>(rank) - 1, scratch_.end());
  return scratch_[rank - 1];
}

}  // namespace squall

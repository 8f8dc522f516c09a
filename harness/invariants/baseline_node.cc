#include "harness/invariants/baseline_node.h"

#include <algorithm>

namespace squall {
namespace {

constexpr int64_t kLookBack = 30'000'000'000;

}  // namespace

void BaselineNode::Refresh() {
  if (!done_ && version_ != steps_->version()) due_ = graph_->now_ns();
}

bool BaselineNode::Step(int64_t t_ns) {
  due_ = kForever;
  if (done_) return false;
  if (marks_.empty()) {
    marks_.push_back({.at_ns = t_ns, .value = child_->value()});
  } else if (!(child_->value() == marks_.back().value)) {
    Mark mark = At(t_ns);
    mark.value = child_->value();
    marks_.push_back(mark);
  }
  while (marks_.size() > 1 && marks_[1].at_ns < t_ns - kLookBack) marks_.pop_front();
  if (version_ != steps_->version()) {
    version_ = steps_->version();
    const std::vector<Span> spans = steps_->Spans(scope_);
    if (!spans.empty()) span_ = spans[0];
  }
  if (!span_) return false;
  if (!begin_) {
    if (span_->begin.nominal > t_ns) {
      due_ = span_->begin.nominal;
      return false;
    }
    begin_ = At(std::max(span_->begin.nominal, marks_.front().at_ns));
  }
  if (!span_->end || span_->end->nominal <= begin_->at_ns) return false;
  if (span_->end->nominal > t_ns) {
    due_ = span_->end->nominal;
    return false;
  }
  const Mark end = At(span_->end->nominal);
  done_ = true;
  const double length = static_cast<double>(end.at_ns - begin_->at_ns);
  return Set({end.lo_unknown > begin_->lo_unknown ? -kInf : (end.lo - begin_->lo) / length,
              end.hi_unknown > begin_->hi_unknown ? kInf : (end.hi - begin_->hi) / length});
}

BaselineNode::Mark BaselineNode::At(int64_t t_ns) const {
  auto next =
      std::upper_bound(marks_.begin(), marks_.end(), t_ns, [](int64_t t, const Mark& mark) { return t < mark.at_ns; });
  if (next == marks_.begin()) return marks_.front();
  Mark mark = *--next;
  const int64_t length = t_ns - mark.at_ns;
  mark.at_ns = t_ns;
  if (std::isfinite(mark.value.lo)) {
    mark.lo += mark.value.lo * static_cast<double>(length);
  } else {
    mark.lo_unknown += length;
  }
  if (std::isfinite(mark.value.hi)) {
    mark.hi += mark.value.hi * static_cast<double>(length);
  } else {
    mark.hi_unknown += length;
  }
  return mark;
}

}  // namespace squall

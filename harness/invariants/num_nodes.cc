#include "harness/invariants/num_nodes.h"

namespace squall {

Interval SpatialNode::Leaf(size_t slot) const {
  const bool in = slot < selection_->size() && selection_->Of(slot).in;
  if (in) return selection_->Of(slot).value;
  switch (aggregate_) {
    case kMin:
      return {kInf, kInf};
    case kMax:
      return {-kInf, -kInf};
    default:
      return {0, 0};
  }
}

Interval SpatialNode::Join(Interval a, Interval b) const {
  return Arithmetic(aggregate_ == kMin ? ast::Num::kMin : aggregate_ == kMax ? ast::Num::kMax : ast::Num::kAdd, a, b);
}

void SpatialNode::Put(size_t slot) {
  size_t place = capacity_ + slot;
  tree_[place] = Leaf(slot);
  while ((place /= 2) >= 1) tree_[place] = Join(tree_[2 * place], tree_[2 * place + 1]);
}

void SpatialNode::Start(int64_t t_ns) {
  capacity_ = 0;
  Step(t_ns);
}

bool SpatialNode::Step(int64_t t_ns) {
  if (capacity_ == 0 || selection_->size() > capacity_) {
    capacity_ = 1;
    while (capacity_ < selection_->size()) capacity_ *= 2;
    tree_.assign(2 * capacity_, Leaf(selection_->size()));
    for (size_t i = 0; i < selection_->size(); ++i) tree_[capacity_ + i] = Leaf(i);
    for (size_t i = capacity_ - 1; i >= 1; --i) tree_[i] = Join(tree_[2 * i], tree_[2 * i + 1]);
  } else {
    for (const size_t slot : selection_->changed()) Put(slot);
  }
  if (selection_->kind() == SeriesKind::kEvent) {
    holed_ = holed_ || graph_->store().HasHole(graph_->run_start_ns(), t_ns);
    due_ = graph_->NextGrid(t_ns);
  }
  return Set(Result());
}

Interval SpatialNode::Result() const {
  const Interval root = tree_[1];
  const auto kind = selection_->kind();
  if (kind == SeriesKind::kEvent) return {root.lo, holed_ ? kInf : root.hi};
  const double live = static_cast<double>(selection_->live());
  if (aggregate_ == kCount) {
    if (!kind) return {0, kInf};  // the metric itself is not known yet
    return {static_cast<double>(selection_->known()), live};
  }
  if (live == 0) return {};
  if (aggregate_ == kAvg) return {root.lo / live, root.hi / live};
  if (aggregate_ == kOnly && live > 1 && kind == SeriesKind::kGauge) return {};
  return root;
}

bool CountIfNode::Step(int64_t) {
  const bool all = !(limit_->value() == last_limit_);
  last_limit_ = limit_->value();
  const size_t before = parts_.size();
  parts_.resize(selection_->size(), Part::kOut);
  number_[0] += static_cast<int64_t>(parts_.size() - before);
  if (all) {
    for (size_t i = 0; i < parts_.size(); ++i) Put(i);
  } else {
    for (size_t i = before; i < parts_.size(); ++i) Put(i);
    for (const size_t slot : selection_->changed()) Put(slot);
  }
  if (!selection_->kind()) return Set({0, kInf});
  const double sure = static_cast<double>(number_[static_cast<size_t>(Part::kTrue)]);
  return Set({sure, sure + static_cast<double>(number_[static_cast<size_t>(Part::kUnknown)])});
}

void CountIfNode::Put(size_t slot) {
  const SelectionNode::State& state = selection_->Of(slot);
  Part part = Part::kOut;
  if (state.in) {
    const Tri v = CompareNumbers(compare_, state.value, limit_->value(), 1).v;
    part = v == Tri::kTrue ? Part::kTrue : v == Tri::kFalse ? Part::kFalse : Part::kUnknown;
  }
  --number_[static_cast<size_t>(parts_[slot])];
  ++number_[static_cast<size_t>(part)];
  parts_[slot] = part;
}

void AgeNode::Start(int64_t t_ns) { Step(t_ns); }

bool AgeNode::Step(int64_t t_ns) {
  due_ = graph_->NextGrid(t_ns);
  const int64_t newest = selection_->newest_ns();
  if (newest == std::numeric_limits<int64_t>::min()) return Set({kInf, kInf});
  const double age = static_cast<double>(t_ns - newest) / 1e9;
  return Set({age, age});
}

}  // namespace squall

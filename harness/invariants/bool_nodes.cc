#include "harness/invariants/bool_nodes.h"

#include <algorithm>

namespace squall {
namespace {

// |the constant side|, else |the right side| if it is known, else 1.
double Scale(Interval side) { return side.known() && side.lo != 0 ? std::abs(side.lo) : 1; }

}  // namespace

bool CompareNode::Step(int64_t t_ns) {
  const Interval left = left_->value(), right = right_->value();
  BoolValue value = CompareNumbers(compare_, left, right, Scale(constant_ == kLeft ? left : right));
  const Interval subject = constant_ == kLeft ? right : left;
  // The lower margin comes from the end of the subject that is nearer to a violation.
  const bool grows = (compare_ == ast::Compare::kGreater || compare_ == ast::Compare::kGreaterEqual) ==
                     (constant_ != kLeft);  // a larger subject is better
  value.lo.subject = grows ? subject.lo : subject.hi;
  value.hi.subject = grows ? subject.hi : subject.lo;
  for (Margin* margin : {&value.lo, &value.hi}) {
    margin->leaf = leaf_;
    margin->t_ns = t_ns;
  }
  return Set(value);
}

bool PastNode::Step(int64_t t_ns) {
  const BoolValue child = kind_ == kFor ? child_->value() : Not(child_->value());
  v_.Push(t_ns, child.v);
  lo_.Push(t_ns, child.lo);
  hi_.Push(t_ns, child.hi);
  v_.Expire(t_ns);
  lo_.Expire(t_ns);
  hi_.Expire(t_ns);
  due_ = std::min({v_.NextExpiry(), lo_.NextExpiry(), hi_.NextExpiry()});
  const int64_t full = graph_->run_start_ns() + duration_ns_;
  if (t_ns < full && kind_ != kOnce) {
    due_ = std::min(due_, full);
    return Set(kind_ == kFor ? BoolValue::Crisp(Tri::kFalse, child.lo.leaf, t_ns) : BoolValue::True());
  }
  BoolValue value;
  value.v = v_.Min();
  value.lo = lo_.Min();
  value.hi = hi_.Min();
  return Set(kind_ == kFor ? value : Not(value));
}

}  // namespace squall

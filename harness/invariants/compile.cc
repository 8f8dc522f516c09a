#include "harness/invariants/compile.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/invariants/baseline_node.h"
#include "harness/invariants/window_nodes.h"

namespace squall {
namespace {

constexpr int kDeepestSignal = 32;  // cycles are refused when the plan is checked

}  // namespace

bool IsConstant(const ast::Num& num) {
  switch (num.kind) {
    case ast::Num::kNumber:
      return true;
    case ast::Num::kAdd:
    case ast::Num::kSubtract:
    case ast::Num::kMultiply:
    case ast::Num::kDivide:
    case ast::Num::kMin:
    case ast::Num::kMax:
    case ast::Num::kNegate:
      return std::all_of(num.children.begin(), num.children.end(), IsConstant);
    default:
      return false;
  }
}

double ConstantValue(const ast::Num& num) {
  if (num.kind == ast::Num::kNumber) return num.number;
  const double first = ConstantValue(num.children[0]);
  if (num.kind == ast::Num::kNegate) return -first;
  const double second = ConstantValue(num.children[1]);
  return Arithmetic(num.kind, {first, first}, {second, second}).lo;
}

template <typename T, typename Make>
T* Compiler::Shared(const std::string& key, Make make) {
  const auto found = graph_->shared.find(key);
  if (found != graph_->shared.end()) return static_cast<T*>(found->second);
  T* node = make();
  graph_->shared[key] = node;
  return node;
}

SelectionNode* Compiler::Select(const ast::Selector& selector) {
  return Shared<SelectionNode>(absl::StrCat("select ", ast::Print(selector)), [&] {
    return graph_->Own(std::make_unique<SelectionNode>(graph_, selector, names_->KindOf(selector.name)), {});
  });
}

NumNode* Compiler::Spatially(const ast::Selector& selector, SpatialNode::Aggregate aggregate) {
  return Shared<NumNode>(absl::StrCat("spatial ", aggregate, " ", ast::Print(selector)), [&] {
    SelectionNode* selection = Select(selector);
    return graph_->Own(std::make_unique<SpatialNode>(graph_, selection, aggregate), {selection});
  });
}

NumNode* Compiler::CountOfEvents(const ast::Selector& selector) { return Spatially(selector, SpatialNode::kSum); }

NumNode* Compiler::Num(const ast::Num& num) {
  return Shared<NumNode>(absl::StrCat("num ", ast::Print(num)), [&] { return MakeNum(num); });
}

NumNode* Compiler::MakeNum(const ast::Num& num) {
  using ast::Num;
  switch (num.kind) {
    case Num::kNumber:
      return graph_->Own(std::make_unique<ConstNode>(num.number), {});
    case Num::kSelect: {
      const Num* signal = num.selector.matchers.empty() ? names_->Signal(num.selector.name) : nullptr;
      if (signal == nullptr || depth_ >= kDeepestSignal) return Spatially(num.selector, SpatialNode::kOnly);
      ++depth_;
      NumNode* node = this->Num(*signal);
      --depth_;
      return node;
    }
    case Num::kWindow:
      return Window(num);
    case Num::kSpatial: {
      constexpr SpatialNode::Aggregate kAggregates[] = {SpatialNode::kSum, SpatialNode::kAvg, SpatialNode::kMin,
                                                        SpatialNode::kMax, SpatialNode::kCount};
      return Spatially(num.selector, kAggregates[static_cast<int>(num.spatial)]);
    }
    case Num::kCountIf: {
      SelectionNode* selection = Select(num.selector);
      NumNode* limit = this->Num(num.children[0]);
      return graph_->Own(std::make_unique<CountIfNode>(selection, num.compare, limit), {selection, limit});
    }
    case Num::kAge: {
      SelectionNode* selection = Select(num.selector);
      return graph_->Own(std::make_unique<AgeNode>(graph_, selection), {selection});
    }
    case Num::kNegate: {
      NumNode* zero = this->Num(ast::Num());
      NumNode* child = this->Num(num.children[0]);
      return graph_->Own(std::make_unique<ArithmeticNode>(Num::kSubtract, zero, child), {zero, child});
    }
    case Num::kBaseline: {
      NumNode* child = this->Num(num.children[0]);
      return graph_->Own(std::make_unique<BaselineNode>(graph_, steps_, num.scope, child), {child});
    }
    default: {
      NumNode* a = this->Num(num.children[0]);
      NumNode* b = this->Num(num.children[1]);
      return graph_->Own(std::make_unique<ArithmeticNode>(num.kind, a, b), {a, b});
    }
  }
}

NumNode* Compiler::GaugeWindow(const ast::Num& num) {
  switch (num.window) {
    case ast::Window::kMin:
    case ast::Window::kMax: {
      const bool min = num.window == ast::Window::kMin;
      NumNode* now = Spatially(num.selector, min ? SpatialNode::kMin : SpatialNode::kMax);
      return graph_->Own(std::make_unique<GaugeExtremumNode>(now, min, num.window_ns), {now});
    }
    case ast::Window::kAvg: {
      NumNode* now = Spatially(num.selector, SpatialNode::kAvg);
      return graph_->Own(std::make_unique<GaugeAverageNode>(graph_, now, num.window_ns), {now});
    }
    case ast::Window::kLast:
      return Spatially(num.selector, SpatialNode::kOnly);
    default:
      return nullptr;
  }
}

NumNode* Compiler::Window(const ast::Num& num) {
  SelectionNode* selection = Select(num.selector);
  NumNode* gauge = GaugeWindow(num);
  const auto kind = names_->KindOf(num.selector.name);
  if (gauge != nullptr && kind == SeriesKind::kGauge) return gauge;
  NumNode* points = graph_->Own(
      std::make_unique<PointWindowNode>(graph_, selection, num.window, num.quantile_thousandths, num.window_ns),
      {selection});
  if (gauge == nullptr || kind.has_value()) return points;
  return graph_->Own(std::make_unique<KindSwitchNode>(selection, gauge, points), {selection, gauge, points});
}

BoolNode* Compiler::Formula(const ast::Formula& formula) {
  return Shared<BoolNode>(absl::StrCat("formula ", ast::Print(formula)), [&] { return MakeFormula(formula); });
}

BoolNode* Compiler::MakeFormula(const ast::Formula& formula) {
  using ast::Formula;
  switch (formula.kind) {
    case Formula::kCompare:
      return Comparison(formula);
    case Formula::kAnd:
    case Formula::kOr: {
      std::vector<const BoolNode*> inputs;
      std::vector<Node*> children;
      for (const Formula& child : formula.children) {
        BoolNode* node = this->Formula(child);
        inputs.push_back(node);
        children.push_back(node);
      }
      return graph_->Own(std::make_unique<JoinNode>(formula.kind == Formula::kAnd, std::move(inputs)), children);
    }
    case Formula::kNot:
      return Negated(this->Formula(formula.children[0]));
    case Formula::kFor:
      return For(this->Formula(formula.children[0]), formula.duration_ns);
    case Formula::kOnce: {
      BoolNode* child = this->Formula(formula.children[0]);
      return graph_->Own(std::make_unique<PastNode>(graph_, PastNode::kOnce, child, formula.duration_ns), {child});
    }
    case Formula::kAbsent: {
      SelectionNode* selection = Select(formula.selector);
      leaves_.push_back({.text = ast::Print(formula),
                         .subject = ast::Print(formula.selector),
                         .absent = true,
                         .selection = selection});
      return graph_->Own(std::make_unique<AbsentNode>(selection, static_cast<int32_t>(leaves_.size()) - 1),
                         {selection});
    }
  }
  return nullptr;
}

const SelectionNode* Compiler::SomeSelection(const ast::Num& num) {
  switch (num.kind) {
    case ast::Num::kSelect:
      if (const ast::Num* signal = names_->Signal(num.selector.name); signal != nullptr && depth_ < kDeepestSignal) {
        ++depth_;
        const SelectionNode* found = SomeSelection(*signal);
        --depth_;
        return found;
      }
      return Select(num.selector);
    case ast::Num::kWindow:
    case ast::Num::kSpatial:
    case ast::Num::kCountIf:
    case ast::Num::kAge:
      return Select(num.selector);
    default:
      for (const ast::Num& child : num.children) {
        if (const SelectionNode* found = SomeSelection(child)) return found;
      }
      return nullptr;
  }
}

BoolNode* Compiler::Comparison(const ast::Formula& formula) {
  const ast::Num& left = formula.sides[0];
  const ast::Num& right = formula.sides[1];
  NumNode* a = Num(left);
  NumNode* b = Num(right);
  const auto constant = IsConstant(right)  ? CompareNode::kRight
                        : IsConstant(left) ? CompareNode::kLeft
                                           : CompareNode::kNone;
  const bool flipped = constant == CompareNode::kLeft;
  const ast::Num& subject = flipped ? right : left;
  const ast::Num& limit = flipped ? left : right;
  Leaf leaf{.text = ast::Print(formula),
            .subject = ast::Print(subject),
            .compare = formula.compare,
            .limit = constant == CompareNode::kNone ? "" : ast::Print(limit),
            .flipped = flipped,
            .percent = limit.kind == ast::Num::kNumber && limit.unit == ast::Num::kPercent,
            .unit = names_->UnitOf(subject),
            .selection = SomeSelection(subject)};
  if (leaf.unit.empty()) leaf.unit = names_->UnitOf(limit);
  leaves_.push_back(std::move(leaf));
  return graph_->Own(
      std::make_unique<CompareNode>(formula.compare, a, b, constant, static_cast<int32_t>(leaves_.size()) - 1), {a, b});
}

BoolNode* Compiler::For(BoolNode* child, int64_t duration_ns) {
  if (duration_ns <= 0) return child;
  return graph_->Own(std::make_unique<PastNode>(graph_, PastNode::kFor, child, duration_ns), {child});
}

BoolNode* Compiler::Grace(BoolNode* child, int64_t duration_ns) {
  if (duration_ns <= 0) return child;
  return graph_->Own(std::make_unique<PastNode>(graph_, PastNode::kGrace, child, duration_ns), {child});
}

BoolNode* Compiler::Negated(BoolNode* child) { return graph_->Own(std::make_unique<NotNode>(child), {child}); }

BoolNode* Compiler::Either(BoolNode* a, BoolNode* b) {
  return graph_->Own(std::make_unique<JoinNode>(false, std::vector<const BoolNode*>{a, b}), {a, b});
}

}  // namespace squall

#include "harness/invariants/measure.h"

#include <utility>

namespace squall {
namespace {

MeasureValue Combine(ast::Measure::Kind kind, double a, double b) {
  switch (kind) {
    case ast::Measure::kAdd:
      return {a + b};
    case ast::Measure::kSubtract:
      return {a - b};
    case ast::Measure::kMultiply:
      return {a * b};
    case ast::Measure::kDivide:
      if (b == 0) return MeasureValue::Undefined("it would divide by 0");
      return {a / b};
    default:
      return {-a};
  }
}

}  // namespace

MeasureSet::Tree MeasureSet::Build(ast::Measure measure, Compiler* compiler, Graph* graph, const StepBook* steps) {
  Tree tree;
  tree.task = MakeMeasureTask(measure, compiler, graph, steps);
  for (ast::Measure& child : measure.children) tree.children.push_back(Build(std::move(child), compiler, graph, steps));
  measure.children.clear();
  tree.measure = std::move(measure);
  return tree;
}

void MeasureSet::Add(const plan::v1::Measure& plan, ast::Measure measure, Compiler* compiler, Graph* graph,
                     const StepBook* steps) {
  entries_.push_back({plan, Build(std::move(measure), compiler, graph, steps)});
}

MeasureValue MeasureSet::Evaluate(const Tree& tree, const RecoveryOf& recovery_of,
                                  const std::map<std::string, MeasureValue>& above) const {
  if (tree.task != nullptr) return tree.task->Measure();
  switch (tree.measure.kind) {
    case ast::Measure::kNumber:
      return {tree.measure.number};
    case ast::Measure::kRecovery:
      return recovery_of(tree.measure.name);
    case ast::Measure::kReference: {
      const auto found = above.find(tree.measure.name);
      if (found == above.end()) return MeasureValue::Undefined("no such measure");
      if (found->second.value) return found->second;
      return MeasureValue::Undefined(tree.measure.name + ": " + found->second.why);
    }
    default:
      break;
  }
  double values[2] = {0, 0};
  for (size_t i = 0; i < tree.children.size() && i < 2; ++i) {
    const MeasureValue value = Evaluate(tree.children[i], recovery_of, above);
    if (!value.value) return value;
    values[i] = *value.value;
  }
  return Combine(tree.measure.kind, values[0], values[1]);
}

std::vector<report::v1::MeasureResult> MeasureSet::Results(const RecoveryOf& recovery_of) const {
  std::vector<report::v1::MeasureResult> results;
  std::map<std::string, MeasureValue> above;
  for (const Entry& entry : entries_) {
    const MeasureValue value = Evaluate(entry.tree, recovery_of, above);
    above[entry.plan.name()] = value;
    report::v1::MeasureResult result;
    result.set_name(entry.plan.name());
    result.set_expression(entry.plan.expr());
    result.set_unit(entry.plan.unit());
    if (value.value) {
      result.set_value(*value.value);
    } else {
      result.set_undefined_because(value.why);
    }
    results.push_back(std::move(result));
  }
  return results;
}

void MeasureSet::Collect(const Tree& tree, std::vector<MeasureTask*>* tasks) {
  if (tree.task != nullptr) tasks->push_back(tree.task.get());
  for (const Tree& child : tree.children) Collect(child, tasks);
}

std::vector<MeasureTask*> MeasureSet::tasks() const {
  std::vector<MeasureTask*> tasks;
  for (const Entry& entry : entries_) Collect(entry.tree, &tasks);
  return tasks;
}

}  // namespace squall

#include "harness/invariants/body_task.h"

#include <utility>

#include "harness/invariants/instant_task.h"
#include "harness/invariants/scoped_task.h"
#include "harness/invariants/within_task.h"

namespace squall {
namespace {

// Tells the task of every change of the nodes it reads.
template <typename T>
std::unique_ptr<BodyTask> Listening(Graph* graph, std::unique_ptr<T> task, std::vector<Node*> nodes) {
  for (Node* node : nodes) graph->AddSink(node, task.get());
  return task;
}

std::unique_ptr<BodyTask> Always(BoolNode* f, const ast::Scope& scope, Graph* graph, const StepBook* steps) {
  return Listening(graph, std::make_unique<ScopedTask>(graph, steps, ScopedTask::kAlways, scope, f, f), {f});
}

}  // namespace

std::unique_ptr<BodyTask> MakeBodyTask(const ast::Body& body, Compiler* compiler, Graph* graph, const StepBook* steps) {
  using ast::Body;
  BoolNode* f = compiler->Formula(body.formulas[0]);
  switch (body.kind) {
    case Body::kNever:
      f = compiler->Negated(f);
      [[fallthrough]];
    case Body::kAlways:
      return Always(compiler->Grace(f, body.grace_ns), body.scope, graph, steps);
    case Body::kSometimes:
      return Listening(graph, std::make_unique<ScopedTask>(graph, steps, ScopedTask::kSometimes, body.scope, f, f),
                       {f});
    case Body::kAt:
      return Listening(graph, std::make_unique<InstantTask>(graph, steps, body.anchor, f), {f});
    case Body::kWithin: {
      BoolNode* held = compiler->For(f, body.stays_ns);
      return Listening(graph, std::make_unique<WithinTask>(graph, steps, body, f, held), {f, held});
    }
    case Body::kRespond: {
      BoolNode* answer = compiler->Formula(body.formulas[1]);
      BoolNode* held = compiler->For(answer, body.stays_ns);
      return Listening(graph, std::make_unique<RespondTask>(graph, steps, body, f, answer, held), {f, answer, held});
    }
    case Body::kImply: {
      BoolNode* both = compiler->Either(compiler->Negated(f), compiler->Formula(body.formulas[1]));
      return Listening(graph, std::make_unique<ScopedTask>(graph, steps, ScopedTask::kImply, body.scope, f, both),
                       {f, both});
    }
    case Body::kFraction: {
      auto task = std::make_unique<ScopedTask>(graph, steps, ScopedTask::kFraction, body.scope, f, f);
      const ast::Num& bound = body.bound[0];
      task->SetBound(body.compare, ConstantValue(bound), ast::Print(bound),
                     bound.kind == ast::Num::kNumber && bound.unit == ast::Num::kPercent);
      return Listening(graph, std::move(task), {f});
    }
  }
  return nullptr;
}

std::unique_ptr<BodyTask> MakeValidWhile(const ast::Condition& condition, int64_t tolerated_ns, Compiler* compiler,
                                         Graph* graph, const StepBook* steps) {
  return Always(compiler->Grace(compiler->Formula(condition.formula), tolerated_ns), condition.scope, graph, steps);
}

std::unique_ptr<BodyTask> MakeAbortWhen(const ast::Condition& condition, int64_t tolerated_ns, Compiler* compiler,
                                        Graph* graph, const StepBook* steps) {
  BoolNode* f = compiler->For(compiler->Formula(condition.formula), tolerated_ns);
  return Always(compiler->Negated(f), condition.scope, graph, steps);
}

}  // namespace squall

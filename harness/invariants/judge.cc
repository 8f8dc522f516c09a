#include "harness/invariants/judge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "harness/invariants/body_task.h"
#include "harness/invariants/check.h"
#include "harness/invariants/evidence.h"
#include "harness/invariants/measure.h"
#include "harness/invariants/parser.h"

namespace squall {
namespace {

using report::v1::ConditionResult;
using report::v1::InvariantResult;
using report::v1::Truth;

constexpr int64_t kDefaultEvery = 100'000'000;
constexpr int64_t kToleratedBlindness = 1'000'000'000;

int64_t Ns(const google::protobuf::Duration& d) { return d.seconds() * 1'000'000'000 + d.nanos(); }

int64_t EveryOf(const plan::v1::Plan& plan) {
  const int64_t every = plan.run().has_every() ? Ns(plan.run().every()) : kDefaultEvery;
  return every > 0 ? every : kDefaultEvery;
}

}  // namespace

struct Judge::State {
  State(const plan::v1::Plan& plan, const SignalStore* store)
      : store(store), names(plan), steps(&names), graph(store, EveryOf(plan)), compiler(&names, &steps, &graph) {}

  struct Invariant {
    plan::v1::Invariant plan;
    std::unique_ptr<BodyTask> task;
  };
  struct Condition {
    plan::v1::Condition plan;
    const char* kind;
    std::unique_ptr<BodyTask> task;
  };

  const SignalStore* const store;
  const Names names;
  StepBook steps;
  Graph graph;
  Compiler compiler;
  std::vector<Invariant> invariants;
  std::vector<Condition> conditions;
  std::map<std::string, const BoolNode*, std::less<>> whens;
  MeasureSet measures;
  std::vector<Task*> tasks;
  uint64_t late_edges = 0;
  bool finished = false;

  absl::Status Compile(const plan::v1::Plan& plan);
  double Seconds(int64_t t_ns) const { return static_cast<double>(t_ns - steps.run_start_ns()) / 1e9; }
  InvariantResult Result(const Invariant& invariant) const;
  MeasureValue RecoveryOf(const std::string& name) const;
};

absl::Status Judge::State::Compile(const plan::v1::Plan& plan) {
  for (const auto& step : plan.steps()) {
    if (!step.has_when()) continue;
    ASSIGN_OR_RETURN(const ast::Formula formula, ParseFormula(step.when().expr()));
    whens[step.name()] = compiler.For(compiler.Formula(formula), Ns(step.when().for_()));
  }
  for (const auto& condition : plan.valid_while()) {
    ASSIGN_OR_RETURN(const ast::Condition parsed, ParseCondition(condition.expr()));
    conditions.push_back(
        {condition, "valid_while", MakeValidWhile(parsed, Ns(condition.for_()), &compiler, &graph, &steps)});
  }
  for (const auto& condition : plan.abort_when()) {
    ASSIGN_OR_RETURN(const ast::Condition parsed, ParseCondition(condition.expr()));
    conditions.push_back(
        {condition, "abort_when", MakeAbortWhen(parsed, Ns(condition.for_()), &compiler, &graph, &steps)});
  }
  for (const auto& invariant : plan.invariants()) {
    ASSIGN_OR_RETURN(const ast::Body body, ParseInvariant(invariant.expr()));
    invariants.push_back({invariant, MakeBodyTask(body, &compiler, &graph, &steps)});
  }
  for (const auto& measure : plan.measures()) {
    ASSIGN_OR_RETURN(ast::Measure parsed, ParseMeasure(measure.expr()));
    measures.Add(measure, std::move(parsed), &compiler, &graph, &steps);
  }
  for (const Condition& condition : conditions) tasks.push_back(condition.task.get());
  for (const Invariant& invariant : invariants) tasks.push_back(invariant.task.get());
  for (MeasureTask* task : measures.tasks()) tasks.push_back(task);
  return absl::OkStatus();
}

Judge::Judge(std::unique_ptr<State> state) : state_(std::move(state)) {}
Judge::~Judge() = default;

absl::StatusOr<std::unique_ptr<Judge>> Judge::Create(const plan::v1::Plan& plan, const SignalStore* store) {
  RETURN_IF_ERROR(CheckExpressions(plan));
  auto state = std::make_unique<State>(plan, store);
  RETURN_IF_ERROR(state->Compile(plan));
  return std::unique_ptr<Judge>(new Judge(std::move(state)));
}

void Judge::SetRunStart(int64_t t_ns) {
  if (state_->graph.started()) return;
  state_->steps.SetRunStart(t_ns);
  state_->graph.Start(t_ns);
}

void Judge::OnStep(std::string_view step, Edge edge, int64_t t_lo, int64_t t_hi) {
  constexpr StepBook::Edge kEdges[] = {StepBook::kRequested, StepBook::kStart, StepBook::kEnd, StepBook::kGivenUp};
  if (!state_->steps.OnStep(step, kEdges[edge], t_lo, t_hi) || edge == kRequested || edge == kGivenUp) return;
  const std::string name(step);
  const bool fault = state_->names.IsFault(name);
  const bool late = std::any_of(state_->tasks.begin(), state_->tasks.end(),
                                [&](const Task* task) { return task->LateFor(name, fault, t_lo); });
  if (late) ++state_->late_edges;
}

void Judge::Advance(int64_t watermark_ns) {
  if (state_->finished || !state_->graph.started()) return;
  const int64_t to = std::min(watermark_ns, state_->store->watermark());
  if (to == kForever) return;
  state_->graph.Advance(to);
  for (Task* task : state_->tasks) task->Advance(to);
}

void Judge::Finish(int64_t run_end_ns) {
  if (state_->finished) return;
  if (!state_->graph.started()) SetRunStart(run_end_ns);
  run_end_ns = std::max(run_end_ns, state_->steps.run_start_ns());
  const int64_t known = std::min(run_end_ns, state_->store->watermark());
  const bool blind = known < run_end_ns - kToleratedBlindness;
  state_->graph.Advance(blind ? known : run_end_ns);
  state_->steps.SetRunEnd(run_end_ns);
  for (Task* task : state_->tasks) {
    if (blind) task->GoBlind(std::max(known, state_->graph.now_ns()) + 1);
    task->Finish(run_end_ns);
  }
  state_->finished = true;
}

Truth Judge::When(std::string_view step) const {
  const auto found = state_->whens.find(step);
  if (found == state_->whens.end() || !state_->graph.started()) return report::v1::UNKNOWN;
  return TruthOf(found->second->value().v);
}

InvariantResult Judge::State::Result(const Invariant& invariant) const {
  const Outcome outcome = invariant.task->Judge();
  InvariantResult result;
  result.set_name(invariant.plan.name());
  result.set_expression(invariant.plan.expr());
  result.set_about(invariant.plan.about());
  result.set_verdict(outcome.verdict);
  result.set_reason(outcome.reason);
  result.set_final(outcome.final);
  result.set_evidence(Evidence(outcome, compiler.leaves(), steps.run_start_ns()));
  const double none = std::nan("");
  result.set_margin_lo(outcome.judged ? outcome.value.lo.raw : none);
  result.set_margin_hi(outcome.judged ? outcome.value.hi.raw : none);
  result.set_margin(result.margin_lo());
  if (outcome.judged && outcome.value.lo.leaf >= 0) {
    const Leaf& leaf = compiler.leaves()[static_cast<size_t>(outcome.value.lo.leaf)];
    result.set_leaf(leaf.text);
    result.set_margin_unit(leaf.unit);
  }
  if (outcome.first_violation_ns && outcome.verdict == report::v1::VIOLATED) {
    result.set_first_violation_s(Seconds(*outcome.first_violation_ns));
    result.set_preceded_by(steps.LastFaultBefore(*outcome.first_violation_ns));
  }
  if (outcome.recovery_ns) result.set_recovery_s(static_cast<double>(*outcome.recovery_ns) / 1e9);
  return result;
}

std::vector<InvariantResult> Judge::Results() const {
  std::vector<InvariantResult> results;
  for (const auto& invariant : state_->invariants) results.push_back(state_->Result(invariant));
  return results;
}

std::vector<ConditionResult> Judge::Conditions() const {
  std::vector<ConditionResult> results;
  for (const auto& condition : state_->conditions) {
    const Outcome outcome = condition.task->Judge();
    ConditionResult result;
    result.set_name(condition.plan.name());
    result.set_kind(condition.kind);
    result.set_expression(condition.plan.expr());
    result.set_verdict(outcome.verdict);
    result.set_evidence(Evidence(outcome, state_->compiler.leaves(), state_->steps.run_start_ns()));
    if (outcome.first_violation_ns) result.set_first_violation_s(state_->Seconds(*outcome.first_violation_ns));
    results.push_back(std::move(result));
  }
  return results;
}

MeasureValue Judge::State::RecoveryOf(const std::string& name) const {
  for (const Invariant& invariant : invariants) {
    if (invariant.plan.name() != name) continue;
    const Outcome outcome = invariant.task->Judge();
    if (outcome.recovery_ns) return {static_cast<double>(*outcome.recovery_ns) / 1e9};
    return MeasureValue::Undefined(
        outcome.verdict == report::v1::VACUOUS ? outcome.detail : absl::StrCat("`", name, "` did not recover"));
  }
  return MeasureValue::Undefined(absl::StrCat("no invariant is called `", name, "`"));
}

std::vector<report::v1::MeasureResult> Judge::Measures() const {
  return state_->measures.Results([this](const std::string& name) { return state_->RecoveryOf(name); });
}

bool Judge::AllDecided() const {
  return std::none_of(state_->tasks.begin(), state_->tasks.end(), [](const Task* task) { return task->Waits(); });
}

uint64_t Judge::late_edges() const { return state_->late_edges; }
int64_t Judge::judged_until_ns() const { return state_->graph.started() ? state_->graph.now_ns() : 0; }

}  // namespace squall

// The record of a run, complete once it is done.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/engine/durations.h"
#include "harness/engine/reasons.h"
#include "harness/engine/state.h"
#include "harness/plan/after_rule.h"

namespace squall {
namespace {

using report::v1::ConditionResult;
using report::v1::InvariantResult;
using report::v1::MeasureResult;
using report::v1::StepResult;

constexpr const char* kNeverStarted = "run_not_started";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string Outcome(const run::StepState& state, const report::v1::FaultResult& fault) {
  if (state.phase == run::StepState::SKIPPED) return "skipped";
  if (!fault.error().empty()) return absl::StrCat("failed: ", fault.error());
  return state.start ? "done" : "not_reached";
}

// The name of the fault that started last before the violation.
std::string PrecededBy(const google::protobuf::RepeatedPtrField<report::v1::FaultResult>& faults, double violation_s) {
  const report::v1::FaultResult* last = nullptr;
  for (const auto& fault : faults) {
    if (!fault.has_armed_s() || fault.armed_s() > violation_s) continue;
    if (last == nullptr || fault.armed_s() >= last->armed_s()) last = &fault;
  }
  return last == nullptr ? "" : last->name();
}

}  // namespace

std::vector<InvariantResult> Engine::State::Invariants() const {
  if (judging != nullptr && started()) {
    std::vector<InvariantResult> results = judging->Results();
    if (!judged || !stopped) return results;
    for (InvariantResult& result : results) {
      if (result.verdict() != report::v1::VIOLATED || violated_before_stop.contains(result.name())) continue;
      result.set_verdict(report::v1::UNKNOWN);
      result.set_reason("run_stopped");
    }
    return results;
  }
  std::vector<InvariantResult> results;
  for (const plan::v1::Invariant& invariant : plan.plan.invariants()) {
    InvariantResult& result = results.emplace_back();
    result.set_name(invariant.name());
    result.set_expression(invariant.expr());
    result.set_about(invariant.about());
    result.set_verdict(report::v1::UNKNOWN);
    result.set_reason(kNeverStarted);
    result.set_margin(kNan);
    result.set_margin_lo(kNan);
    result.set_margin_hi(kNan);
  }
  return results;
}

std::vector<ConditionResult> Engine::State::Conditions() const {
  if (judging != nullptr && started()) return judging->Conditions();
  std::vector<ConditionResult> results;
  const auto add = [&](const auto& conditions, const char* kind) {
    for (const plan::v1::Condition& condition : conditions) {
      ConditionResult& result = results.emplace_back();
      result.set_name(condition.name());
      result.set_kind(kind);
      result.set_expression(condition.expr());
      result.set_verdict(report::v1::UNKNOWN);
      result.set_evidence("the run did not start");
    }
  };
  add(plan.plan.valid_while(), "valid_while");
  add(plan.plan.abort_when(), "abort_when");
  return results;
}

std::vector<MeasureResult> Engine::State::Measures() const {
  if (judging != nullptr && started()) return judging->Measures();
  std::vector<MeasureResult> results;
  for (const plan::v1::Measure& measure : plan.plan.measures()) {
    MeasureResult& result = results.emplace_back();
    result.set_name(measure.name());
    result.set_expression(measure.expr());
    result.set_unit(measure.unit());
    result.set_undefined_because(kNeverStarted);
  }
  return results;
}

VerdictFacts Engine::State::Facts() const {
  VerdictFacts facts;
  facts.findings = findings;
  facts.interrupt_exit = interrupt_exit;
  if (phase != DONE) facts.findings.push_back({std::string(reason::kNotFinished), ""});
  facts.invariants = Invariants();
  facts.conditions = Conditions();
  return facts;
}

report::v1::Overhead Engine::State::BuildOverhead() const {
  report::v1::Overhead overhead;
  double tool = controller_cpu_s, relay = 0, all_targets = 0, rss = controller_rss_mib, latency = 0;
  for (const agent::v1::Closed& message : closed) {
    tool += message.agent_cpu_s();
    relay += message.relay_cpu_s();
    all_targets += message.targets_cpu_s();
    rss = std::max(rss, message.agent_max_rss_mib());
    latency = std::max(latency, message.relay_added_latency_us());
  }
  overhead.set_tool_cpu_s(tool);
  overhead.set_relay_cpu_s(relay);
  overhead.set_targets_cpu_s(all_targets);
  const double all = tool + relay + all_targets;
  overhead.set_cpu_share(all > 0 ? (tool + relay) / all : 0);
  overhead.set_max_rss_mib(rss);
  overhead.set_relay_added_latency_us(latency);
  overhead.set_engine_tick_late_ms_max(static_cast<double>(tick_late_max_ns) / 1e6);
  return overhead;
}

double Engine::State::DurationSeconds() const {
  if (!started()) return 0;
  int64_t from = run_start_ns;
  if (const auto anchor = ParseAfter(plan.plan.run().from()); anchor.ok()) {
    const auto edge = anchor->edge == AfterRule::kStart ? squall::Release::START : squall::Release::END;
    from = timeline->At(anchor->step, edge).value_or(run_start_ns);
  }
  return std::max(0.0, run::Seconds((run_end_ns != 0 ? run_end_ns : now) - from));
}

// Whose run of what it was.
void Engine::State::AddIdentity(report::v1::RunReport* out) const {
  out->set_schema_version(1);
  out->set_run_id(options.run_id);
  out->set_seed(options.seed);
  out->mutable_plan()->set_name(plan.plan.name());
  out->mutable_plan()->set_path(plan.path);
  out->mutable_plan()->set_sha256(plan.sha256);
  out->mutable_plan()->set_about(plan.plan.about());
  for (const auto& [name, value] : plan.params) (*out->mutable_plan()->mutable_params())[name] = value;
  out->set_started_at(options.started_at);
  out->set_duration_s(DurationSeconds());
  out->set_squall_version(options.squall_version);
  out->mutable_replay()->set_command(options.replay_command);
  out->mutable_replay()->set_seed(options.seed);
}

void Engine::State::AddStepsAndFaults(report::v1::RunReport* out) const {
  const int64_t origin = origin_ns();
  for (size_t i = 0; timeline && i < timeline->size(); ++i) {
    const Action& action = schedule.actions[i];
    const run::StepState& state = timeline->state(i);
    report::v1::FaultResult fault;
    if (!action.kind.empty()) {
      fault = faults.Result(action.step, origin);
      fault.set_kind(action.kind);
      *out->add_faults() = fault;
    }
    StepResult* step = out->add_steps();
    step->set_name(action.step);
    if (state.planned_ns) step->set_planned_s(run::Seconds(*state.planned_ns - origin));
    if (state.start) step->set_start_s(run::Seconds(state.start->hi - origin));
    if (state.end) step->set_end_s(run::Seconds(state.end->hi - origin));
    step->set_outcome(Outcome(state, fault));
  }
}

report::v1::RunReport Engine::State::BuildReport() const {
  report::v1::RunReport out;
  AddIdentity(&out);
  const Ruling ruling = Rule(Facts());
  out.set_verdict(ruling.verdict);
  out.set_reason(ruling.reason);
  out.set_reason_detail(ruling.detail);
  AddStepsAndFaults(&out);
  for (InvariantResult& result : Invariants()) {
    if (result.has_first_violation_s() && result.preceded_by().empty()) {
      result.set_preceded_by(PrecededBy(out.faults(), result.first_violation_s()));
    }
    *out.add_invariants() = std::move(result);
  }
  for (auto& measure : Measures()) *out.add_measures() = std::move(measure);
  for (auto& condition : Conditions()) *out.add_conditions() = std::move(condition);
  for (auto& target : targets.Results(origin_ns())) *out.add_targets() = std::move(target);
  for (const std::string& note : notes) out.add_notes(note);
  // Everything that was found, beside the one that gave the verdict.
  for (const Finding& finding : findings) {
    if (finding.code == ruling.reason) continue;
    out.add_notes(absl::StrCat(finding.code, finding.detail.empty() ? "" : ": ", finding.detail));
  }
  for (const auto& draw : schedule.draws) *out.add_draws() = draw;
  *out.mutable_overhead() = BuildOverhead();
  return out;
}

}  // namespace squall

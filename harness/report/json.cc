#include "harness/report/json.h"

#include <cmath>
#include <map>

#include "absl/strings/string_view.h"
#include "harness/report/words/problems.h"
#include "harness/report/words/text.h"
#include "nlohmann/json.hpp"

namespace squall {
namespace {

using Json = nlohmann::ordered_json;

// Keys must be clean before they are in the object: the error handler of dump() is for values and keys alike, but two
// names that differ in bad bytes only would collide unseen.
Json Text(absl::string_view text) { return CleanUtf8(text); }

Json Num(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <typename Message>
Json Optional(const Message& message, bool (Message::*has)() const, double (Message::*get)() const) {
  return (message.*has)() ? Num((message.*get)()) : Json(nullptr);
}

template <typename List, typename ToJson>
Json Array(const List& list, ToJson to_json) {
  Json array = Json::array();
  for (const auto& element : list) array.push_back(to_json(element));
  return array;
}

// In order of key, whatever order the map has.
template <typename Map>
Json StringMap(const Map& map) {
  Json object = Json::object();
  for (const auto& [key, value] : std::map<std::string, std::string>(map.begin(), map.end())) {
    object[CleanUtf8(key)] = Text(value);
  }
  return object;
}

Json ToJson(const report::v1::PlanRef& plan) {
  return {{"name", Text(plan.name())},
          {"path", Text(plan.path())},
          {"sha256", Text(plan.sha256())},
          {"about", Text(plan.about())},
          {"params", StringMap(plan.params())}};
}

Json ToJson(const report::v1::InvariantResult& invariant) {
  using Result = report::v1::InvariantResult;
  return {{"name", Text(invariant.name())},
          {"expression", Text(invariant.expression())},
          {"verdict", TruthName(invariant.verdict())},
          {"reason", Text(invariant.reason())},
          {"margin", Num(invariant.margin())},
          {"margin_lo", Num(invariant.margin_lo())},
          {"margin_hi", Num(invariant.margin_hi())},
          {"margin_unit", Text(invariant.margin_unit())},
          {"first_violation_s", Optional(invariant, &Result::has_first_violation_s, &Result::first_violation_s)},
          {"final", invariant.final()},
          {"preceded_by", Text(invariant.preceded_by())},
          {"leaf", Text(invariant.leaf())},
          {"evidence", Text(invariant.evidence())},
          {"about", Text(invariant.about())},
          {"recovery_s", Optional(invariant, &Result::has_recovery_s, &Result::recovery_s)}};
}

Json ToJson(const report::v1::ConditionResult& condition) {
  using Result = report::v1::ConditionResult;
  return {{"name", Text(condition.name())},
          {"kind", Text(condition.kind())},
          {"expression", Text(condition.expression())},
          {"verdict", TruthName(condition.verdict())},
          {"first_violation_s", Optional(condition, &Result::has_first_violation_s, &Result::first_violation_s)},
          {"evidence", Text(condition.evidence())}};
}

Json ToJson(const report::v1::FaultResult& fault) {
  using Result = report::v1::FaultResult;
  const auto& witness = fault.witness();
  return {{"name", Text(fault.name())},
          {"kind", Text(fault.kind())},
          {"targets", Array(fault.targets(), Text)},
          {"armed_s", Optional(fault, &Result::has_armed_s, &Result::armed_s)},
          {"lifted_s", Optional(fault, &Result::has_lifted_s, &Result::lifted_s)},
          {"witness",
           {{"effective", witness.effective()},
            {"gone", witness.gone()},
            {"count", witness.count()},
            {"detail", Text(witness.detail())}}},
          {"ended_by", Text(fault.ended_by())},
          {"error", Text(fault.error())},
          {"arm_skew_ms", Num(fault.arm_skew_ms())}};
}

Json ToJson(const report::v1::StepResult& step) {
  using Result = report::v1::StepResult;
  return {{"name", Text(step.name())},
          {"planned_s", Optional(step, &Result::has_planned_s, &Result::planned_s)},
          {"start_s", Optional(step, &Result::has_start_s, &Result::start_s)},
          {"end_s", Optional(step, &Result::has_end_s, &Result::end_s)},
          {"outcome", Text(step.outcome())}};
}

Json ToJson(const report::v1::Exit& exit) {
  return {{"at_s", Num(exit.at_s())},
          {"incarnation", exit.incarnation()},
          {"cause", Text(exit.cause())},
          {"signal", exit.signal()},
          {"code", exit.code()}};
}

Json ToJson(const report::v1::TargetResult& target) {
  return {{"name", Text(target.name())},
          {"labels", StringMap(target.labels())},
          {"incarnations", target.incarnations()},
          {"exits", Array(target.exits(), [](const report::v1::Exit& exit) { return ToJson(exit); })},
          {"log", Text(target.log())}};
}

Json ToJson(const report::v1::Overhead& overhead) {
  return {{"tool_cpu_s", Num(overhead.tool_cpu_s())},
          {"relay_cpu_s", Num(overhead.relay_cpu_s())},
          {"targets_cpu_s", Num(overhead.targets_cpu_s())},
          {"cpu_share", Num(overhead.cpu_share())},
          {"max_rss_mib", Num(overhead.max_rss_mib())},
          {"relay_added_latency_us", Num(overhead.relay_added_latency_us())},
          {"engine_tick_late_ms_max", Num(overhead.engine_tick_late_ms_max())}};
}

Json ToJson(const faults::v1::Draw& draw) {
  return {
      {"seed", draw.seed()}, {"site", Text(draw.site())}, {"ordinal", draw.ordinal()}, {"value", Num(draw.value())}};
}

}  // namespace

std::string ReportJson(const report::v1::RunReport& report) {
  auto each = [](const auto& list) { return Array(list, [](const auto& element) { return ToJson(element); }); };
  Json measures = Json::object();
  Json details = Json::object();
  for (const report::v1::MeasureResult& measure : report.measures()) {
    const std::string name = CleanUtf8(measure.name());
    measures[name] = measure.has_value() ? Num(measure.value()) : Json(nullptr);
    details[name] = {{"expression", Text(measure.expression())},
                     {"unit", Text(measure.unit())},
                     {"undefined_because", Text(measure.undefined_because())}};
  }
  const Json json = {
      {"schema_version", report.schema_version()},
      {"run_id", Text(report.run_id())},
      {"verdict", VerdictName(report.verdict())},
      {"reason", Text(report.reason())},
      {"reason_detail", Text(report.reason_detail())},
      {"seed", report.seed()},
      {"plan", ToJson(report.plan())},
      {"started_at", Text(report.started_at())},
      {"duration_s", Num(report.duration_s())},
      {"invariants", each(report.invariants())},
      {"faults", each(report.faults())},
      {"measures", std::move(measures)},
      {"measure_details", std::move(details)},
      {"overhead", ToJson(report.overhead())},
      {"replay", {{"command", Text(report.replay().command())}, {"seed", report.replay().seed()}}},
      {"conditions", each(report.conditions())},
      {"steps", each(report.steps())},
      {"targets", each(report.targets())},
      {"notes", Array(report.notes(), Text)},
      {"draws", each(report.draws())},
      {"squall_version", Text(report.squall_version())},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace squall

#include "harness/report/sample/report.h"

#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"

namespace squall {
namespace {

using report::v1::RunReport;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void AddInvariants(RunReport& report) {
  auto* pool = report.add_invariants();
  pool->set_name("pool_floor");
  pool->set_expression("always pool >= 12 during [trigger.start, run.end)");
  pool->set_about("Fewer supernodes than this cannot carry the users that are left.");
  pool->set_verdict(report::v1::VIOLATED);
  pool->set_margin(-10);
  pool->set_margin_lo(-10);
  pool->set_margin_hi(-10);
  pool->set_margin_unit("supernodes");
  pool->set_first_violation_s(17.3);
  pool->set_final(true);
  pool->set_preceded_by("trigger");
  pool->set_leaf("pool >= 12");
  pool->set_evidence("pool was 2 at 24.1 s, must be >= 12");

  auto* recovery = report.add_invariants();
  recovery->set_name("recovery");
  recovery->set_expression("within 30s after trigger.end: online >= 95% stays 10s");
  recovery->set_verdict(report::v1::VIOLATED);
  recovery->set_margin(-0.71);
  recovery->set_margin_lo(-0.71);
  recovery->set_margin_hi(-0.705);
  recovery->set_first_violation_s(44.5);
  recovery->set_final(true);
  recovery->set_preceded_by("trigger");
  recovery->set_leaf("online >= 95%");
  recovery->set_evidence("online was 0.24 at 44.5 s, must be >= 0.95");

  auto* retries = report.add_invariants();
  retries->set_name("retry_load");
  retries->set_expression("always sum(rate(attempts)) <= 2000/s");
  retries->set_verdict(report::v1::HOLDS);
  retries->set_margin(412.5);
  retries->set_margin_lo(400);
  retries->set_margin_hi(425);
  retries->set_margin_unit("1/s");
  retries->set_recovery_s(3.25);

  auto* support = report.add_invariants();
  support->set_name("support_up");
  support->set_expression("never count(exits{role=\"support\"})[10s] > 0");
  support->set_verdict(report::v1::VACUOUS);
  support->set_reason("no_data");
  support->set_margin(std::numeric_limits<double>::quiet_NaN());
  support->set_margin_lo(-kInfinity);
  support->set_margin_hi(kInfinity);
}

void AddFaults(RunReport& report) {
  auto* trigger = report.add_faults();
  trigger->set_name("trigger");
  trigger->set_kind("delay");
  trigger->add_targets("link im");
  trigger->set_armed_s(12.004);
  trigger->set_lifted_s(18.01);
  trigger->mutable_witness()->set_effective(true);
  trigger->mutable_witness()->set_gone(true);
  trigger->mutable_witness()->set_count(1408);
  trigger->mutable_witness()->set_detail("1408 replies held, 3.02 s on average, 4.49 s at most");
  trigger->set_ended_by("lifted");
  trigger->set_arm_skew_ms(3.9);

  auto* mega = report.add_faults();
  mega->set_name("mega1");
  mega->set_kind("start");
  for (int i = 0; i < 6; ++i) mega->add_targets(absl::StrCat("mega/", i));
  mega->set_armed_s(42);
  mega->mutable_witness()->set_effective(true);
  mega->mutable_witness()->set_gone(true);
  mega->mutable_witness()->set_count(6);
  mega->mutable_witness()->set_detail("6 instances became ready");
  mega->set_ended_by("lifted");
  mega->set_arm_skew_ms(1.2);
}

void AddMeasures(RunReport& report) {
  auto add = [&](const std::string& name, const std::string& expression, double value) {
    auto* measure = report.add_measures();
    measure->set_name(name);
    measure->set_expression(expression);
    measure->set_value(value);
    return measure;
  };
  add("crash_wave_share", "count of exits{cause=\"by signal\"} over run / 24", 7.0 / 24);
  add("nadir_pool_share", "min of pool / 24 over (trigger.start, mega1.start)", 2.0 / 24);
  add("generator_made_ratio", "min of made / scheduled over run", 0.998);
  add("seconds_to_95_online", "recovery of recovery", 0)->clear_value();
  report.mutable_measures(3)->set_undefined_because("the invariant `recovery` never recovered");
  report.mutable_measures(3)->set_unit("s");
}

void AddStepsAndTargets(RunReport& report) {
  auto step = [&](const std::string& name, double start, double end, const std::string& outcome) {
    auto* result = report.add_steps();
    result->set_name(name);
    if (start >= 0) result->set_start_s(start);
    if (end >= 0) result->set_end_s(end);
    result->set_outcome(outcome);
    return result;
  };
  step("barrier", 10, 10, "done");
  step("trigger", 12.004, 18.01, "done")->set_planned_s(12);
  step("mega1", 42, 42.3, "done")->set_planned_s(42);
  step("mega2", -1, -1, "not_reached")->set_planned_s(90);
  for (int i = 0; i < 24; ++i) {
    auto* target = report.add_targets();
    target->set_name(absl::StrCat("supernode/", i));
    (*target->mutable_labels())["version"] = i % 3 == 0 ? "5.0.0.152" : "5.0.0.156";
    target->set_incarnations(i % 4 == 0 ? 2 : 1);
    target->set_log(absl::StrCat("supernode-", i, ".log"));
    if (i % 3 == 0) {
      auto* exit = target->add_exits();
      exit->set_at_s(15.2 + i * 0.07);
      exit->set_incarnation(1);
      exit->set_cause("by signal");
      exit->set_signal(6);
    }
  }
}

}  // namespace

RunReport SampleReport() {
  RunReport report;
  report.set_schema_version(1);
  report.set_run_id("01HN3K5T7Q2V9W4X8Y6Z0A1B2C");
  report.set_verdict(report::v1::FAIL);
  report.set_reason("invariant_violated");
  report.set_reason_detail("pool_floor and recovery were violated");
  report.set_seed(18446744073709551557u);
  report.mutable_plan()->set_name("skype_2010_12_22");
  report.mutable_plan()->set_path("examples/skype_2010/outage.yaml");
  report.mutable_plan()->set_sha256("9f2c4a1d7be0835566a1f0de4b7c9a3e21d85f60c7b4a99e0f1d2c3b4a596877");
  report.mutable_plan()->set_about("Skype's outage of 22 December 2010, with 24 supernodes and 1,200 users.");
  (*report.mutable_plan()->mutable_params())["supernodes"] = "24";
  (*report.mutable_plan()->mutable_params())["buggy"] = "70%";
  report.set_started_at("2024-01-18T09:30:00Z");
  report.set_duration_s(80.02);
  AddInvariants(report);
  AddFaults(report);
  AddMeasures(report);
  AddStepsAndTargets(report);
  auto* generator = report.add_conditions();
  generator->set_name("generator");
  generator->set_kind("valid_while");
  generator->set_expression("made / scheduled >= 90%");
  generator->set_verdict(report::v1::HOLDS);
  auto* overhead = report.mutable_overhead();
  overhead->set_tool_cpu_s(4.1);
  overhead->set_relay_cpu_s(0.6);
  overhead->set_targets_cpu_s(61.5);
  overhead->set_cpu_share(0.071);
  overhead->set_max_rss_mib(48.5);
  overhead->set_relay_added_latency_us(21);
  overhead->set_engine_tick_late_ms_max(4.5);
  report.mutable_replay()->set_command("squall run examples/skype_2010/outage.yaml --seed 18446744073709551557");
  report.mutable_replay()->set_seed(report.seed());
  report.add_notes("the kernel counted 3 % fewer connects than the generator");
  for (uint64_t i = 0; i < 3; ++i) {
    auto* draw = report.add_draws();
    draw->set_seed(report.seed());
    draw->set_site("variants/supernode/version");
    draw->set_ordinal(i);
    draw->set_value(0.25 * static_cast<double>(i + 1));
  }
  report.set_squall_version("0.1.0");
  return report;
}

std::vector<ChartData> SampleCharts() {
  ChartData pool{"pool", "supernodes", {}}, online{"online", "", {}}, attempts{"attempts", "1/s", {}};
  for (int i = 0; i <= 800; ++i) {
    const double t = i * 0.1;
    double members = 24;
    if (t > 15) members = std::max(2.0, 24 - std::floor((t - 15) * 2.6));
    if (t > 43) members = 8;
    double share = t < 10 ? t / 10 : 1;
    if (t > 15.5) share = std::max(0.24, 1 - (t - 15.5) * 0.12);
    if (t > 43) share = std::min(0.98, 0.24 + (t - 43) * 0.09);
    const double storm = t > 16 && t < 50 ? 1500 * std::exp(-(t - 22) * (t - 22) / 120) : 20;
    const double gap = t > 60 && t < 63 ? std::numeric_limits<double>::quiet_NaN() : 0;
    pool.points.emplace_back(t, members);
    online.points.emplace_back(t, share + gap);
    attempts.points.emplace_back(t, storm + 15 * std::sin(t * 3));
  }
  return {std::move(pool), std::move(online), std::move(attempts)};
}

}  // namespace squall

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/plan/near_match.h"
#include "harness/plan/plan_check.h"

namespace squall {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kS = 1000 * kMs;
constexpr int64_t kHour = 3600 * kS;
constexpr uint32_t kMostInstances = 10'000;

using plan::v1::Target;

void CheckHowItStarts(PlanCheck* check, const Target& target, const std::string& path) {
  if (target.has_attach()) {
    if (target.argv_size() > 0) {
      check->Add(path, "both `argv` and `attach`; a role is either started or waited for");
    }
    for (const auto& [name, written] : {std::pair{"count", target.has_count()},
                                        {"restart", target.has_restart()},
                                        {"env", target.env_size() > 0},
                                        {"cwd", !target.cwd().empty()},
                                        {"variants", target.variants_size() > 0},
                                        {"job", target.job()}}) {
      if (written) check->Add(absl::StrCat(path, ".", name), "has no meaning for a role that is attached");
    }
    if (target.attach().expect() == 0) check->Add(path + ".attach.expect", "at least 1");
    if (target.attach().has_within())
      check->CheckDuration(path + ".attach.within", target.attach().within(), kMs, kHour);
    return;
  }
  if (target.argv_size() == 0) {
    check->Add(path, "neither `argv` nor `attach`: nothing says how it starts");
  } else if (target.argv(0).empty()) {
    check->Add(path + ".argv[0]", "an empty program");
  } else if (!absl::StartsWith(target.argv(0), "/") && !absl::StartsWith(target.argv(0), "${") &&
             !absl::StartsWith(target.argv(0), "./")) {
    check->Add(path + ".argv[0]",
               absl::StrCat("`", target.argv(0).substr(0, 64), "` is no path; write a path or ${bin.NAME}"));
  }
  if (target.has_count() && target.count() > kMostInstances) {
    check->Add(path + ".count", absl::StrCat(target.count(), " instances; at most ", kMostInstances));
  }
}

void CheckPortName(PlanCheck* check, const Target& target, const std::string& path, const std::string& port) {
  if (!port.empty() && !target.has_attach()) check->CheckKnown(path, "port", port, PortsOf(target), target.name());
}

void CheckReadiness(PlanCheck* check, const Target& target, const std::string& path) {
  const plan::v1::Readiness& ready = target.ready();
  if (ready.has_within()) check->CheckDuration(path + ".within", ready.within(), kMs, kHour);
  if (ready.has_log()) check->CheckRegex(path + ".log.regex", ready.log().regex());
  if (ready.has_tcp()) CheckPortName(check, target, path + ".tcp.port", ready.tcp().port());
  if (ready.has_grpc_health()) CheckPortName(check, target, path + ".grpc_health.port", ready.grpc_health().port());
  if (target.job() && ready.how_case() != plan::v1::Readiness::HOW_NOT_SET) {
    check->Add(path, "a job is ready when it has ended with 0; it needs no other test");
  }
}

void CheckRestart(PlanCheck* check, const Target& target, const std::string& path) {
  const plan::v1::Restart& restart = target.restart();
  if (restart.has_after()) check->CheckDuration(path + ".after", restart.after(), 0, kHour);
  const bool never = restart.when() == plan::v1::Restart::NEVER;
  if (never && (restart.has_after() || restart.has_jitter() || restart.at_most() > 0)) {
    check->Add(path, "lacks `when`: on_crash or always; without it nothing is restarted");
  }
  if (target.job() && !never) check->Add(path, "a job runs once");
}

void CheckProbe(PlanCheck* check, const Target& target, const plan::v1::Probe& probe, const std::string& path) {
  using plan::v1::Probe;
  check->CheckIdentifier(path, probe.name());
  if (probe.has_every()) check->CheckDuration(path + ".every", probe.every(), 10 * kMs, kHour);
  if (probe.has_timeout()) check->CheckDuration(path + ".timeout", probe.timeout(), kMs, kHour);
  switch (probe.how_case()) {
    case Probe::HOW_NOT_SET:
      check->Add(path, "asks nothing; write one of `tcp`, `grpc_health`, `exec` and `prometheus`");
      break;
    case Probe::kTcp:
      CheckPortName(check, target, path + ".tcp.port", probe.tcp().port());
      if (!probe.tcp().expect().empty()) check->CheckRegex(path + ".tcp.expect", probe.tcp().expect());
      break;
    case Probe::kGrpcHealth:
      CheckPortName(check, target, path + ".grpc_health.port", probe.grpc_health().port());
      break;
    case Probe::kExec:
      if (probe.exec().argv().empty()) check->Add(path + ".exec", "`argv` is empty");
      break;
    case Probe::kPrometheus:
      CheckPortName(check, target, path + ".prometheus.port", probe.prometheus().port());
      if (probe.prometheus().series().empty()) check->Add(path + ".prometheus", "`series` is missing");
      break;
  }
  if (probe.via().empty()) return;
  if (!check->CheckKnown(path + ".via", "link", probe.via(), check->links())) return;
  if (check->FindLink(probe.via())->to().role() != target.name()) {
    check->Add(path + ".via", absl::StrCat("link `", probe.via(), "` does not lead to `", target.name(), "`"));
  }
}

void CheckSources(PlanCheck* check, const Target& target, const std::string& path) {
  if (target.has_metrics()) {
    const plan::v1::Metrics& metrics = target.metrics();
    if (!metrics.has_prometheus()) check->Add(path + ".metrics", "names no source; write `prometheus: {}`");
    if (metrics.has_every()) check->CheckDuration(path + ".metrics.every", metrics.every(), 10 * kMs, kHour);
    CheckPortName(check, target, path + ".metrics.prometheus.port", metrics.prometheus().port());
  }
  for (const plan::v1::EventRule& rule : target.events()) {
    const std::string rule_path = absl::StrCat(path, ".events[", rule.name(), "]");
    check->CheckIdentifier(rule_path, rule.name());
    check->CheckRegex(rule_path + ".log", rule.log());
  }
  for (const plan::v1::Probe& probe : target.probes()) {
    CheckProbe(check, target, probe, absl::StrCat(path, ".probes[", probe.name(), "]"));
  }
}

void CheckTarget(PlanCheck* check, const Target& target) {
  const std::string path = absl::StrCat("targets[", target.name(), "]");
  check->CheckName(path, target.name());
  CheckHowItStarts(check, target, path);
  for (const plan::v1::EnvVar& variable : target.env()) {
    check->CheckIdentifier(absl::StrCat(path, ".env[", variable.name(), "]"), variable.name());
  }
  std::set<std::string> ports;
  for (int i = 0; i < target.ports_size(); ++i) {
    const std::string port_path = absl::StrCat(path, ".ports[", i, "]");
    check->CheckName(port_path, target.ports(i));
    if (!ports.insert(target.ports(i)).second) check->Add(port_path, absl::StrCat("`", target.ports(i), "` twice"));
  }
  for (int i = 0; i < target.needs_size(); ++i) {
    const std::string need_path = absl::StrCat(path, ".needs[", i, "]");
    if (target.needs(i) == target.name()) {
      check->Add(need_path, "it needs itself");
    } else {
      check->CheckKnown(need_path, "target", target.needs(i), check->roles());
    }
  }
  if (target.has_ready()) CheckReadiness(check, target, path + ".ready");
  if (target.has_restart()) CheckRestart(check, target, path + ".restart");
  CheckSources(check, target, path);
}

}  // namespace

void CheckTargets(PlanCheck* check) {
  for (const Target& target : check->plan().targets()) CheckTarget(check, target);
}

}  // namespace squall

#include "harness/agent/convert.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "harness/plan/references.h"
#include "harness/plan/variants.h"

namespace squall {
namespace {

using plan::v1::Probe;
using plan::v1::Target;

Readiness ReadinessOf(const plan::v1::Readiness& ready) {
  Readiness out;
  switch (ready.how_case()) {
    case plan::v1::Readiness::kLog:
      out.how = Readiness::LOG_LINE;
      out.regex = ready.log().regex();
      break;
    case plan::v1::Readiness::kTcp:
      out.how = Readiness::TCP_CONNECT;
      out.port = ready.tcp().port();
      break;
    case plan::v1::Readiness::kGrpcHealth:
      out.how = Readiness::GRPC_HEALTH;
      out.port = ready.grpc_health().port();
      out.service = ready.grpc_health().service();
      break;
    case plan::v1::Readiness::HOW_NOT_SET:
      break;
  }
  out.within_ns = NanosOf(ready.within(), 30 * kSecond);
  return out;
}

RestartPolicy RestartOf(const plan::v1::Restart& restart) {
  RestartPolicy out;
  if (restart.when() == plan::v1::Restart::ON_CRASH) out.when = RestartPolicy::ON_CRASH;
  if (restart.when() == plan::v1::Restart::ALWAYS) out.when = RestartPolicy::ALWAYS;
  out.after_ns = NanosOf(restart.after());
  out.jitter = restart.jitter().value();
  out.at_most = restart.at_most();
  return out;
}

absl::StatusOr<std::string> PortOf(const InstanceInfo& instance, const std::string& name) {
  const std::string wanted = name.empty() && !instance.port_names.empty() ? instance.port_names.front() : name;
  const auto found = instance.ports.find(wanted);
  if (found != instance.ports.end()) return found->second;
  return absl::InvalidArgumentError(absl::StrCat("target ", instance.name, " has no port named \"", wanted, "\""));
}

absl::Status FillHow(const Probe& probe, const InstanceInfo& instance, ProbeSpec* spec) {
  std::string port;
  switch (probe.how_case()) {
    case Probe::kTcp:
      spec->how = ProbeSpec::TCP;
      spec->send = probe.tcp().send();
      spec->expect = probe.tcp().expect();
      port = probe.tcp().port();
      break;
    case Probe::kGrpcHealth:
      spec->how = ProbeSpec::GRPC_HEALTH;
      spec->service = probe.grpc_health().service();
      port = probe.grpc_health().port();
      break;
    case Probe::kExec:
      spec->how = ProbeSpec::EXEC;
      spec->argv.assign(probe.exec().argv().begin(), probe.exec().argv().end());
      spec->number = probe.exec().number();
      return absl::OkStatus();
    case Probe::kPrometheus:
      spec->how = ProbeSpec::PROMETHEUS_VALUE;
      spec->path = probe.prometheus().path().empty() ? "/metrics" : probe.prometheus().path();
      spec->service = probe.prometheus().series();
      port = probe.prometheus().port();
      break;
    case Probe::HOW_NOT_SET:
      return absl::InvalidArgumentError(absl::StrCat("probe ", probe.name(), " of ", instance.role, " asks nothing"));
  }
  if (spec->address.empty()) {
    ASSIGN_OR_RETURN(spec->address, PortOf(instance, port));
  }
  return absl::OkStatus();
}

}  // namespace

int64_t NanosOf(const google::protobuf::Duration& duration, int64_t if_zero) {
  const int64_t ns = duration.seconds() * kSecond + duration.nanos();
  return ns == 0 ? if_zero : ns;
}

TargetSpec SpecOf(const Target& target, uint64_t seed) {
  TargetSpec spec;
  spec.role = target.name();
  spec.count = target.has_count() ? target.count() : 1;
  spec.labels = AssignLabels(target, spec.count, seed, nullptr);
  for (const auto& label : target.labels()) spec.common_labels[label.name()] = label.value();
  spec.argv.assign(target.argv().begin(), target.argv().end());
  for (const auto& variable : target.env()) spec.env.emplace_back(variable.name(), variable.value());
  spec.cwd = target.cwd();
  spec.needs.assign(target.needs().begin(), target.needs().end());
  if (!target.ports().empty()) spec.ports.assign(target.ports().begin(), target.ports().end());
  spec.ready = ReadinessOf(target.ready());
  spec.restart = RestartOf(target.restart());
  for (const auto& rule : target.events()) spec.events.push_back({rule.name(), rule.log()});
  spec.job = target.job();
  return spec;
}

absl::StatusOr<std::vector<ProbeSpec>> ProbesOf(const Target& target, const InstanceInfo& instance,
                                                const std::map<std::string, std::string>& addresses) {
  std::vector<ProbeSpec> specs;
  const Labels labels = LabelsOf(instance);
  if (target.metrics().has_prometheus()) {
    ProbeSpec scrape;
    scrape.how = ProbeSpec::SCRAPE;
    const auto& prometheus = target.metrics().prometheus();
    ASSIGN_OR_RETURN(scrape.address, PortOf(instance, prometheus.port()));
    scrape.path = prometheus.path().empty() ? "/metrics" : prometheus.path();
    scrape.every_ns = NanosOf(target.metrics().every(), kSecond);
    scrape.labels = labels;
    specs.push_back(std::move(scrape));
  }
  for (const Probe& probe : target.probes()) {
    ProbeSpec spec;
    spec.metric = probe.name();
    spec.every_ns = NanosOf(probe.every(), kSecond);
    spec.timeout_ns = NanosOf(probe.timeout(), kSecond);
    spec.labels = labels;
    if (!probe.via().empty()) {
      const auto listener = addresses.find(absl::StrCat("link.", probe.via(), "/", instance.index, ".address"));
      if (listener == addresses.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("probe ", probe.name(), ": link ", probe.via(), " does not lead to ", instance.name));
      }
      spec.address = listener->second;
    }
    RETURN_IF_ERROR(FillHow(probe, instance, &spec));
    for (std::string& argument : spec.argv) {
      std::map<std::string, std::string> variables = addresses;
      for (const auto& [name, address] : instance.ports)
        variables["port." + name] = address.substr(address.rfind(':') + 1);
      if (!instance.port_names.empty()) variables["port"] = variables["port." + instance.port_names.front()];
      ASSIGN_OR_RETURN(argument, Substitute(argument, variables));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

absl::StatusOr<host::v1::StartLoad> LoadOf(const plan::v1::Load& load,
                                           const std::map<std::string, std::string>& variables, int64_t start_ns) {
  host::v1::StartLoad out;
  out.set_name(load.name());
  ASSIGN_OR_RETURN(std::string address, Substitute(load.to(), variables));
  out.set_address(address);
  out.set_connections(load.connections() == 0 ? 1 : load.connections());
  out.set_send(load.send().empty() ? "PING\r\n" : load.send());
  out.set_expect(load.expect());
  out.set_timeout_ns(NanosOf(load.timeout(), kSecond));
  out.set_rate(load.rate());
  for (const auto& stage : load.stages()) {
    auto* added = out.add_stages();
    added->set_to(stage.to());
    added->set_over_ns(NanosOf(stage.over()));
    added->set_hold_ns(NanosOf(stage.hold()));
  }
  out.set_start_ns(start_ns);
  return out;
}

Labels LabelsOf(const InstanceInfo& instance) {
  Labels labels(instance.labels.begin(), instance.labels.end());
  labels["role"] = instance.role;
  labels["index"] = absl::StrCat(instance.index);
  labels["target"] = instance.name;
  return labels;
}

absl::StatusOr<std::string> Substitute(const std::string& text, const std::map<std::string, std::string>& variables) {
  return ExpandLate(text, [&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(std::string(name));
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

}  // namespace squall

// The half of World that reports: edges, events and series of its targets and hosts.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "harness/agent/convert.h"
#include "harness/agent/world.h"

namespace squall {

using agent::v1::TargetEdge;
using agent::v1::TargetInfo;

namespace {
constexpr int64_t kUsageEvery = kSecond;

// Connections this network namespace has opened since boot: Tcp: ActiveOpens of /proc/net/snmp; negative if unknown.
double ActiveOpens() {
  std::ifstream file("/proc/net/snmp");
  std::string names, values;
  while (std::getline(file, names)) {
    if (names.rfind("Tcp:", 0) != 0 || !std::getline(file, values)) continue;
    const std::vector<std::string> columns = absl::StrSplit(names, ' ');
    const std::vector<std::string> numbers = absl::StrSplit(values, ' ');
    for (size_t i = 0; i < std::min(columns.size(), numbers.size()); ++i) {
      if (columns[i] == "ActiveOpens") return std::stod(numbers[i]);
    }
  }
  return -1;
}

}  // namespace

TargetInfo World::InfoOf(const InstanceInfo& instance) const {
  TargetInfo info;
  info.set_role(instance.role);
  info.set_index(instance.index);
  for (const auto& [name, value] : instance.labels) (*info.mutable_labels())[name] = value;
  for (const auto& [name, address] : instance.ports) (*info.mutable_ports())[name] = address;
  info.set_incarnation(instance.incarnation);
  info.set_log(instance.log);
  info.set_agent(options_.agent);
  return info;
}

std::vector<InstanceInfo> World::Instances() const {
  std::vector<InstanceInfo> shown;
  if (fleet_ == nullptr) return shown;
  for (InstanceInfo& instance : fleet_->Instances()) shown.push_back(Shown(std::move(instance)));
  return shown;
}

InstanceInfo World::Shown(InstanceInfo instance) const {
  const auto first = first_index_.find(instance.role);
  if (first == first_index_.end()) return instance;
  instance.index += first->second;
  instance.name = absl::StrCat(instance.role, "/", instance.index);
  return instance;
}

std::string World::Ours(const std::string& target) const {
  const size_t slash = target.rfind('/');
  const auto first = first_index_.find(target.substr(0, slash));
  uint32_t index = 0;
  if (first == first_index_.end() || !absl::SimpleAtoi(target.substr(slash + 1), &index)) return target;
  return index < first->second ? "" : absl::StrCat(first->first, "/", index - first->second);
}

std::vector<TargetInfo> World::Targets() const {
  std::vector<TargetInfo> targets;
  for (const InstanceInfo& instance : Instances()) targets.push_back(InfoOf(instance));
  return targets;
}

void World::EmitEdge(const InstanceInfo& instance, TargetEdge edge, int64_t at_ns) {
  *edge.mutable_target() = InfoOf(instance);
  edge.set_at_ns(at_ns);
  options_.edge(edge);
}

void World::OnStarted(const InstanceInfo& ours, int64_t at_ns) {
  const InstanceInfo instance = Shown(ours);
  const Labels labels = LabelsOf(instance);
  options_.book->Event("started", labels, at_ns);
  options_.book->Gauge("up", labels, at_ns, 1);
  options_.book->Counter("restarts_total", labels, at_ns, instance.incarnation - 1);
  if (const absl::Status watched = Watch(instance); !watched.ok()) {
    notes_.push_back(absl::StrCat(instance.name, ": ", watched.message()));
  }
  TargetEdge edge;
  edge.set_edge(TargetEdge::STARTED);
  EmitEdge(instance, std::move(edge), at_ns);
}

void World::OnReady(const InstanceInfo& ours, int64_t at_ns) {
  const InstanceInfo instance = Shown(ours);
  options_.book->Event("became_ready", LabelsOf(instance), at_ns);
  TargetEdge edge;
  edge.set_edge(TargetEdge::READY);
  EmitEdge(instance, std::move(edge), at_ns);
  StartReadyLoads();
}

void World::OnExited(const InstanceInfo& ours, const Exit& exit, int64_t at_ns) {
  const InstanceInfo instance = Shown(ours);
  const Labels labels = LabelsOf(instance);
  Labels with_cause = labels;
  with_cause["cause"] = exit.cause;
  with_cause["signal"] = absl::StrCat(exit.signal);
  with_cause["code"] = absl::StrCat(exit.code);
  options_.book->Event("exits", with_cause, at_ns);
  options_.book->End(labels, at_ns);  // whatever it showed of itself is over; up, ready and healthy go on at 0
  for (const char* metric : {"up", "ready", "healthy"}) options_.book->Gauge(metric, labels, at_ns, 0);
  options_.book->Gauge("exit_code", labels, at_ns, exit.signal != 0 ? 128 + exit.signal : exit.code);
  options_.target_exited(instance.name);
  TargetEdge edge;
  edge.set_edge(TargetEdge::EXITED);
  edge.set_cause(exit.cause);
  edge.set_signal(exit.signal);
  edge.set_code(exit.code);
  edge.set_wanted(exit.wanted);
  EmitEdge(instance, std::move(edge), at_ns);
}

void World::OnFailed(const InstanceInfo& ours, const std::string& error, int64_t at_ns) {
  const InstanceInfo instance = Shown(ours);
  TargetEdge edge;
  edge.set_edge(TargetEdge::FAILED);
  edge.set_cause(error);
  EmitEdge(instance, std::move(edge), at_ns);
}

void World::OnEvent(const InstanceInfo& ours, const std::string& event, double value, int64_t at_ns) {
  const InstanceInfo instance = Shown(ours);
  options_.book->Event(event, LabelsOf(instance), at_ns, value);
}

void World::Sample() {
  const int64_t now = options_.clock->Now();
  SampleStates(now);
  SampleHost(now);
}

void World::SampleStates(int64_t now) {
  const bool usage = now - last_usage_ns_ >= kUsageEvery;
  if (usage) last_usage_ns_ = now;
  for (const InstanceInfo& instance : Instances()) {
    if (instance.incarnation == 0) continue;
    const Labels labels = LabelsOf(instance);
    const bool up = instance.pid != 0;
    const bool ready = up && instance.ready;
    options_.book->Gauge("up", labels, now, up);
    options_.book->Gauge("ready", labels, now, ready);
    options_.book->Gauge("healthy", labels, now, ready && !instance.drained && !options_.hurt(instance.name));
    options_.book->Counter("restarts_total", labels, now, instance.incarnation - 1);
    if (!usage || !up) continue;
    const InstanceUsage used = fleet_->Usage(Ours(instance.name));
    options_.book->Gauge("rss_bytes", labels, now, used.rss_bytes, kUsageEvery);
    options_.book->Counter("cpu_seconds_total", labels, now, used.cpu_seconds, kUsageEvery);
    options_.book->Gauge("fds", labels, now, used.fds, kUsageEvery);
  }
}

void World::SampleHost(int64_t now) {
  if (const double opens = ActiveOpens(); opens >= 0)
    options_.book->Counter("host_tcp_active_opens_total", {}, now, opens);
}

void World::OnHostStats(const host::v1::HostStats& stats) {
  for (const auto& series : stats.series()) {
    Labels labels;
    for (const auto& label : series.labels()) labels[label.first] = label.second;
    if (series.metric().rfind("load_", 0) == 0) {
      labels["load"] = series.object();
    } else {
      const std::vector<std::string> parts = absl::StrSplit(series.object(), '/');
      labels["link"] = parts[0];
      if (parts.size() > 1) labels["index"] = parts[1];
    }
    if (!series.direction().empty()) labels["direction"] = series.direction();
    if (series.metric() == "link_added_latency_us" && series.value() > 0) added_latency_us_ = series.value();
    if (series.counter()) {
      options_.book->Counter(series.metric(), labels, stats.at_ns(), series.value());
    } else {
      options_.book->Gauge(series.metric(), labels, stats.at_ns(), series.value());
    }
  }
}

void World::OnHostLost(const std::string& key, bool was_relay) {
  notes_.push_back(was_relay ? absl::StrCat(key, " died; the guardian started it again, without its faults")
                             : absl::StrCat(key, " died"));
  options_.host_lost(was_relay ? faults::v1::SEAM_LINK : faults::v1::SEAM_LOAD);
}

}  // namespace squall

#include "harness/agent/world.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "faults/catalog.h"
#include "faults/core/status_macros.h"
#include "harness/agent/convert.h"
#include "targets/process/guardian_spawner.h"

namespace squall {

using agent::v1::OpenRun;
using faults::v1::Fault;

namespace {
constexpr int64_t kEndGrace = 5 * kSecond;
}  // namespace

World::World(Options options) : options_(std::move(options)) {
  GuardianClient::Events events;
  events.exited = [this](const guardian::v1::Exited& exited) {
    if (fleet_ != nullptr && fleet_->OnExited(exited.key(), exited.pid(), exited.wait_status(), exited.sent_signal(),
                                              exited.at_ns(), static_cast<double>(exited.cpu_ns()) / kSecond)) {
      return;
    }
    if (!hosts_->OnExited(exited)) exec_->OnExited(exited.key(), exited.wait_status());
  };
  events.host_up = [this](const guardian::v1::HostUp& up, int fd) { hosts_->OnHostUp(up, fd); };
  events.thawed = [this](const guardian::v1::Thawed& thawed) {
    notes_.push_back(absl::StrCat("the guardian thawed ", thawed.key(), " (", thawed.why(), ")"));
  };
  events.gone = options_.guardian_gone;
  guardian_ = std::make_unique<GuardianClient>(options_.guardian_fd, std::move(events));
  options_.loop->Watch(guardian_->fd(), EPOLLIN, [this](uint32_t) { guardian_->OnReadable(); });
  spawner_ = std::make_unique<GuardianSpawner>(guardian_.get());
  health_ = std::make_unique<HealthChecker>(options_.loop);
  Hosts::Options hosts;
  hosts.relay_binary = options_.relay_binary;
  hosts.load_binary = options_.load_binary;
  hosts.directory = options_.directory;
  hosts.stats = [this](const host::v1::HostStats& stats) { OnHostStats(stats); };
  hosts.ended = options_.fault_ended;
  hosts.lost = [this](const std::string& key, bool was_relay) { OnHostLost(key, was_relay); };
  hosts_ = std::make_unique<Hosts>(options_.loop, guardian_.get(), std::move(hosts));
  exec_ = std::make_unique<ExecRunner>(options_.loop, spawner_.get(), options_.directory);
  prober_ = std::make_unique<Prober>(options_.loop, options_.clock, options_.book, health_.get(), exec_.get());
}

World::~World() {
  prober_->Clear();
  options_.loop->Unwatch(guardian_->fd());
}

absl::Status World::StartOwn(const TargetSpec& spec, const std::vector<StaticLink>& links) {
  owns_target_ = true;
  RETURN_IF_ERROR(OpenFleet(OpenRun()));
  RETURN_IF_ERROR(fleet_->Open({spec}));
  if (!links.empty()) {
    std::vector<LinkListener> listeners;
    for (const StaticLink& link : links) listeners.push_back({link.name + "/0", link.listen, link.upstream});
    hosts_->StartRelay("relay/own", listeners, [this](absl::Status up) {
      if (!up.ok()) notes_.push_back(absl::StrCat("the relay did not start: ", up.message()));
    });
  }
  return fleet_->Begin({});
}

absl::Status World::OpenFleet(const OpenRun& run) {
  Fleet::Options fleet;
  fleet.spawner = spawner_.get();
  fleet.clock = options_.clock;
  fleet.loop = options_.loop;
  fleet.observer = this;
  fleet.grpc_health = [this](const std::string& address, const std::string& service, int64_t timeout_ns,
                             std::function<void(absl::Status)> done) {
    health_->Check(address, service, timeout_ns, std::move(done));
  };
  fleet.directory = run.directory().empty() ? options_.directory : run.directory();
  fleet.seed = run.seed();
  fleet_ = std::make_unique<Fleet>(std::move(fleet));
  return absl::OkStatus();
}

void World::Open(const OpenRun& run, std::function<void(absl::Status)> done) {
  plan_ = run.plan();
  begun_ = false;
  watched_.clear();
  started_loads_.clear();
  variables_.clear();
  for (const auto& [name, path] : run.binaries()) variables_["bin." + name] = path;
  variables_["seed"] = absl::StrCat(run.seed());
  first_index_ = {run.first_index().begin(), run.first_index().end()};
  absl::Status opened = absl::OkStatus();
  if (!owns_target_) {
    opened = OpenFleet(run);
    std::vector<TargetSpec> specs;
    for (const auto& target : plan_.targets()) {
      const bool ours = std::find(run.roles().begin(), run.roles().end(), target.name()) != run.roles().end();
      if (ours) specs.push_back(SpecOf(target, run.seed()));
    }
    if (opened.ok()) opened = fleet_->Open(std::move(specs));
  } else {
    for (const auto& target : plan_.targets()) {
      std::vector<EventRule> rules;
      for (const auto& rule : target.events()) rules.push_back({rule.name(), rule.log()});
      if (opened.ok() && fleet_->InstancesOf(target.name()) != nullptr) {
        opened = fleet_->SetEventRules(target.name(), std::move(rules));
      }
    }
  }
  const std::vector<LinkListener> listeners = opened.ok() ? ListenersOf(run) : std::vector<LinkListener>();
  if (!opened.ok() || listeners.empty()) {
    options_.loop->After(0, [done = std::move(done), opened] { done(opened); });
    return;
  }
  hosts_->StartRelay(absl::StrCat("relay/", listeners.front().object), listeners, std::move(done));
}

// One listener for each instance that a link of the plan leads to and that none carries yet.
std::vector<LinkListener> World::ListenersOf(const OpenRun& run) const {
  std::vector<LinkListener> listeners;
  for (const auto& link : plan_.links()) {
    for (const InstanceInfo& instance : Instances()) {
      if (instance.role != link.to().role()) continue;
      const std::string object = absl::StrCat(link.name(), "/", instance.index);
      if (hosts_->Carries(object) || instance.port_names.empty()) continue;
      const std::string port = link.to().port().empty() ? instance.port_names.front() : link.to().port();
      const auto address = instance.ports.find(port);
      if (address != instance.ports.end()) listeners.push_back({object, "127.0.0.1:0", address->second});
    }
  }
  return listeners;
}

std::map<std::string, std::string> World::Addresses() const {
  std::map<std::string, std::string> out;
  for (const auto& [object, address] : hosts_->addresses()) {
    out[absl::StrCat("link.", object, ".address")] = address;
    const std::vector<std::string> parts = absl::StrSplit(object, '/');
    if (parts.size() == 2 && parts[1] == "0") out[absl::StrCat("link.", parts[0], ".address")] = address;
  }
  if (fleet_ == nullptr) return out;
  std::map<std::string, std::vector<std::string>> all;
  for (const InstanceInfo& instance : Instances()) {
    if (instance.port_names.empty()) continue;
    const std::string& address = instance.ports.at(instance.port_names.front());
    all[instance.role].push_back(address);
    out.try_emplace(absl::StrCat("target.", instance.role, ".address"), address);
  }
  for (const auto& [role, addresses] : all)
    out[absl::StrCat("target.", role, ".addresses")] = absl::StrJoin(addresses, ",");
  return out;
}

absl::Status World::Begin(const std::map<std::string, std::string>& addresses) {
  for (const auto& [name, address] : addresses) variables_[name] = address;
  for (const auto& [name, address] : Addresses()) variables_[name] = address;
  begun_ = true;
  for (const InstanceInfo& instance : Instances()) {
    if (instance.incarnation == 0)
      continue;  // else started by hand, before the plan came: the run has seen no edge of it
    RETURN_IF_ERROR(Watch(instance));
    agent::v1::TargetEdge edge;
    edge.set_edge(agent::v1::TargetEdge::STARTED);
    EmitEdge(instance, edge, options_.clock->Now());
    edge.set_edge(agent::v1::TargetEdge::READY);
    if (instance.ready) EmitEdge(instance, edge, options_.clock->Now());
  }
  if (!owns_target_) RETURN_IF_ERROR(fleet_->Begin(variables_));
  StartReadyLoads();
  return absl::OkStatus();
}

// The probes of an instance begin when it was first started.
absl::Status World::Watch(const InstanceInfo& instance) {
  if (!begun_ || !watched_.insert(instance.name).second) return absl::OkStatus();
  for (const auto& target : plan_.targets()) {
    if (target.name() != instance.role) continue;
    ASSIGN_OR_RETURN(std::vector<ProbeSpec> probes, ProbesOf(target, instance, variables_));
    for (ProbeSpec& probe : probes) {
      probe.running = [this, name = instance.name] {
        const InstanceInfo* now = fleet_->Find(Ours(name));
        return now != nullptr && now->pid != 0;
      };
      RETURN_IF_ERROR(prober_->Add(std::move(probe)));
    }
  }
  return absl::OkStatus();
}

void World::StartReadyLoads() {
  if (!begun_) return;
  for (const auto& load : plan_.loads()) {
    if (started_loads_.contains(load.name()) || options_.load_binary.empty()) continue;
    bool ready = true;
    for (const InstanceInfo& instance : Instances()) {
      const bool needed = std::find(load.needs().begin(), load.needs().end(), instance.role) != load.needs().end();
      ready = ready && (!needed || instance.ready);
    }
    if (!ready) continue;
    started_loads_.insert(load.name());
    const auto resolved = LoadOf(load, variables_, options_.clock->Now());
    const auto note = [this, name = load.name()](absl::Status started) {
      if (!started.ok()) notes_.push_back(absl::StrCat("load ", name, ": ", started.message()));
    };
    if (resolved.ok()) {
      hosts_->StartLoad(*resolved, note);
    } else {
      note(resolved.status());
    }
  }
}

void World::Close(bool keep, std::function<void()> done) {
  prober_->Clear();
  begun_ = false;
  if (keep || owns_target_ || fleet_ == nullptr) {
    options_.loop->After(0, std::move(done));
    return;
  }
  fleet_->EndAll(kEndGrace, std::move(done));
}

double World::TargetsCpuSeconds() const { return fleet_ == nullptr ? 0 : fleet_->TotalCpuSeconds(); }

std::vector<std::string> World::TakeNotes() { return std::exchange(notes_, {}); }

absl::Status World::Check(const Fault& fault, const std::string& target) {
  ASSIGN_OR_RETURN(const faults::v1::Seam seam, SeamOf(fault));
  switch (seam) {
    case faults::v1::SEAM_PROCESS:
      if (fleet_ != nullptr && fleet_->Process(Ours(target)) != nullptr) return absl::OkStatus();
      return absl::NotFoundError(absl::StrCat("this agent has no target ", target));
    case faults::v1::SEAM_INSTANCES:
      if (fleet_ != nullptr && fleet_->InstancesOf(target) != nullptr) return absl::OkStatus();
      return absl::NotFoundError(absl::StrCat("this agent has no role ", target));
    case faults::v1::SEAM_LINK:
      if (hosts_->Carries(target)) return absl::OkStatus();
      return absl::NotFoundError(absl::StrCat("this agent carries no link ", target));
    case faults::v1::SEAM_LOAD:
      for (const auto& load : plan_.loads()) {
        if (load.name() == target) return absl::OkStatus();
      }
      return absl::NotFoundError(absl::StrCat("this agent drives no load ", target));
    default:
      return absl::UnimplementedError("no fault host for this kind here");
  }
}

absl::StatusOr<ArmedFault> World::Arm(const Fault& fault, const std::string& target, const std::string& instance,
                                      const ArmContext& context) {
  ASSIGN_OR_RETURN(const faults::v1::Seam seam, SeamOf(fault));
  if (seam == faults::v1::SEAM_LINK || seam == faults::v1::SEAM_LOAD) {
    return hosts_->Arm(fault, target, instance, context);
  }
  RETURN_IF_ERROR(Check(fault, target));
  ASSIGN_OR_RETURN(const std::unique_ptr<FaultKind> kind, MakeFault(fault));
  Seams seams;
  if (seam == faults::v1::SEAM_PROCESS) seams.process = fleet_->Process(Ours(target));
  if (seam == faults::v1::SEAM_INSTANCES) seams.instances = fleet_->InstancesOf(target);
  return kind->Arm(seams, context);
}

uint32_t World::Incarnation(const std::string& target) const {
  const InstanceInfo* instance = fleet_ == nullptr ? nullptr : fleet_->Find(Ours(target));
  return instance == nullptr ? 0 : instance->incarnation;
}

}  // namespace squall

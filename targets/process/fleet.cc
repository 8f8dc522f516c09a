#include "targets/process/fleet.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "targets/process/instance.h"
#include "targets/process/proc.h"

namespace squall {
namespace {
constexpr int64_t kTailEvery = 20 * kMillisecond;
}  // namespace

struct Fleet::State {
  struct Role : public InstancesSeam {
    State* state = nullptr;
    std::shared_ptr<const TargetSpec> spec;
    std::shared_ptr<RolePatterns> patterns;
    std::vector<std::unique_ptr<Instance>> instances;
    bool started = false;

    absl::StatusOr<Instance*> Add();
    bool AllReady() const;
    Instance* Named(const std::string& name) const;
    absl::StatusOr<std::vector<std::string>> StartMore(uint32_t count) override;
    absl::StatusOr<std::vector<std::string>> DrainSome(uint32_t count, int64_t over_ns, int64_t grace_ns) override;
    bool Ready(const std::string& instance) const override;
    bool Ended(const std::string& instance) const override;
  };

  explicit State(Options given) : options(std::move(given)) {}
  Role* FindRole(const std::string& name) const;
  Instance* FindInstance(const std::string& name) const;
  void StartReadyRoles();
  void OnChange();
  void PollOutputs();
  bool AnyRunning() const;

  const Options options;
  std::vector<std::unique_ptr<Role>> roles;
  std::map<std::string, std::string> variables;
  bool begun = false;
  bool ending = false;
  std::function<void()> all_ended;
  EventLoop::TimerId tail_timer;
  EventLoop::TimerId change_timer;
  bool change_pending = false;
};

absl::StatusOr<Instance*> Fleet::State::Role::Add() {
  const uint32_t index = static_cast<uint32_t>(instances.size());
  std::map<std::string, std::string> labels = spec->common_labels;
  if (index < spec->labels.size()) {
    for (const auto& [name, value] : spec->labels[index]) labels[name] = value;
  }
  auto instance = std::make_unique<Instance>(&state->options, spec, patterns, index, std::move(labels),
                                             [state = state] { state->OnChange(); });
  RETURN_IF_ERROR(instance->ReservePorts());
  instances.push_back(std::move(instance));
  return instances.back().get();
}

bool Fleet::State::Role::AllReady() const {
  return std::all_of(instances.begin(), instances.end(), [](const auto& instance) {
    return !instance->expected_at_start() || instance->info().ready;
  });
}

Instance* Fleet::State::Role::Named(const std::string& name) const {
  for (const auto& instance : instances) {
    if (instance->info().name == name) return instance.get();
  }
  return nullptr;
}

absl::StatusOr<std::vector<std::string>> Fleet::State::Role::StartMore(uint32_t count) {
  if (state->ending) return absl::FailedPreconditionError("the targets are being ended");
  std::vector<std::string> names;
  for (uint32_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Instance * instance, Add());
    RETURN_IF_ERROR(instance->CheckTemplates(state->variables));
    instance->Start(state->variables);
    if (!instance->running()) {
      return absl::UnavailableError(absl::StrCat(instance->info().name, " could not be started"));
    }
    names.push_back(instance->info().name);
  }
  return names;
}

absl::StatusOr<std::vector<std::string>> Fleet::State::Role::DrainSome(uint32_t count, int64_t over_ns,
                                                                       int64_t grace_ns) {
  std::vector<Instance*> running;
  for (auto it = instances.rbegin(); it != instances.rend() && running.size() < count; ++it) {
    if ((*it)->running() && !(*it)->info().drained) running.push_back(it->get());
  }
  if (running.size() < count) {
    return absl::FailedPreconditionError(
        absl::StrCat("only ", running.size(), " of the ", count, " instances of ", spec->role, " to drain run"));
  }
  std::vector<std::string> names;
  const int64_t now = state->options.clock->Now();
  for (size_t i = 0; i < running.size(); ++i) {
    running[i]->DrainAt(now + over_ns * static_cast<int64_t>(i) / static_cast<int64_t>(count), grace_ns);
    names.push_back(running[i]->info().name);
  }
  return names;
}

bool Fleet::State::Role::Ready(const std::string& name) const {
  const Instance* instance = Named(name);
  return instance != nullptr && instance->info().ready;
}

bool Fleet::State::Role::Ended(const std::string& name) const {
  const Instance* instance = Named(name);
  return instance != nullptr && !instance->running();
}

Fleet::State::Role* Fleet::State::FindRole(const std::string& name) const {
  for (const auto& role : roles) {
    if (role->spec->role == name) return role.get();
  }
  return nullptr;
}

Instance* Fleet::State::FindInstance(const std::string& name) const {
  const Role* role = FindRole(name.substr(0, name.rfind('/')));
  return role == nullptr ? nullptr : role->Named(name);
}

void Fleet::State::StartReadyRoles() {
  if (!begun || ending) return;
  for (const auto& role : roles) {
    if (role->started) continue;
    const bool ready = std::all_of(role->spec->needs.begin(), role->spec->needs.end(), [this](const std::string& need) {
      const Role* needed = FindRole(need);
      return needed == nullptr || (needed->started && needed->AllReady());  // roles of other agents: theirs to order
    });
    if (!ready) continue;
    role->started = true;
    for (const auto& instance : role->instances) instance->Start(variables);
  }
}

// Not from inside an instance's own callback: starting others may call back again.
void Fleet::State::OnChange() {
  if (change_pending) return;
  change_pending = true;
  change_timer = options.loop->After(0, [this] {
    change_pending = false;
    StartReadyRoles();
    if (ending && all_ended && !AnyRunning()) std::exchange(all_ended, nullptr)();
  });
}

void Fleet::State::PollOutputs() {
  for (const auto& role : roles) {
    for (const auto& instance : role->instances) {
      if (instance->running()) instance->PollOutput();
    }
  }
  tail_timer = options.loop->After(kTailEvery, [this] { PollOutputs(); });
}

bool Fleet::State::AnyRunning() const {
  for (const auto& role : roles) {
    for (const auto& instance : role->instances) {
      if (instance->running()) return true;
    }
  }
  return false;
}

Fleet::Fleet(Options options) : state_(std::make_unique<State>(std::move(options))) { state_->PollOutputs(); }

Fleet::~Fleet() {
  state_->options.loop->Cancel(state_->tail_timer);
  state_->options.loop->Cancel(state_->change_timer);
}

absl::Status Fleet::Open(std::vector<TargetSpec> specs) {
  for (TargetSpec& spec : specs) {
    if (spec.argv.empty()) return absl::InvalidArgumentError(absl::StrCat("role ", spec.role, ": argv is empty"));
    if (state_->FindRole(spec.role) != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("role ", spec.role, " is given twice"));
    }
    auto role = std::make_unique<State::Role>();
    role->state = state_.get();
    ASSIGN_OR_RETURN(role->patterns, RolePatterns::Compile(spec));
    role->spec = std::make_shared<const TargetSpec>(std::move(spec));
    state_->roles.push_back(std::move(role));
  }
  for (const auto& role : state_->roles) {
    for (uint32_t i = static_cast<uint32_t>(role->instances.size()); i < role->spec->count; ++i) {
      ASSIGN_OR_RETURN(Instance * instance, role->Add());
      instance->set_expected_at_start();
    }
  }
  return absl::OkStatus();
}

absl::Status Fleet::Begin(const std::map<std::string, std::string>& variables) {
  state_->variables = variables;
  for (const auto& role : state_->roles) {
    for (const auto& instance : role->instances) RETURN_IF_ERROR(instance->CheckTemplates(variables));
  }
  state_->begun = true;
  state_->StartReadyRoles();
  return absl::OkStatus();
}

absl::Status Fleet::SetEventRules(const std::string& role_name, std::vector<EventRule> rules) {
  State::Role* role = state_->FindRole(role_name);
  if (role == nullptr) return absl::NotFoundError(absl::StrCat("no role ", role_name, " here"));
  TargetSpec changed = *role->spec;
  changed.events = std::move(rules);
  ASSIGN_OR_RETURN(role->patterns, RolePatterns::Compile(changed));
  for (const auto& instance : role->instances) instance->SetPatterns(role->patterns);
  return absl::OkStatus();
}

std::vector<InstanceInfo> Fleet::Instances() const {
  std::vector<InstanceInfo> all;
  for (const auto& role : state_->roles) {
    for (const auto& instance : role->instances) all.push_back(instance->info());
  }
  return all;
}

const InstanceInfo* Fleet::Find(const std::string& name) const {
  const Instance* instance = state_->FindInstance(name);
  return instance == nullptr ? nullptr : &instance->info();
}

ProcessSeam* Fleet::Process(const std::string& name) { return state_->FindInstance(name); }

InstancesSeam* Fleet::InstancesOf(const std::string& role) { return state_->FindRole(role); }

InstanceUsage Fleet::Usage(const std::string& name) const {
  const Instance* instance = state_->FindInstance(name);
  return instance == nullptr ? InstanceUsage() : UsageOf(instance->info().pid);
}

double Fleet::TotalCpuSeconds() const {
  double total = 0;
  for (const auto& role : state_->roles) {
    for (const auto& instance : role->instances) {
      total += instance->ended_cpu_seconds() + UsageOf(instance->info().pid).cpu_seconds;
    }
  }
  return total;
}

void Fleet::EndAll(int64_t grace_ns, std::function<void()> done) {
  state_->ending = true;
  state_->all_ended = std::move(done);
  for (const auto& role : state_->roles) {
    for (const auto& instance : role->instances) instance->End(grace_ns);
  }
  state_->OnChange();
}

bool Fleet::OnExited(const std::string& key, int pid, int wait_status, int sent_signal, int64_t at_ns,
                     double cpu_seconds) {
  Instance* instance = state_->FindInstance(key);
  if (instance == nullptr) return false;
  instance->OnExited(pid, wait_status, sent_signal, at_ns, cpu_seconds);
  return true;
}

}  // namespace squall

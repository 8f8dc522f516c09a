#include "targets/process/fleet.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "targets/process/instance.h"
#include "targets/process/proc.h"
#include "targets/process/role.h"
#include "targets/process/spec_check.h"

namespace squall {
namespace {
constexpr int64_t kTailEvery = 20 * kMillisecond;
}  // namespace

struct Fleet::State {
  explicit State(Options given) : options(std::move(given)) {}

  Role* FindRole(const std::string& name) const;
  Instance* FindInstance(const std::string& name) const;
  bool MayStart(const Role& role) const;
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

Role* Fleet::State::FindRole(const std::string& name) const {
  for (const auto& role : roles) {
    if (role->spec().role == name) return role.get();
  }
  return nullptr;
}

Instance* Fleet::State::FindInstance(const std::string& name) const {
  const Role* role = FindRole(name.substr(0, name.rfind('/')));
  return role == nullptr ? nullptr : role->Named(name);
}

bool Fleet::State::MayStart(const Role& role) const {
  const auto& needs = role.spec().needs;
  return std::all_of(needs.begin(), needs.end(), [this](const std::string& need) {
    const Role* needed = FindRole(need);
    return needed == nullptr || (needed->started() && needed->AllReady());
  });
}

void Fleet::State::StartReadyRoles() {
  if (!begun || ending) return;
  for (const auto& role : roles) {
    if (!role->started() && MayStart(*role)) role->Start(variables);
  }
}

// Not from inside an instance's own callback: starting others may call back again.
void Fleet::State::OnChange() {
  if (change_pending) return;
  change_pending = true;
  change_timer = options.loop->After(0, [this] {
    change_pending = false;
    StartReadyRoles();
    if (ending && all_ended && !AnyRunning()) std::exchange(all_ended, nullptr)();  // it may delete the fleet
  });
}

void Fleet::State::PollOutputs() {
  for (const auto& role : roles) role->PollOutputs();
  tail_timer = options.loop->After(kTailEvery, [this] { PollOutputs(); });
}

bool Fleet::State::AnyRunning() const {
  return std::any_of(roles.begin(), roles.end(), [](const auto& role) { return role->AnyRunning(); });
}

Fleet::Fleet(Options options) : state_(std::make_unique<State>(std::move(options))) { state_->PollOutputs(); }

Fleet::~Fleet() {
  state_->options.loop->Cancel(state_->tail_timer);
  state_->options.loop->Cancel(state_->change_timer);
}

absl::Status Fleet::Open(std::vector<TargetSpec> specs) {
  if (state_->begun) return absl::FailedPreconditionError("the targets were started already");
  std::vector<const TargetSpec*> all;
  for (const auto& role : state_->roles) all.push_back(&role->spec());
  for (const TargetSpec& spec : specs) {
    RETURN_IF_ERROR(CheckSpec(spec));
    if (spec.ready.how == Readiness::GRPC_HEALTH && state_->options.grpc_health == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("role ", spec.role, ": ready: gRPC health is not asked for here"));
    }
    all.push_back(&spec);
  }
  RETURN_IF_ERROR(CheckRoles(all));
  std::vector<std::unique_ptr<Role>> opened;
  for (TargetSpec& spec : specs) {
    ASSIGN_OR_RETURN(auto patterns, RolePatterns::Compile(spec));
    opened.push_back(std::make_unique<Role>(&state_->options, std::make_shared<const TargetSpec>(std::move(spec)),
                                            std::move(patterns), [state = state_.get()] { state->OnChange(); }));
    RETURN_IF_ERROR(opened.back()->Open());
  }
  for (auto& role : opened) state_->roles.push_back(std::move(role));
  return absl::OkStatus();
}

absl::Status Fleet::Begin(const std::map<std::string, std::string>& variables) {
  for (const auto& role : state_->roles) RETURN_IF_ERROR(role->CheckReferences(variables));
  state_->variables = variables;
  state_->begun = true;
  state_->StartReadyRoles();
  return absl::OkStatus();
}

absl::Status Fleet::SetEventRules(const std::string& role_name, std::vector<EventRule> rules) {
  Role* role = state_->FindRole(role_name);
  if (role == nullptr) return absl::NotFoundError(absl::StrCat("no role ", role_name, " here"));
  return role->SetEventRules(std::move(rules));
}

std::vector<InstanceInfo> Fleet::Instances() const {
  std::vector<InstanceInfo> all;
  for (const auto& role : state_->roles) {
    for (const auto& instance : role->instances()) all.push_back(instance->info());
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
    for (const auto& instance : role->instances()) {
      total += instance->ended_cpu_seconds() + UsageOf(instance->info().pid).cpu_seconds;
    }
  }
  return total;
}

void Fleet::EndAll(int64_t grace_ns, std::function<void()> done) {
  state_->ending = true;
  state_->all_ended = std::move(done);
  for (const auto& role : state_->roles) role->EndAll(grace_ns);
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

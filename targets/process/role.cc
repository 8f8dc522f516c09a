#include "targets/process/role.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"

namespace squall {

Role::Role(const Fleet::Options* options, std::shared_ptr<const TargetSpec> spec,
           std::shared_ptr<const RolePatterns> patterns, std::function<void()> on_change)
    : options_(options), spec_(std::move(spec)), patterns_(std::move(patterns)), on_change_(std::move(on_change)) {}

absl::StatusOr<Instance*> Role::Add() {
  const auto index = static_cast<uint32_t>(instances_.size());
  auto instance = std::make_unique<Instance>(options_, spec_, patterns_, index, on_change_);
  RETURN_IF_ERROR(instance->ReservePorts());
  instances_.push_back(std::move(instance));
  return instances_.back().get();
}

absl::Status Role::Open() {
  while (instances_.size() < spec_->count) RETURN_IF_ERROR(Add().status());
  return absl::OkStatus();
}

absl::Status Role::CheckReferences(const Instance::Variables& variables) const {
  for (const auto& instance : instances_) RETURN_IF_ERROR(instance->MakeRequest(variables).status());
  if (!instances_.empty()) return absl::OkStatus();
  Instance first(options_, spec_, patterns_, 0, on_change_);
  RETURN_IF_ERROR(first.ReservePorts());
  return first.MakeRequest(variables).status();
}

void Role::Start(const Instance::Variables& variables) {
  started_ = true;
  variables_ = variables;
  for (size_t i = 0; i < instances_.size() && i < spec_->count; ++i) instances_[i]->Start(variables_);
}

absl::Status Role::SetEventRules(std::vector<EventRule> rules) {
  TargetSpec changed = *spec_;
  changed.events = std::move(rules);
  ASSIGN_OR_RETURN(patterns_, RolePatterns::Compile(changed));
  for (const auto& instance : instances_) instance->SetPatterns(patterns_);
  return absl::OkStatus();
}

// By place: an observer may start more meanwhile.
void Role::PollOutputs() {
  for (size_t i = 0; i < instances_.size(); ++i) instances_[i]->PollOutput();
}

void Role::EndAll(int64_t grace_ns) {
  ending_ = true;
  for (size_t i = 0; i < instances_.size(); ++i) instances_[i]->End(grace_ns);
}

bool Role::AllReady() const {
  const auto end = instances_.begin() + std::min<size_t>(instances_.size(), spec_->count);
  return std::all_of(instances_.begin(), end, [](const auto& instance) { return instance->info().ready; });
}

bool Role::AnyRunning() const {
  return std::any_of(instances_.begin(), instances_.end(), [](const auto& instance) { return instance->running(); });
}

Instance* Role::Named(const std::string& name) const {
  for (const auto& instance : instances_) {
    if (instance->info().name == name) return instance.get();
  }
  return nullptr;
}

absl::StatusOr<std::vector<std::string>> Role::StartMore(uint32_t count) {
  if (ending_) return absl::FailedPreconditionError(absl::StrCat("the instances of ", spec_->role, " are being ended"));
  if (!started_) return absl::FailedPreconditionError(absl::StrCat("role ", spec_->role, " was not started yet"));
  std::vector<std::string> names;
  while (names.size() < count) {
    const auto started = StartOne();
    if (!started.ok()) {
      for (const std::string& name : names) Named(name)->DrainAt(options_->clock->Now(), 0);
      return started.status();
    }
    names.push_back(*started);
  }
  return names;
}

absl::StatusOr<std::string> Role::StartOne() {
  ASSIGN_OR_RETURN(Instance* const instance, Add());
  absl::Status status = instance->MakeRequest(variables_).status();
  if (status.ok()) {
    instance->Start(variables_);
    if (instance->info().incarnation > 0) return instance->info().name;
    status = absl::UnavailableError(absl::StrCat(instance->info().name, " could not be started"));
  }
  instances_.pop_back();
  return status;
}

absl::StatusOr<std::vector<std::string>> Role::DrainSome(uint32_t count, int64_t over_ns, int64_t grace_ns) {
  std::vector<Instance*> highest;
  for (auto it = instances_.rbegin(); it != instances_.rend() && highest.size() < count; ++it) {
    if ((*it)->running() && !(*it)->info().drained) highest.push_back(it->get());
  }
  if (highest.size() < count) {
    return absl::FailedPreconditionError(
        absl::StrCat(count, " instances of ", spec_->role, " are to be drained, ", highest.size(), " run"));
  }
  std::vector<std::string> names;
  const int64_t now = options_->clock->Now();
  for (size_t i = 0; i < highest.size(); ++i) {
    const auto share = static_cast<double>(i) / static_cast<double>(count);
    highest[i]->DrainAt(now + static_cast<int64_t>(static_cast<double>(over_ns) * share), grace_ns);
    names.push_back(highest[i]->info().name);
  }
  return names;
}

bool Role::Ready(const std::string& name) const {
  const Instance* instance = Named(name);
  return instance != nullptr && instance->info().ready;
}

bool Role::Ended(const std::string& name) const {
  const Instance* instance = Named(name);
  return instance != nullptr && !instance->running();
}

}  // namespace squall

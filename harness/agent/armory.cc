#include "harness/agent/armory.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/catalog.h"
#include "faults/core/status_macros.h"

namespace squall {

using agent::v1::FaultEdge;
using faults::v1::Witness;

namespace {
constexpr int64_t kPollEvery = 10 * kMillisecond;
constexpr int64_t kSettleFor = kSecond;  // how long after a lift the fault may take to be seen gone
}  // namespace

struct Armory::Instance {
  enum State { INERT, ARMED, SETTLING, ENDED };
  agent::v1::FaultInstance spec;
  State state = INERT;
  ArmedFault armed;
  int64_t armed_ns = 0;
  int64_t settle_until = 0;
  std::string why;
  Witness witness;
};

struct Armory::Action {
  enum State { PREPARED, RELEASED, FIRED, TOMBSTONE };
  std::string owner;
  std::string name;
  uint64_t seed = 0;
  State state = PREPARED;
  faults::v1::Fault fault;
  int64_t duration_ns = 0;
  int64_t planned_ns = 0;
  int64_t deadline_ns = 0;
  EventLoop::TimerId timer;
  std::vector<Instance> instances;
};

Armory::Armory(EventLoop* loop, const Clock* clock, ArmoryPort* port, EdgeSink sink)
    : loop_(loop), clock_(clock), port_(port), sink_(std::move(sink)) {}

Armory::~Armory() {
  loop_->Cancel(poll_timer_);
  for (auto& [key, action] : actions_) loop_->Cancel(action->timer);
}

absl::Status Armory::Prepare(const std::string& owner, uint64_t seed, const agent::v1::Prepare& request) {
  const Key key{owner, request.action()};
  if (const auto known = actions_.find(key); known != actions_.end()) {
    if (known->second->state == Action::TOMBSTONE) {
      return absl::FailedPreconditionError(absl::StrCat("step ", request.action(), ": already lifted"));
    }
    return absl::AlreadyExistsError(absl::StrCat("step ", request.action(), ": already prepared"));
  }
  const std::string where = absl::StrCat("step ", request.action(), ": ", KindName(request.fault()));
  if (const auto kind = MakeFault(request.fault()); !kind.ok()) {
    return absl::Status(kind.status().code(), absl::StrCat(where, ": ", kind.status().message()));
  }
  if (request.duration_ns() <= 0 || request.duration_ns() > kLongestFault) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": duration must be in (0, 15 min]"));
  }
  if (request.instances().empty()) return absl::InvalidArgumentError(absl::StrCat(where, ": hits nothing"));
  auto action = std::make_unique<Action>();
  action->owner = owner;
  action->name = request.action();
  action->seed = seed;
  action->fault = request.fault();
  action->duration_ns = request.duration_ns();
  for (const auto& spec : request.instances()) {
    if (const absl::Status found = port_->Check(request.fault(), spec.target()); !found.ok()) {
      return absl::Status(found.code(), absl::StrCat(where, " on ", spec.target(), ": ", found.message()));
    }
    action->instances.emplace_back();
    action->instances.back().spec = spec;
  }
  actions_.emplace(key, std::move(action));
  return absl::OkStatus();
}

absl::Status Armory::Release(const std::string& owner, const agent::v1::Release& release) {
  const auto found = actions_.find({owner, release.action()});
  const std::string where = absl::StrCat("step ", release.action(), ": ");
  if (found == actions_.end()) return absl::NotFoundError(absl::StrCat(where, "not prepared here"));
  Action* action = found->second.get();
  if (action->state == Action::TOMBSTONE) return absl::FailedPreconditionError(absl::StrCat(where, "already lifted"));
  if (action->state != Action::PREPARED) return absl::OkStatus();  // a repeated release
  const int64_t now = clock_->Now();
  if (halted_) return absl::FailedPreconditionError(absl::StrCat(where, "this agent is halted"));
  if (release.expires_ns() > 0 && now > release.expires_ns()) {
    return absl::DeadlineExceededError(absl::StrCat(where, "the release came too late"));
  }
  action->state = Action::RELEASED;
  action->planned_ns = std::max(release.not_before_ns(), now);
  if (release.not_before_ns() <= now) {
    Fire(action);
  } else {
    action->timer = loop_->At(release.not_before_ns(), [this, action] { Fire(action); });
  }
  return absl::OkStatus();
}

void Armory::Fire(Action* action) {
  if (action->state != Action::RELEASED) return;
  action->state = Action::FIRED;
  const int64_t now = clock_->Now();
  action->deadline_ns = now + action->duration_ns;
  const bool leased = leases_[action->owner] > now;
  for (Instance& instance : action->instances) {
    if (halted_ || !leased) {
      instance.state = Instance::ENDED;
      instance.why = halted_ ? "the agent is halted" : "the run's lease has passed";
      Emit(*action, instance, FaultEdge::FAILED, now);
      continue;
    }
    ArmOne(action, &instance, now);
  }
  SchedulePoll();
}

void Armory::ArmOne(Action* action, Instance* instance, int64_t now) {
  ArmContext context;
  context.clock = clock_;
  context.deadline_ns = action->deadline_ns;
  context.seed = action->seed;
  context.site = instance->spec.site();
  context.count = instance->spec.count();
  auto armed = port_->Arm(action->fault, instance->spec.target(), instance->spec.id(), context);
  if (!armed.ok()) {
    instance->state = Instance::ENDED;
    instance->why = std::string(armed.status().message());
    Emit(*action, *instance, FaultEdge::FAILED, now);
    return;
  }
  instance->armed = *std::move(armed);
  instance->state = Instance::ARMED;
  instance->armed_ns = clock_->Now();
  instance->witness = instance->armed.Observe();
  Emit(*action, *instance, FaultEdge::ARMED, instance->armed_ns);
}

absl::Status Armory::Lift(const std::string& owner, const std::string& name) {
  const Key key{owner, name};
  auto found = actions_.find(key);
  if (found == actions_.end()) {
    auto tombstone = std::make_unique<Action>();
    tombstone->owner = owner;
    tombstone->name = name;
    tombstone->state = Action::TOMBSTONE;
    actions_.emplace(key, std::move(tombstone));
    return absl::OkStatus();
  }
  LiftAction(found->second.get(), "lifted");
  return absl::OkStatus();
}

void Armory::LiftAction(Action* action, const std::string& why) {
  loop_->Cancel(action->timer);
  action->state = Action::TOMBSTONE;
  for (Instance& instance : action->instances) {
    if (instance.state != Instance::ARMED) continue;
    instance.why = why;
    Settle(action, &instance);
  }
  SchedulePoll();
}

// Undoes, then waits to see it gone.
void Armory::Settle(Action* action, Instance* instance) {
  if (instance->state != Instance::SETTLING) {
    instance->state = Instance::SETTLING;
    instance->settle_until = clock_->Now() + kSettleFor;
  }
  const absl::Status undone = instance->armed.Lift();
  instance->witness = instance->armed.Observe();
  const bool given_up = clock_->Now() >= instance->settle_until;
  if ((!undone.ok() || !instance->witness.gone()) && !given_up) return;  // Poll tries again
  if (!undone.ok()) {
    instance->witness.set_gone(false);
    instance->witness.set_detail(absl::StrCat(instance->witness.detail(), "; undo failed: ", undone.message()));
  }
  instance->state = Instance::ENDED;
  Emit(*action, *instance, FaultEdge::LIFTED, clock_->Now());
}

absl::Status Armory::Renew(const std::string& owner, int64_t until_ns) {
  int64_t& lease = leases_[owner];
  const int64_t now = clock_->Now();
  if (lease != 0 && lease <= now) {  // whoever comes back late does not know what has happened since
    return absl::FailedPreconditionError(
        absl::StrCat(owner, ": the lease passed ", (now - lease) / kMillisecond, " ms ago"));
  }
  lease = std::max(lease, until_ns);
  return absl::OkStatus();
}

std::vector<std::string> Armory::Halt(const std::string& owner, const std::string& why) {
  if (owner.empty()) halted_ = true;
  std::vector<std::string> lifted;
  for (auto& [key, action] : actions_) {
    if (!owner.empty() && key.first != owner) continue;
    const bool live =
        action->state == Action::FIRED && std::any_of(action->instances.begin(), action->instances.end(),
                                                      [](const Instance& i) { return i.state == Instance::ARMED; });
    if (live) lifted.push_back(action->name);
    LiftAction(action.get(), why);
  }
  return lifted;
}

void Armory::Forget(const std::string& owner) {
  std::erase_if(actions_, [&](const auto& entry) { return entry.first.first == owner; });
  leases_.erase(owner);
}

void Armory::OnEnded(const std::string& id, const std::string& why, const Witness& witness) {
  for (auto& [key, action] : actions_) {
    for (Instance& instance : action->instances) {
      if (instance.spec.id() != id || instance.state != Instance::ARMED) continue;
      instance.why = why;
      instance.witness = witness;
      instance.state = Instance::ENDED;
      (void)instance.armed.Lift();  // the host has none left: idempotent there
      Emit(*action, instance, FaultEdge::LIFTED, clock_->Now());
    }
  }
}

void Armory::OnHostLost(const std::function<bool(const faults::v1::Fault&)>& was_its) {
  for (auto& [key, action] : actions_) {
    if (!was_its(action->fault)) continue;
    for (Instance& instance : action->instances) {
      if (instance.state != Instance::ARMED && instance.state != Instance::SETTLING) continue;
      instance.why = "host_lost";
      instance.witness.set_gone(true);  // it ended with its host
      instance.state = Instance::ENDED;
      instance.armed = ArmedFault();
      Emit(*action, instance, FaultEdge::LIFTED, clock_->Now());
    }
  }
}

void Armory::OnTargetExited(const std::string& target) {
  for (auto& [key, action] : actions_) {
    for (Instance& instance : action->instances) {
      if (instance.spec.target() != target || instance.state != Instance::ARMED) continue;
      PollOne(action.get(), &instance, clock_->Now());  // a crash is done by it
      if (instance.state != Instance::ARMED) continue;
      instance.why = "target_exited";
      Settle(action.get(), &instance);
    }
  }
}

void Armory::SchedulePoll() {
  if (polling_) return;
  polling_ = true;
  poll_timer_ = loop_->After(kPollEvery, [this] {
    polling_ = false;
    Poll();
  });
}

void Armory::Poll() {
  const int64_t now = clock_->Now();
  bool again = false;
  for (auto& [key, action] : actions_) {
    const bool lapsed = leases_[action->owner] <= now;
    for (Instance& instance : action->instances) {
      if (instance.state == Instance::ARMED && (lapsed || now >= action->deadline_ns)) {
        instance.why = lapsed ? "lease" : "deadline";
        Settle(action.get(), &instance);
      } else {
        PollOne(action.get(), &instance, now);
      }
      again |= instance.state == Instance::ARMED || instance.state == Instance::SETTLING;
    }
  }
  if (again) SchedulePoll();
}

void Armory::PollOne(Action* action, Instance* instance, int64_t now) {
  if (instance->state == Instance::SETTLING) return Settle(action, instance);
  if (instance->state != Instance::ARMED) return;
  // Faults in other processes end by themselves and say so; asking them every round would cost a message each.
  const auto seam = SeamOf(action->fault);
  if (!seam.ok() || *seam == faults::v1::SEAM_LINK || *seam == faults::v1::SEAM_LOAD) return;
  instance->witness = instance->armed.Observe();
  if (instance->witness.effective() && instance->witness.gone()) {  // nothing left to undo
    instance->why = "done";
    Settle(action, instance);
  }
}

void Armory::Emit(const Action& action, const Instance& instance, FaultEdge::Edge edge, int64_t at_ns) {
  FaultEdge message;
  message.set_action(action.name);
  message.set_instance(instance.spec.id());
  message.set_edge(edge);
  message.set_at_ns(at_ns);
  message.set_planned_ns(action.planned_ns);
  message.set_why(instance.why);
  message.set_incarnation(port_->Incarnation(instance.spec.target()));
  *message.mutable_witness() = instance.witness;
  sink_({action.owner, instance.spec.target(), action.fault}, message);
}

std::vector<Armory::Row> Armory::List() const {
  std::vector<Row> rows;
  for (const auto& [key, action] : actions_) {
    Row row;
    for (const Instance& instance : action->instances) {
      if (instance.state != Instance::ARMED) continue;
      row.targets.push_back(instance.spec.target());
      row.witness = instance.armed.Observe();
    }
    if (row.targets.empty()) continue;
    row.owner = action->owner;
    row.action = action->name;
    row.kind = KindName(action->fault);
    row.remaining_ns = action->deadline_ns - clock_->Now();
    rows.push_back(std::move(row));
  }
  return rows;
}

int64_t Armory::ArmedUntil() const {
  int64_t until = 0;
  for (const auto& [key, action] : actions_) {
    for (const Instance& instance : action->instances) {
      if (instance.state == Instance::ARMED) until = std::max(until, action->deadline_ns);
    }
  }
  return until;
}

}  // namespace squall

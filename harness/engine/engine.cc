#include "harness/engine/engine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "harness/engine/durations.h"
#include "harness/engine/state.h"
#include "harness/signals/store.h"

namespace squall {
namespace {

constexpr const char* kPhaseNames[] = {"wait for agents", "open",  "prepare", "wait for targets", "run",
                                       "settle",          "close", "done"};

int64_t LeaseOf(const EngineOptions& options, const plan::v1::Plan& plan) {
  if (options.lease_ns > 0) return options.lease_ns;
  return run::NsOr(plan.run().has_lease(), plan.run().lease(), 10 * kSecond);
}

}  // namespace

Engine::State::State(LoadedPlan loaded, EngineOptions given)
    : plan(std::move(loaded)),
      options(std::move(given)),
      lease_ns(LeaseOf(options, plan.plan)),
      every_ns(std::max<int64_t>(10 * kMillisecond,
                                 run::NsOr(plan.plan.run().has_every(), plan.plan.run().every(), 100 * kMillisecond))),
      roster(plan.plan, options.agents_within_ns),
      outbox(options.run_id, options.epoch),
      targets(plan.plan) {
  for (const AgentInfo& agent : options.agents) roster.Join(agent.name, agent.role, agent.capabilities);
}

Engine::Engine(LoadedPlan plan, EngineOptions options)
    : state_(std::make_unique<State>(std::move(plan), std::move(options))) {
  State& s = *state_;
  auto judging = s.options.judging ? s.options.judging(s.plan.plan) : MakeJudging(s.plan.plan);
  if (judging.ok()) {
    s.judging = *std::move(judging);
  } else {
    s.findings.push_back({"judge_failed", std::string(judging.status().message())});
  }
}

Engine::~Engine() = default;

std::vector<Outgoing> Engine::Step(const Input& input) {
  state_->Handle(input);
  return state_->outbox.Take();
}

void Engine::State::Handle(const Input& input) {
  if (phase == DONE) return;
  now = std::max(now, input.now);
  if (first_now == 0) {
    first_now = phase_since = next_wakeup = now;
    for (const run::Member& member : roster.members()) Log("agent_joined", member.name, member.role);
    if (judging == nullptr) {  // nothing has been touched yet
      stopped = true;
      return Finish();
    }
  }
  if (std::holds_alternative<Tick>(input.what) && next_wakeup > 0) {
    tick_late_max_ns = std::max(tick_late_max_ns, now - next_wakeup);
  }
  if (const auto* said = std::get_if<FromAgentMsg>(&input.what)) OnMessage(said->agent, said->message);
  if (const auto* lost = std::get_if<AgentLost>(&input.what)) OnLost(lost->agent);
  if (const auto* halt = std::get_if<HaltRequest>(&input.what)) OnHaltRequest(*halt);
  RenewLeases();
  if (phase == AGENTS) StepAgents();
  if (phase == OPENING) StepOpening();
  if (phase == PREPARING) StepPreparing();
  if (phase == READYING) StepReadying();
  if (phase == RUNNING) StepRunning();
  if (phase == SETTLING) StepSettling();
  if (phase == CLOSING) StepClosing();
  PlanWakeup();
}

void Engine::State::Log(std::string kind, std::string subject, std::string detail) {
  LogAt(now, std::move(kind), std::move(subject), std::move(detail));
}

void Engine::State::LogAt(int64_t t_ns, std::string kind, std::string subject, std::string detail) {
  log.push_back({t_ns, std::move(kind), std::move(subject), std::move(detail)});
}

void Engine::State::Enter(Phase next) {
  phase = next;
  phase_since = now;
  Log("phase", "", kPhaseNames[next]);
}

// From OpenRun until the agent has closed: an engine that hangs cannot get here, and its agents' leases pass.
void Engine::State::RenewLeases() {
  if (phase < OPENING || phase == DONE || now < next_renew) return;
  next_renew = now + lease_ns / 4;
  for (const run::Member& member : roster.members()) {
    if (member.lost || member.closed || member.refused) continue;
    agent::v1::ToAgent renew;
    renew.mutable_renew()->set_until_ns(now + lease_ns);
    outbox.Send(member.name, std::move(renew));
  }
}

void Engine::State::PlanWakeup() {
  next_wakeup = (now / every_ns + 1) * every_ns;
  if (phase >= OPENING && next_renew > now) next_wakeup = std::min(next_wakeup, next_renew);
  if (phase != RUNNING) return;
  if (const auto due = timeline->NextDue(now)) next_wakeup = std::min(next_wakeup, *due);
  if (const auto end = EndAt(); end && *end > now) next_wakeup = std::min(next_wakeup, *end);
}

int64_t Engine::next_wakeup() const { return state_->next_wakeup; }
bool Engine::done() const { return state_->phase == State::DONE; }
report::v1::RunReport Engine::Report() const { return state_->BuildReport(); }
int Engine::exit_code() const { return Rule(state_->Facts()).exit_code; }
std::string Engine::StatusLine() const { return state_->BuildStatusLine(); }
int64_t Engine::run_start_ns() const { return state_->run_start_ns; }
int64_t Engine::run_end_ns() const { return state_->run_end_ns; }

const SignalStore& Engine::signals() const {
  static const SignalStore* const none = new SignalStore();  // of a run that could not be judged
  return state_->judging == nullptr ? *none : state_->judging->signals();
}

void Engine::SetControllerCost(double cpu_s, double max_rss_mib) {
  state_->controller_cpu_s = cpu_s;
  state_->controller_rss_mib = max_rss_mib;
}

std::vector<EventRecord> Engine::Events() const {
  std::vector<EventRecord> events;
  for (const State::Happened& happened : state_->log) {
    events.push_back(
        {run::Seconds(happened.t_ns - state_->origin_ns()), happened.kind, happened.subject, happened.detail});
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const EventRecord& a, const EventRecord& b) { return a.t_s < b.t_s; });
  return events;
}

}  // namespace squall

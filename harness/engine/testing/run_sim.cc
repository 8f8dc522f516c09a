#include "harness/engine/testing/run_sim.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "google/protobuf/text_format.h"

namespace squall::testing {
namespace {

int64_t Ns(double s) { return static_cast<int64_t>(s * kSecond); }

}  // namespace

LoadedPlan PlanOf(const std::string& text) {
  LoadedPlan loaded;
  if (!google::protobuf::TextFormat::ParseFromString(text, &loaded.plan)) {
    std::cerr << "bad plan in a test: " << text << "\n";
    std::abort();
  }
  loaded.path = "plan.yaml";
  loaded.sha256 = "0123";
  return loaded;
}

RunSim::RunSim(const std::string& plan_text, SimOptions options)
    : t0_(clock_.Now()), plan_(PlanOf(plan_text)), options_(std::move(options)) {
  options_.engine.run_id = "RUN";
  options_.engine.seed = 7;
  options_.engine.replay_command = "squall run plan.yaml --seed 7";
}

std::unique_ptr<Engine> RunSim::MakeEngine(std::shared_ptr<Heard> heard) const {
  EngineOptions options = options_.engine;
  if (!options_.real_judge) {
    options.judging = [script = options_.script, heard](const plan::v1::Plan&) {
      return std::make_unique<ScriptedJudging>(script, heard);
    };
  }
  return std::make_unique<Engine>(plan_, std::move(options));
}

FakeAgent& RunSim::AddAgent(const std::string& name, const std::string& role, std::vector<std::string> capabilities) {
  World world;
  world.clock = &clock_;
  world.at = [this](int64_t t, std::function<void()> what) { Schedule(t, std::move(what)); };
  world.say = [this](const std::string& agent, const agent::v1::FromAgent& message) {
    Schedule(clock_.Now(), [this, agent, message] { Feed({clock_.Now(), FromAgentMsg{agent, message}}); });
  };
  auto& agent = agents_[name];
  agent = std::make_unique<FakeAgent>(name, std::move(world), options_.behaviour);
  if (engine_ == nullptr) options_.engine.agents.push_back({name, role, std::move(capabilities)});
  return *agent;
}

void RunSim::JoinAt(double t_s, const std::string& name, const std::string& role) {
  At(t_s, [this, name, role] {
    AddAgent(name, role);
    agent::v1::FromAgent message;
    message.mutable_register_()->set_agent(name);
    message.mutable_register_()->set_role(role);
    Feed({clock_.Now(), FromAgentMsg{name, message}});
  });
}

void RunSim::Schedule(int64_t t_ns, std::function<void()> what) { queue_[{t_ns, ++order_}] = std::move(what); }
void RunSim::At(double t_s, std::function<void()> what) { Schedule(t0_ + Ns(t_s), std::move(what)); }
void RunSim::AtRun(double t_s, std::function<void()> what) { at_run_.emplace_back(t_s, std::move(what)); }

void RunSim::Lose(const std::string& agent) {
  agents_.at(agent)->Disconnect();
  Feed({clock_.Now(), AgentLost{agent}});
}

void RunSim::Halt(const std::string& why, int exit_code) { Feed({clock_.Now(), HaltRequest{why, exit_code}}); }

void RunSim::Freeze(double from_s, double to_s) {
  frozen_from_ = t0_ + Ns(from_s);
  frozen_to_ = t0_ + Ns(to_s);
}

double RunSim::InRun(int64_t t_ns) const { return static_cast<double>(t_ns - engine_->run_start_ns()) / 1e9; }

void RunSim::Feed(Input input) {
  if (engine_->done()) return;
  if (input.now >= frozen_from_ && input.now < frozen_to_) {
    return Schedule(frozen_to_, [this, input]() mutable {
      input.now = clock_.Now();
      Feed(std::move(input));
    });
  }
  *journal_.add_entries() = ToEntry(input);
  for (Outgoing& out : engine_->Step(input)) {
    said_.push_back(out);
    auto it = agents_.find(out.agent);
    if (it == agents_.end()) continue;
    FakeAgent* agent = it->second.get();
    Schedule(clock_.Now(), [agent, message = out.message] { agent->On(message); });
  }
  if (engine_->run_start_ns() == 0) return;
  for (auto& [t_s, what] : std::exchange(at_run_, {})) {
    Schedule(engine_->run_start_ns() + Ns(t_s), std::move(what));
  }
}

report::v1::RunReport RunSim::Run(double limit_s) {
  engine_ = MakeEngine(heard_);
  Feed({clock_.Now(), Tick{}});
  while (!engine_->done() && clock_.Now() < t0_ + Ns(limit_s)) {
    int64_t wake = std::max(engine_->next_wakeup(), clock_.Now());
    if (wake >= frozen_from_ && wake < frozen_to_) wake = frozen_to_;
    if (!queue_.empty() && queue_.begin()->first.first <= wake) {
      auto node = queue_.extract(queue_.begin());
      clock_.Set(std::max(clock_.Now(), node.key().first));
      node.mapped()();
    } else {
      clock_.Set(wake);
      Feed({clock_.Now(), Tick{}});
    }
  }
  return engine_->Report();
}

}  // namespace squall::testing

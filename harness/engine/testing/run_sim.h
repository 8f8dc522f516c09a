// A whole run under simulated time: an engine, fake agents, a scripted judge. Deterministic.
//
//   RunSim sim(R"(targets {name: "server"} steps {...})", {.script = {...}});
//   sim.AddAgent("local");
//   report::v1::RunReport report = sim.Run();
#ifndef HARNESS_ENGINE_TESTING_RUN_SIM_H_
#define HARNESS_ENGINE_TESTING_RUN_SIM_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/engine.h"
#include "harness/engine/journal.h"
#include "harness/engine/testing/fake_agent.h"
#include "harness/engine/testing/scripted_judging.h"

namespace squall::testing {

// From text proto; ends the test if it does not parse.
LoadedPlan PlanOf(const std::string& text);

struct SimOptions {
  Script script = {};
  EngineOptions engine = {};
  bool real_judge = false;
  FakeAgent::Behaviour behaviour = {};  // of agents added without one
};

class RunSim {
 public:
  explicit RunSim(const std::string& plan_text, SimOptions options = {});

  // Before Run: it is there from the start.
  FakeAgent& AddAgent(const std::string& name, const std::string& role = "",
                      std::vector<std::string> capabilities = {});
  // Registers later.
  void JoinAt(double t_s, const std::string& name, const std::string& role = "");
  void At(double t_s, std::function<void()> what);     // since the simulation's start
  void AtRun(double t_s, std::function<void()> what);  // since the run's start
  void Lose(const std::string& agent);
  void Halt(const std::string& why, int exit_code);
  void Freeze(double from_s, double to_s);  // the engine gets no Step in between (since its start)

  // Until the engine is done, at most `limit_s` of simulated time.
  report::v1::RunReport Run(double limit_s = 600);

  Engine& engine() { return *engine_; }
  FakeAgent& agent(const std::string& name) { return *agents_.at(name); }
  const Heard& heard() const { return *heard_; }
  const engine::v1::Journal& journal() const { return journal_; }
  const std::vector<Outgoing>& said() const { return said_; }
  std::unique_ptr<Engine> MakeEngine(std::shared_ptr<Heard> heard) const;
  int64_t now() const { return clock_.Now(); }
  int64_t started() const { return t0_; }
  // Seconds since the run's start.
  double InRun(int64_t t_ns) const;

 private:
  void Feed(Input input);
  void Schedule(int64_t t_ns, std::function<void()> what);

  SimulatedClock clock_;
  const int64_t t0_;
  LoadedPlan plan_;
  SimOptions options_;
  std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
  std::map<std::string, std::unique_ptr<FakeAgent>> agents_;
  std::unique_ptr<Engine> engine_;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> queue_;
  std::vector<std::pair<double, std::function<void()>>> at_run_;
  uint64_t order_ = 0;
  int64_t frozen_from_ = 0, frozen_to_ = 0;
  engine::v1::Journal journal_;
  std::vector<Outgoing> said_;
};

}  // namespace squall::testing

#endif  // HARNESS_ENGINE_TESTING_RUN_SIM_H_

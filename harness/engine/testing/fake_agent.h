// An agent for tests of the engine: answers commands under simulated time, with nothing behind it. Its faults can be
// told to misbehave. Loosely after harness/agent: one ack a command, edges before the batch that passes them.
#ifndef HARNESS_ENGINE_TESTING_FAKE_AGENT_H_
#define HARNESS_ENGINE_TESTING_FAKE_AGENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "faults/core/clock.h"
#include "harness/api/agent.pb.h"

namespace squall::testing {

// What a fake needs of the simulation around it.
struct World {
  const SimulatedClock* clock = nullptr;
  std::function<void(int64_t t_ns, std::function<void()>)> at;
  std::function<void(const std::string& agent, const agent::v1::FromAgent&)> say;
};

class FakeAgent {
 public:
  using Command = agent::v1::ToAgent::CommandCase;

  struct Behaviour {
    std::map<Command, absl::Status> refuse = {};  // ack with this instead of acting
    std::set<Command> ignore = {};                // no answer at all
    bool says_everything_twice = false;
    int64_t ready_after = 50 * kMillisecond;  // since Begin; negative = never
    bool dies_before_ready = false;           // exit code 7 instead of READY
    int64_t arm_after = 2 * kMillisecond;
    std::string fail_arming = "";  // FAILED with this error for the last instance of each action
    bool witness = true;
    bool sees_it_gone = true;
    bool lifts = true;                                  // says LIFTED
    bool lifted_before_armed = false;                   // the two edges of an instance overtake each other
    std::set<std::string> done_at_once = {"crash"};     // kinds that need no lift: LIFTED "done" after 20 ms
    bool streams = true;                                // batches every 50 ms
    std::function<double(int64_t now)> pool = nullptr;  // a gauge `pool_size` of server/0 in each batch
    std::string open_failure = "";                      // a FAILED edge without a target instead of Opened
  };

  FakeAgent(std::string name, World world, Behaviour behaviour)
      : name_(std::move(name)), world_(std::move(world)), behaviour_(std::move(behaviour)) {}

  void On(const agent::v1::ToAgent& command);

  // Ends what is armed, as a lease or a dead relay would.
  void EndAll(const std::string& why);
  void Exit(const std::string& target, int code, int signal);  // it ends by itself
  void Disconnect() { gone_ = true; }

  const std::string& name() const { return name_; }
  Behaviour& behaviour() { return behaviour_; }
  const std::vector<agent::v1::ToAgent>& commands() const { return commands_; }
  std::vector<agent::v1::ToAgent> CommandsOf(Command which) const;
  const std::vector<int64_t>& renewals() const { return renewals_; }  // when they came
  const agent::v1::OpenRun& opened() const { return open_; }
  int64_t armed_at(const std::string& action) const;  // 0 = never
  bool AnyArmed() const;

 private:
  struct Instance {
    agent::v1::FaultInstance spec;
    bool armed = false, over = false;
    int64_t armed_ns = 0;
  };
  struct Action {
    agent::v1::Prepare prepare;
    std::vector<Instance> instances;
    bool tombstone = false;
    int64_t planned_ns = 0;
  };
  void Say(agent::v1::FromAgent message);
  void Ack(uint64_t seq, const absl::Status& status);
  void Open();
  void Begin();
  void Ready(size_t index);
  void Release(const agent::v1::Release& release);
  void Arm(const std::string& action);
  void Lift(Action* action, Instance* instance, const std::string& why);
  void LiftAll(const std::string& action, const std::string& why);
  void Edge(const Action& action, const Instance& instance, agent::v1::FaultEdge::Edge edge, const std::string& why);
  void TargetEdge(const agent::v1::TargetInfo& info, agent::v1::TargetEdge edge);
  void Beat();
  void AddPool(agent::v1::Batch* batch);
  void Close();

  const std::string name_;
  const World world_;
  Behaviour behaviour_;
  bool gone_ = false, open_run_ = false;
  agent::v1::OpenRun open_;
  std::vector<agent::v1::TargetInfo> targets_;
  std::map<std::string, Action> actions_;
  std::vector<agent::v1::ToAgent> commands_;
  std::vector<int64_t> renewals_;
  uint64_t batch_ = 0;
};

}  // namespace squall::testing

#endif  // HARNESS_ENGINE_TESTING_FAKE_AGENT_H_

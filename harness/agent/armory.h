// What this agent has prepared, armed and lifted. Decides when; ArmoryPort knows how.
//
// Every armed instance has a deadline, belongs to an owner ("run ID" or "local") that has a lease, and ends at the
// first of: lift, halt, deadline, end of the lease, the kind being done. A lifted action is a tombstone: a release that
// comes late is refused, in whatever order the commands arrive. Loop thread only.
#ifndef HARNESS_AGENT_ARMORY_H_
#define HARNESS_AGENT_ARMORY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/core/fault.h"
#include "harness/api/agent.pb.h"

namespace squall {

// What can be broken here, by name.
class ArmoryPort {
 public:
  virtual ~ArmoryPort() = default;
  // Would Arm find its object? Nothing is touched.
  virtual absl::Status Check(const faults::v1::Fault& fault, const std::string& target) = 0;
  virtual absl::StatusOr<ArmedFault> Arm(const faults::v1::Fault& fault, const std::string& target,
                                         const std::string& instance, const ArmContext& context) = 0;
  virtual uint32_t Incarnation(const std::string& target) const = 0;  // 0 for what has none
};

class Armory {
 public:
  static constexpr int64_t kLongestFault = 15 * 60 * kSecond;
  struct Origin {
    const std::string& owner;
    const std::string& target;
    const faults::v1::Fault& fault;
  };
  using EdgeSink = std::function<void(const Origin& origin, const agent::v1::FaultEdge& edge)>;

  Armory(EventLoop* loop, const Clock* clock, ArmoryPort* port, EdgeSink sink);
  ~Armory();  // lifts everything

  absl::Status Prepare(const std::string& owner, uint64_t seed, const agent::v1::Prepare& action);
  absl::Status Release(const std::string& owner, const agent::v1::Release& release);
  absl::Status Lift(const std::string& owner, const std::string& action);
  // The owner's lease. Past => all its faults are lifted ("lease"), nothing of it can be released, and it cannot be
  // renewed any more.
  absl::Status Renew(const std::string& owner, int64_t until_ns);
  // Lifts everything of the owner, or of all ("") and then refuses every release until Clear.
  std::vector<std::string> Halt(const std::string& owner, const std::string& why);
  void ClearHalt() { halted_ = false; }
  bool halted() const { return halted_; }
  void Forget(const std::string& owner);  // after its faults were lifted

  // A fault host ended a fault by itself, or died with all of its own.
  void OnEnded(const std::string& instance, const std::string& why, const faults::v1::Witness& witness);
  void OnHostLost(const std::function<bool(const faults::v1::Fault&)>& was_its);
  void OnTargetExited(const std::string& target);

  struct Row {
    std::string owner, action, kind;
    std::vector<std::string> targets;
    int64_t remaining_ns = 0;
    faults::v1::Witness witness;
  };
  std::vector<Row> List() const;
  // Longest moment until which some fault may stay armed; 0 = nothing is armed. The lease page follows it.
  int64_t ArmedUntil() const;

 private:
  struct Instance;
  struct Action;
  using Key = std::pair<std::string, std::string>;

  void Fire(Action* action);
  void ArmOne(Action* action, Instance* instance, int64_t now);
  void LiftAction(Action* action, const std::string& why);
  void Settle(Action* action, Instance* instance);
  void Poll();
  void PollOne(Action* action, Instance* instance, int64_t now);
  void Emit(const Action& action, const Instance& instance, agent::v1::FaultEdge::Edge edge, int64_t at_ns);
  void SchedulePoll();

  EventLoop* const loop_;
  const Clock* const clock_;
  ArmoryPort* const port_;
  const EdgeSink sink_;
  bool halted_ = false;
  bool polling_ = false;
  EventLoop::TimerId poll_timer_;
  std::map<Key, std::unique_ptr<Action>> actions_;
  std::map<std::string, int64_t> leases_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_ARMORY_H_

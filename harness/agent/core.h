// The agent without gRPC: commands in, messages out. Every command is checked here whatever the controller has checked,
// answered once with an Ack, and acts once (by its seq).
//
// Loop thread only.
#ifndef HARNESS_AGENT_CORE_H_
#define HARNESS_AGENT_CORE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "faults/core/lease.h"
#include "harness/agent/armory.h"
#include "harness/agent/series.h"
#include "harness/agent/world.h"
#include "harness/api/agent.pb.h"

namespace squall {

class AgentCore {
 public:
  struct Options {
    EventLoop* loop = nullptr;
    const Clock* clock = nullptr;
    int guardian_fd = -1;
    LeasePage* lease = nullptr;
    std::string name;
    std::string role;
    std::vector<faults::v1::Label> labels;
    bool test_mode = false;
    std::string version;
    std::string directory;
    std::string relay_binary;
    std::string load_binary;
    int64_t local_lease_ns = 10 * kSecond;  // how far the page is extended for faults armed by hand
    std::string halt_file;                  // exists => halted; "" = none
    std::function<void()> guardian_gone;
    std::function<void(int exit_code)> own_ended;  // the target of StartOwn has ended for good; null = nobody asks
  };
  explicit AgentCore(Options options);
  ~AgentCore();

  absl::Status StartOwn(const TargetSpec& spec, const std::vector<StaticLink>& links);

  // Session with a controller. Messages go to `sink` until the next call; null = nobody is there.
  agent::v1::Register Registration() const;
  void SetSink(std::function<void(agent::v1::FromAgent)> sink);
  void OnCommand(const agent::v1::ToAgent& command);

  // The same verbs by hand.
  absl::StatusOr<agent::v1::ArmReply> Arm(const agent::v1::ArmRequest& request);
  absl::StatusOr<agent::v1::LiftReply> Lift(const agent::v1::LiftRequest& request);
  agent::v1::ListReply List() const;
  agent::v1::HaltReply Halt(const agent::v1::HaltRequest& request);

  // Lifts everything, ends the targets (test mode) or leaves them, then calls back.
  void Drain(std::function<void()> done);

 private:
  absl::Status Dispatch(const agent::v1::ToAgent& command);
  absl::Status OpenRun(const agent::v1::ToAgent& command);
  absl::Status CloseRun(const agent::v1::CloseRun& request);
  void SendClosed();
  void SendOpened();
  void Send(agent::v1::FromAgent message);
  void Ack(uint64_t seq, const absl::Status& status);
  void OnEdge(const Armory::Origin& origin, const agent::v1::FaultEdge& edge);
  bool Hurt(const std::string& target) const;
  absl::StatusOr<std::vector<std::string>> ResolveByHand(const agent::v1::ArmRequest& request) const;
  void Flush(int64_t lag_ns);  // sends what is older than that
  void Beat();                 // every 50 ms: the lease page, batches
  void UpdateLease();
  void CheckHaltFile();
  bool halted_here() const { return armory_->halted() || halt_by_file_; }
  std::string owner() const { return "run " + run_id_; }

  const Options options_;
  SeriesBook book_;
  std::unique_ptr<World> world_;
  std::unique_ptr<Armory> armory_;
  std::function<void(agent::v1::FromAgent)> sink_;
  std::string run_id_;
  uint64_t seed_ = 0;
  uint64_t epoch_ = 0;
  int64_t run_lease_until_ = 0;
  int64_t next_sample_ns_ = 0;
  uint64_t next_local_ = 1;
  bool halt_by_file_ = false;
  std::map<std::string, std::string> hurt_;     // instance of a live process fault -> target
  std::string last_failure_;                    // why a fault could not be armed
  std::map<uint64_t, agent::v1::Ack> answers_;  // of this run, by seq
  EventLoop::TimerId beat_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_CORE_H_

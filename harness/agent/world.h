// What one agent can break and watch: its target processes, links and loads, as one place. The agent's core gives it
// work; it reports through the series book and the observer it was given.
//
// Loop thread only.
#ifndef HARNESS_AGENT_WORLD_H_
#define HARNESS_AGENT_WORLD_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "faults/core/event_loop.h"
#include "harness/agent/armory.h"
#include "harness/agent/exec_runner.h"
#include "harness/agent/health.h"
#include "harness/agent/hosts.h"
#include "harness/agent/prober.h"
#include "harness/agent/series.h"
#include "harness/api/agent.pb.h"
#include "targets/guardian/client.h"
#include "targets/process/fleet.h"

namespace squall {

// A link that was given on the agent's command line.
struct StaticLink {
  std::string name;
  std::string listen;    // HOST:PORT, port 0 = the kernel's choice
  std::string upstream;  // HOST:PORT
};

class World : public ArmoryPort, public FleetObserver {
 public:
  struct Options {
    EventLoop* loop = nullptr;
    const Clock* clock = nullptr;
    int guardian_fd = -1;
    std::string agent;
    std::string relay_binary;
    std::string load_binary;
    std::string directory;
    SeriesBook* book = nullptr;
    std::function<void(const agent::v1::TargetEdge&)> edge;
    std::function<void()> guardian_gone;
    std::function<void(const host::v1::HostFaultEnded&)> fault_ended;
    std::function<void(faults::v1::Seam seam)> host_lost;
    std::function<void(const std::string& target)> target_exited;
    std::function<bool(const std::string& target)> hurt;  // under a live process fault: not healthy
  };
  explicit World(Options options);
  ~World() override;

  // The agent's own target and links, from its command line.
  absl::Status StartOwn(const TargetSpec& spec, const std::vector<StaticLink>& links);
  // Resolves the plan's roles and links; calls back when addresses() is complete. Nothing but the relay runs then.
  void Open(const agent::v1::OpenRun& run, std::function<void(absl::Status)> done);
  // Starts targets, probes and loads.
  absl::Status Begin(const std::map<std::string, std::string>& addresses);
  // Ends what the run started. With `keep`, the targets and relays stay and only loads and probes end.
  void Close(bool keep, std::function<void()> done);

  std::vector<agent::v1::TargetInfo> Targets() const;
  std::vector<InstanceInfo> Instances() const;
  std::map<std::string, std::string> Addresses() const;  // "link.im.address", "target.support.address", ...
  void Sample();                                         // up, rss, cpu, fds, ... into the book
  double TargetsCpuSeconds() const;
  double RelayCpuSeconds() const { return hosts_->CpuSeconds(); }
  double relay_added_latency_us() const { return added_latency_us_; }
  std::vector<std::string> TakeNotes();

  // ArmoryPort
  absl::Status Check(const faults::v1::Fault& fault, const std::string& target) override;
  absl::StatusOr<ArmedFault> Arm(const faults::v1::Fault& fault, const std::string& target, const std::string& instance,
                                 const ArmContext& context) override;
  uint32_t Incarnation(const std::string& target) const override;

  // FleetObserver
  void OnStarted(const InstanceInfo& instance, int64_t at_ns) override;
  void OnReady(const InstanceInfo& instance, int64_t at_ns) override;
  void OnExited(const InstanceInfo& instance, const Exit& exit, int64_t at_ns) override;
  void OnFailed(const InstanceInfo& instance, const std::string& error, int64_t at_ns) override;
  void OnEvent(const InstanceInfo& instance, const std::string& event, double value, int64_t at_ns) override;

 private:
  void OnHostStats(const host::v1::HostStats& stats);
  void OnHostLost(const std::string& key, bool was_relay);
  absl::Status OpenFleet(const agent::v1::OpenRun& run);
  std::vector<LinkListener> ListenersOf(const agent::v1::OpenRun& run) const;
  absl::Status Watch(const InstanceInfo& instance);
  void StartReadyLoads();
  void SampleStates(int64_t now);
  void SampleHost(int64_t now);
  void EmitEdge(const InstanceInfo& instance, agent::v1::TargetEdge edge, int64_t at_ns);
  agent::v1::TargetInfo InfoOf(const InstanceInfo& instance) const;
  // Several agents may have a target of one role: in a run, ours counts from `first_index_`. Shown: as the run knows
  // it; Ours: back to the fleet's own name.
  InstanceInfo Shown(InstanceInfo instance) const;
  std::string Ours(const std::string& target) const;

  const Options options_;
  std::unique_ptr<GuardianClient> guardian_;
  std::unique_ptr<Spawner> spawner_;
  std::unique_ptr<HealthChecker> health_;
  std::unique_ptr<Hosts> hosts_;
  std::unique_ptr<ExecRunner> exec_;
  std::unique_ptr<Prober> prober_;
  std::unique_ptr<Fleet> fleet_;
  bool owns_target_ = false;  // from the command line: outlives runs
  plan::v1::Plan plan_;
  std::map<std::string, std::string> variables_;
  std::set<std::string> watched_;  // instances with probes
  std::set<std::string> started_loads_;
  bool begun_ = false;
  std::map<std::string, uint32_t> first_index_;  // by role; of the open run
  int64_t last_usage_ns_ = 0;
  std::map<std::string, uint32_t> restarts_;
  std::vector<std::string> notes_;
  double added_latency_us_ = 0;
};

}  // namespace squall

#endif  // HARNESS_AGENT_WORLD_H_

// One instance of a role: its ports, its incarnations, its output, its end.
#ifndef TARGETS_PROCESS_INSTANCE_H_
#define TARGETS_PROCESS_INSTANCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "faults/core/event_loop.h"
#include "faults/seams/process.h"
#include "re2/re2.h"
#include "targets/process/fleet.h"
#include "targets/process/log_tail.h"
#include "targets/process/ports.h"

namespace squall {

// Patterns of a role, compiled once.
struct RolePatterns {
  static absl::StatusOr<std::shared_ptr<RolePatterns>> Compile(const TargetSpec& spec);
  struct Rule {
    std::string name;
    std::unique_ptr<RE2> regex;
    int value_group = 0;  // 0 = no number
  };
  std::unique_ptr<RE2> ready;
  std::vector<Rule> rules;
};

// Loop thread only. Owned by the fleet, which outlives its timers.
class Instance : public ProcessSeam {
 public:
  Instance(const Fleet::Options* options, std::shared_ptr<const TargetSpec> spec, std::shared_ptr<RolePatterns> patterns,
           uint32_t index, std::map<std::string, std::string> labels, std::function<void()> on_change);
  ~Instance() override;

  absl::Status ReservePorts();
  // InvalidArgument names the argument that cannot be filled.
  absl::Status CheckTemplates(const std::map<std::string, std::string>& variables) const;
  void Start(const std::map<std::string, std::string>& variables);
  void SetPatterns(std::shared_ptr<RolePatterns> patterns) { patterns_ = std::move(patterns); }
  void PollOutput();
  // On purpose, for good: TERM, KILL after `grace_ns`.
  void End(int64_t grace_ns);
  void DrainAt(int64_t when_ns, int64_t grace_ns);
  void OnExited(int pid, int wait_status, int sent_signal, int64_t at_ns, double cpu_seconds);

  const InstanceInfo& info() const { return info_; }
  bool running() const { return info_.pid != 0; }
  bool expected_at_start() const { return expected_at_start_; }
  void set_expected_at_start() { expected_at_start_ = true; }
  double ended_cpu_seconds() const { return ended_cpu_seconds_; }

  // ProcessSeam
  absl::Status Signal(int signo) override;
  absl::Status Stop(int64_t deadline_ns) override;
  absl::Status Continue() override;
  State Look() const override;

 private:
  std::map<std::string, std::string> Variables() const;
  absl::StatusOr<SpawnRequest> MakeRequest() const;
  void Spawn();
  void AskReady();
  void BecomeReady();
  void NotReadyInTime();
  void MaybeRestart(const FleetObserver::Exit& exit);
  std::string ReadyAddress() const;

  const Fleet::Options* const options_;
  const std::shared_ptr<const TargetSpec> spec_;
  std::shared_ptr<RolePatterns> patterns_;
  const std::function<void()> on_change_;
  InstanceInfo info_;
  LogTail tail_;
  std::vector<HeldPort> held_;
  std::map<std::string, std::string> variables_;
  bool expected_at_start_ = false;
  bool ending_ = false;
  uint32_t restarts_ = 0;
  int32_t last_signal_ = 0;
  double ended_cpu_seconds_ = 0;
  int64_t ready_deadline_ = 0;
  EventLoop::TimerId ready_timer_, kill_timer_, restart_timer_, drain_timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come after us
};

}  // namespace squall

#endif  // TARGETS_PROCESS_INSTANCE_H_

// One instance of a role: its ports, its incarnations, its output, its end.
#ifndef TARGETS_PROCESS_INSTANCE_H_
#define TARGETS_PROCESS_INSTANCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/event_loop.h"
#include "faults/seams/process.h"
#include "targets/process/fleet.h"
#include "targets/process/log_tail.h"
#include "targets/process/patterns.h"
#include "targets/process/ports.h"

namespace squall {

// Loop thread only. Owned by its role; options, loop and observer outlive it.
class Instance : public ProcessSeam {
 public:
  using Variables = std::map<std::string, std::string>;

  // `on_change`: it was started, became ready, or ended.
  Instance(const Fleet::Options* options, std::shared_ptr<const TargetSpec> spec,
           std::shared_ptr<const RolePatterns> patterns, uint32_t index, std::function<void()> on_change);
  ~Instance() override;

  absl::Status ReservePorts();
  // What would be spawned. InvalidArgument names target, argument and reference.
  absl::StatusOr<SpawnRequest> MakeRequest(const Variables& variables) const;
  // Observers hear how it went.
  void Start(const Variables& variables);
  void SetPatterns(std::shared_ptr<const RolePatterns> patterns) { patterns_ = std::move(patterns); }
  void PollOutput();
  // On purpose, for good: TERM, KILL after `grace_ns`.
  void End(int64_t grace_ns);
  // The same, later. From now on it is not restarted.
  void DrainAt(int64_t when_ns, int64_t grace_ns);
  void OnExited(int pid, int wait_status, int sent_signal, int64_t at_ns, double cpu_seconds);

  const InstanceInfo& info() const { return info_; }
  bool running() const { return info_.pid != 0; }
  double ended_cpu_seconds() const { return ended_cpu_seconds_; }

  // ProcessSeam
  absl::Status Signal(int signo) override;
  absl::Status Stop(int64_t deadline_ns) override;
  absl::Status Continue() override;
  State Look() const override;

 private:
  Variables WithOwn(Variables variables) const;
  void Spawn();
  void AskReady();
  void AskHealth();
  void AskAgain();
  bool ReadyNow() const;
  void BecomeReady(int64_t at_ns);
  void Fail(const std::string& error, bool with_output);
  std::string ReadyAddress() const;
  void OnLine(std::string_view line);
  void DrainOutput();
  FleetObserver::Exit ExitOf(int wait_status, int sent_signal, double cpu_seconds) const;
  bool MaybeRestart(const FleetObserver::Exit& exit);
  void SetTimer(EventLoop::TimerId* timer, int64_t when_ns, std::function<void()> callback);
  std::string directory() const;  // its own, ${dir}

  const Fleet::Options* const options_;
  const std::shared_ptr<const TargetSpec> spec_;
  std::shared_ptr<const RolePatterns> patterns_;
  const std::function<void()> on_change_;
  InstanceInfo info_;
  LogTail tail_;
  std::vector<HeldPort> held_;
  Variables variables_;
  bool ending_ = false;
  bool late_ = false;        // this incarnation: that it is not ready in time was said
  bool ever_ready_ = false;  // any incarnation
  uint32_t restarts_ = 0;
  int32_t last_signal_ = 0;
  double ended_cpu_seconds_ = 0;
  int64_t ready_deadline_ = 0;
  EventLoop::TimerId ready_timer_, kill_timer_, restart_timer_, drain_timer_, thaw_timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for answers that come after us
};

}  // namespace squall

#endif  // TARGETS_PROCESS_INSTANCE_H_

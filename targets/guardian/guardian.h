// The parent of agent, fault hosts and targets: single-threaded, no gRPC, holds what is needed to undo. Whatever dies,
// the guardian (or, if it is the guardian, the kernel) brings the host back to rest. guardian.proto is its interface.
//
//   GuardianOptions options;
//   options.agent_argv = {"squall", "agent", "--controller=unix:/run/x"};
//   ASSIGN_OR_RETURN(auto guardian, Guardian::Create(options, RealOs(), &clock));
//   return guardian->Run();   // the process's exit code
//
// What it does when ...                     test                            attach
//   the agent dies                          ends all at once                thaws, lifts; targets and relay run on
//   the agent exits                         TERM, 2 s, KILL to what is left as above; leaves when the last target ends
//   the lease lapses, the agent hangs       thaws                           thaws
//   parent_fd closes                        KILLs all at once               nothing
//   TERM, INT or HUP arrives                passes it to the agent; at the second, or 5 s later, as a request End
//   it is killed itself                     the kernel KILLs all but daemonsthe kernel KILLs the agent, thaws targets
#ifndef TARGETS_GUARDIAN_GUARDIAN_H_
#define TARGETS_GUARDIAN_GUARDIAN_H_

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/core/lease.h"
#include "faults/core/os.h"
#include "faults/core/unique_fd.h"
#include "targets/guardian/frozen_tree.h"
#include "targets/guardian/guardian.pb.h"
#include "targets/guardian/listeners.h"
#include "targets/guardian/spawn.h"

namespace squall {

struct GuardianOptions {
  bool attach = false;                  // false = test mode
  std::vector<std::string> agent_argv;  // --guardian_fd=N and --lease_fd=N are inserted after argv[1]
  std::vector<std::string> agent_env;   // "NAME=value"
  int parent_fd = -1;                   // its end of file = whoever started us died
};

// Not thread-safe, and only in a single-threaded process that is a subreaper. Run once.
class Guardian {
 public:
  static absl::StatusOr<std::unique_ptr<Guardian>> Create(const GuardianOptions& options, Os* os, const Clock* clock);
  ~Guardian();

  // Starts the agent, serves it, returns the exit code: the agent's own, 128 + signal if it was killed, 127 if it could
  // not be started.
  int Run();

 private:
  enum class Kind { kAgent, kTarget, kHost };
  struct Host {  // what outlives one incarnation
    guardian::v1::SpawnHost spec;
    std::vector<BoundListener> listeners;
    uint32_t incarnation = 0;
    int64_t delay_ns = 0;  // before the next start
    std::optional<EventLoop::TimerId> restart;
  };
  struct Child {
    Kind kind;
    std::string key;
    Command command;
    Started started;
    uint64_t request_id = 0;  // who waits for the outcome of exec; 0 = nobody
    bool executed = false;
    int sent_signal = 0;
    int64_t started_ns = 0;
    UniqueFd control;  // a host's: the agent's end of its channel, until it is up
    std::unique_ptr<FrozenTree> frozen;
    std::optional<EventLoop::TimerId> thaw;
  };
  enum class Stage { kServing, kTerminating, kClosing, kOver };

  Guardian(const GuardianOptions& options, Os* os, const Clock* clock, LeasePage lease, Liveness liveness);

  // guardian.cc: life and death.
  absl::Status StartAgent();
  absl::Status WatchSignals();
  void OnSignals();
  void OnStopSignal(int signo);
  void OnParentGone();
  void OnAgentGone();
  void Reap();
  void OnExit(std::unique_ptr<Child> child, int status, const rusage& usage);
  void OnAgentExit(int status);
  void BeginEnd(int exit_code);
  void Advance();  // to the next stage, if the present one has done its work
  void KillAll();
  void Leave(int exit_code);

  // requests.cc: what the agent asks for.
  void OnAgentReadable();
  void Handle(const guardian::v1::Request& request);
  absl::Status Do(uint64_t id, const guardian::v1::Spawn& spawn);
  absl::Status Do(uint64_t id, const guardian::v1::SpawnHost& spawn);
  absl::Status Do(const guardian::v1::Signal& signal);
  absl::Status Do(const guardian::v1::Hang& hang);
  absl::Status Do(const guardian::v1::Thaw& thaw);
  void CheckThaw(Child* child);
  void ScheduleThaw(Child* child);
  void ThawAll();
  void Reply(uint64_t id, const absl::Status& status, pid_t pid = 0);
  void Send(const guardian::v1::Event& event, UniqueFd fd = UniqueFd());
  void Flush();       // as much as the channel takes
  void WatchAgent();  // for what can be read, and for room if something is unsent

  // hosts.cc: starting children.
  absl::StatusOr<Child*> Launch(Kind kind, const std::string& key, Command command, uint64_t request_id);
  void OnReport(pid_t pid);
  absl::Status StartHost(const std::string& key, uint64_t request_id);
  void RestartHost(const std::string& key);
  void AnnounceHost(Child* child);
  void OnHostExit(const Child& child);
  void DropDrivers();  // hosts that do not outlive the agent

  Child* Find(const std::string& key);
  Child* Agent();
  size_t Count(Kind kind) const;
  void SendSignal(Child* child, int signo);

  const GuardianOptions options_;
  Os* const os_;
  const Clock* const clock_;
  LeasePage lease_;
  Liveness liveness_;
  EventLoop loop_;
  UniqueFd signals_;  // signalfd
  UniqueFd agent_;    // our end of the agent's channel; invalid once it is gone
  std::deque<std::pair<guardian::v1::Event, UniqueFd>> unsent_;
  bool waits_for_room_ = false;  // the agent's channel is watched for it
  std::map<pid_t, std::unique_ptr<Child>> children_;
  std::map<std::string, Host> hosts_;
  Stage stage_ = Stage::kServing;
  int64_t stage_until_ = 0;
  bool stop_requested_ = false;  // a signal was passed to the agent
  int exit_code_ = 1;
};

}  // namespace squall

#endif  // TARGETS_GUARDIAN_GUARDIAN_H_

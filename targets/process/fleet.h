// The target processes of one agent: started in order, watched, restarted, ended.
//
//   Fleet fleet({.spawner = &spawner, .clock = &clock, .loop = &loop, .observer = &observer, .directory = dir, .seed =
//   7}); RETURN_IF_ERROR(fleet.Open(specs));                      // ports are reserved, nothing is started
//   RETURN_IF_ERROR(fleet.Begin({{"bin.server", "/usr/bin/redis-server"}}));
//   fleet.Process("server/0")->Signal(SIGKILL);
//   fleet.EndAll(10 * kSecond, [] { ... });
//
// Loop thread only. Ports: each is held by a bound socket that does not listen (SO_REUSEADDR), for the life of the
// fleet, so that nobody else is given the number while an instance is down; targets must set SO_REUSEADDR, as servers
// do.
#ifndef TARGETS_PROCESS_FLEET_H_
#define TARGETS_PROCESS_FLEET_H_

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
#include "faults/seams/instances.h"
#include "faults/seams/process.h"
#include "targets/process/spawner.h"
#include "targets/process/spec.h"

namespace squall {

// One instance, as others may see it.
struct InstanceInfo {
  std::string name;  // "role/index"
  std::string role;
  uint32_t index = 0;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> ports;  // name -> HOST:PORT
  std::vector<std::string> port_names;       // in the order of the spec; the first is the default
  uint32_t incarnation = 0;                  // 0 = never started
  std::string log;                           // file name below the directory: "role.index.log"
  int pid = 0;                               // 0 = does not run
  bool ready = false;
  bool stopped = false;
  bool drained = false;  // ended on purpose, stays down
};

struct InstanceUsage {
  double rss_bytes = 0;
  double cpu_seconds = 0;  // of the running incarnation
  double fds = 0;
};

class FleetObserver {
 public:
  struct Exit {
    // "by us": by a signal that we sent, or on being told to end; "by signal"; "by itself".
    std::string cause;
    int signal = 0;
    int code = 0;
    bool wanted = false;  // a drain, the end of the run, or a job that is done
    double cpu_seconds = 0;
  };
  virtual ~FleetObserver() = default;
  virtual void OnStarted(const InstanceInfo& instance, int64_t at_ns) = 0;
  virtual void OnReady(const InstanceInfo& instance, int64_t at_ns) = 0;
  virtual void OnExited(const InstanceInfo& instance, const Exit& exit, int64_t at_ns) = 0;
  // Could not be started, did not become ready in time (said once an incarnation; it is still waited for), or ended for
  // good before it was ever ready (after OnExited). `error` says why, with the last lines of its output.
  virtual void OnFailed(const InstanceInfo& instance, const std::string& error, int64_t at_ns) = 0;
  // A line of output matched a rule.
  virtual void OnEvent(const InstanceInfo& instance, const std::string& event, double value, int64_t at_ns) = 0;
};

class Fleet {
 public:
  // Calls back on the loop; OK = serving. gRPC itself is not linked here.
  using HealthCheck = std::function<void(const std::string& address, const std::string& service, int64_t timeout_ns,
                                         std::function<void(absl::Status)> done)>;
  struct Options {
    Spawner* spawner = nullptr;
    const Clock* clock = nullptr;
    EventLoop* loop = nullptr;
    FleetObserver* observer = nullptr;
    HealthCheck grpc_health;
    std::string directory;  // exists; logs and working directories go there
    uint64_t seed = 0;
  };

  explicit Fleet(Options options);
  ~Fleet();

  // Makes the instances and reserves their ports. InvalidArgument names role and field (bad regex, cycle of needs,
  // ...); nothing is added then. A need of a role that is not here is another agent's to order.
  absl::Status Open(std::vector<TargetSpec> specs);
  // Starts what `count` says, a role once all instances of the roles it needs are ready. `variables`: what else ${...}
  // may name ("bin.server", "link.im.address"). InvalidArgument names target, argument and the unknown reference,
  // before anything is started.
  absl::Status Begin(const std::map<std::string, std::string>& variables);

  // Replaces the event rules of a role, also while it runs (a plan that watches a target it did not start).
  absl::Status SetEventRules(const std::string& role, std::vector<EventRule> rules);

  std::vector<InstanceInfo> Instances() const;  // in the order of the specs, by index
  const InstanceInfo* Find(const std::string& name) const;
  ProcessSeam* Process(const std::string& name);        // null: no such instance
  InstancesSeam* InstancesOf(const std::string& role);  // null: no such role
  InstanceUsage Usage(const std::string& name) const;   // zeros if it does not run
  double TotalCpuSeconds() const;                       // of all incarnations, ended and running

  // TERM to all, KILL after `grace_ns`; nothing is started any more. Calls back, from the loop, once all have ended.
  void EndAll(int64_t grace_ns, std::function<void()> done);

  // For the owner of the guardian's channel: every Exited event whose key is an instance's. False if it is none.
  bool OnExited(const std::string& key, int pid, int wait_status, int sent_signal, int64_t at_ns, double cpu_seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace squall

#endif  // TARGETS_PROCESS_FLEET_H_

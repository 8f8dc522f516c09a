// The fault hosts of an agent (relays, load drivers): started through the guardian, spoken to over their channels,
// noticed when they die.
//
//   Hosts hosts(&loop, &guardian, {...});
//   hosts.StartRelay("relay", {{"im/0", "127.0.0.1:4000"}}, [](absl::Status s) { ... });   // listener -> upstream
//   hosts.AddressOf("im/0")            // "127.0.0.1:41234"
//   hosts.Arm(fault, "im/0", "run/trigger/im/0", context)
//
// Loop thread only.
#ifndef HARNESS_AGENT_HOSTS_H_
#define HARNESS_AGENT_HOSTS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/event_loop.h"
#include "faults/core/fault.h"
#include "faults/host.pb.h"
#include "targets/guardian/client.h"
#include "targets/host/client.h"

namespace squall {

struct LinkListener {
  std::string object;  // "im/0"
  std::string listen = "127.0.0.1:0";
  std::string upstream;  // HOST:PORT
};

class Hosts {
 public:
  struct Options {
    std::string relay_binary;
    std::string load_binary;
    std::string directory;  // for their output
    std::function<void(const host::v1::HostStats&)> stats;
    std::function<void(const host::v1::HostFaultEnded&)> ended;
    std::function<void(const std::string& key, bool was_relay)> lost;  // it died; a relay comes back by itself
  };
  Hosts(EventLoop* loop, GuardianClient* guardian, Options options);
  ~Hosts();

  // Calls back when the listeners are there.
  void StartRelay(const std::string& key, const std::vector<LinkListener>& listeners,
                  std::function<void(absl::Status)> done);
  void StartLoad(const host::v1::StartLoad& load, std::function<void(absl::Status)> done);

  bool Carries(const std::string& object) const { return objects_.contains(object); }
  std::map<std::string, std::string> addresses() const { return addresses_; }  // object -> HOST:PORT, links only
  absl::StatusOr<ArmedFault> Arm(const faults::v1::Fault& fault, const std::string& object, const std::string& instance,
                                 const ArmContext& context);
  double CpuSeconds() const;  // of those that run
  bool any() const { return !hosts_.empty(); }

  // From the guardian's events.
  void OnHostUp(const guardian::v1::HostUp& up, int fd);
  bool OnExited(const guardian::v1::Exited& exited);  // false: not one of these
  void Forget();                                      // closes all channels: the hosts lift everything

 private:
  struct Host;
  void Spawn(const std::string& key, guardian::v1::SpawnHost spawn, std::function<void(absl::Status)> done);

  EventLoop* const loop_;
  GuardianClient* const guardian_;
  const Options options_;
  std::map<std::string, std::shared_ptr<Host>> hosts_;  // by key
  std::map<std::string, std::string> objects_;          // object -> key of its host
  std::map<std::string, std::string> addresses_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_HOSTS_H_

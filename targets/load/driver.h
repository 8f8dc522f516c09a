// All loads of one agent, by name.
//
//   LoadDriver driver(&loop, &clock, &lease);
//   HostServer server({..., .seams = [&](auto& object) { return driver.SeamsOf(object); },
//                      .stats = [&](auto* stats) { driver.AddStats(stats); },
//                      .start_load = [&](auto& request) { return driver.Start(request); }});
#ifndef TARGETS_LOAD_DRIVER_H_
#define TARGETS_LOAD_DRIVER_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "faults/core/fault.h"
#include "faults/core/lease.h"
#include "faults/host.pb.h"
#include "targets/load/load.h"

namespace squall {

// One thread: the loop's. Owns neither loop, clock nor lease.
class LoadDriver {
 public:
  LoadDriver(EventLoop* loop, const Clock* clock, const LeasePage* lease) : loop_(loop), clock_(clock), lease_(lease) {}

  // AlreadyExists: a load of that name runs. InvalidArgument names the field.
  absl::Status Start(const host::v1::StartLoad& request);
  absl::StatusOr<Seams> SeamsOf(const std::string& load);  // NotFound
  void AddStats(host::v1::HostStats* stats);
  Load* FindLoad(const std::string& name);  // null

 private:
  EventLoop* const loop_;
  const Clock* const clock_;
  const LeasePage* const lease_;
  std::map<std::string, std::unique_ptr<Load>> loads_;
};

}  // namespace squall

#endif  // TARGETS_LOAD_DRIVER_H_

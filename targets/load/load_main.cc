// squall-load: drives the loads of one agent. Started by the guardian:
//
//   squall-load --control_fd=N --lease_fd=N --guardian_fd=N
//
// Ends when the agent or the guardian is gone: nobody would count what it sends. Exit codes: 0, or 2 for bad arguments.
#include <cstdio>
#include <string>

#include "faults/catalog.h"
#include "faults/core/status_macros.h"
#include "targets/host/flags.h"
#include "targets/host/process.h"
#include "targets/host/server.h"
#include "targets/host/watch.h"
#include "targets/load/driver.h"

namespace squall {
namespace {

absl::Status Run(int argc, char** argv) {
  ASSIGN_OR_RETURN(const HostFlags flags, ParseHostFlags(argc, argv));
  if (!flags.listeners.empty() || !flags.upstreams.empty()) return absl::InvalidArgumentError("a load has no links");
  ASSIGN_OR_RETURN(const LeasePage lease, LeasePage::Map(flags.lease_fd));
  const RealClock clock;
  EventLoop loop(&clock);
  LoadDriver driver(&loop, &clock, &lease);
  HostServer server({.loop = &loop,
                     .clock = &clock,
                     .lease = &lease,
                     .control_fd = flags.control_fd,
                     .make = MakeFault,
                     .seams = [&](const std::string& object) { return driver.SeamsOf(object); },
                     .stats = [&](host::v1::HostStats* stats) { driver.AddStats(stats); },
                     .start_load = [&](const host::v1::StartLoad& request) { return driver.Start(request); },
                     .gone = [&] { loop.Stop(); }});
  WatchEnd(&loop, flags.guardian_fd, [&] { loop.Stop(); });
  loop.Run();
  return absl::OkStatus();
}

}  // namespace
}  // namespace squall

int main(int argc, char** argv) {
  squall::PrepareHostProcess();
  const absl::Status status = squall::Run(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "squall-load: %s\n", std::string(status.message()).c_str());
  return 2;
}

// squall-relay: carries the links of one agent, and delays them while a fault says so. Started by the guardian:
//
//   squall-relay --control_fd=N --lease_fd=N --guardian_fd=N --listener=NAME=FD... --upstream=NAME=HOST:PORT...
//
// Agent gone (control channel closed): the faults are gone, the bytes flow on. Guardian gone: no new connections
// either, and the end when the last open one has ended. Exit codes: 0, or 2 for bad arguments.
#include <cstdio>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "faults/catalog.h"
#include "faults/core/status_macros.h"
#include "targets/host/flags.h"
#include "targets/host/process.h"
#include "targets/host/server.h"
#include "targets/host/watch.h"
#include "targets/relay/relay.h"

namespace squall {
namespace {

absl::Status AddLinks(const HostFlags& flags, Relay* relay) {
  const std::map<std::string, std::string> upstreams(flags.upstreams.begin(), flags.upstreams.end());
  for (const auto& [name, fd] : flags.listeners) {
    const auto upstream = upstreams.find(name);
    if (upstream == upstreams.end())
      return absl::InvalidArgumentError(absl::StrCat("link ", name, " has no --upstream"));
    ASSIGN_OR_RETURN(const SocketAddress address, ParseAddress(upstream->second));
    RETURN_IF_ERROR(relay->AddLink(name, UniqueFd(fd), address));
  }
  if (upstreams.size() != flags.listeners.size()) return absl::InvalidArgumentError("an --upstream has no --listener");
  return absl::OkStatus();
}

absl::Status Run(int argc, char** argv) {
  ASSIGN_OR_RETURN(const HostFlags flags, ParseHostFlags(argc, argv));
  ASSIGN_OR_RETURN(const LeasePage lease, LeasePage::Map(flags.lease_fd));
  const RealClock clock;
  EventLoop loop(&clock);
  Relay relay({.loop = &loop, .clock = &clock, .lease = &lease, .limits = {}});
  RETURN_IF_ERROR(AddLinks(flags, &relay));
  HostServer server({.loop = &loop,
                     .clock = &clock,
                     .lease = &lease,
                     .control_fd = flags.control_fd,
                     .make = MakeFault,
                     .seams = [&](const std::string& object) { return relay.SeamsOf(object); },
                     .stats = [&](host::v1::HostStats* stats) { relay.AddStats(stats); },
                     .start_load = nullptr,
                     .gone = nullptr});
  WatchEnd(&loop, flags.guardian_fd, [&] {
    server.Close();
    relay.Wind([&] { loop.Stop(); });
  });
  loop.Run();
  return absl::OkStatus();
}

}  // namespace
}  // namespace squall

int main(int argc, char** argv) {
  squall::PrepareHostProcess();
  const absl::Status status = squall::Run(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "squall-relay: %s\n", std::string(status.message()).c_str());
  return 2;
}

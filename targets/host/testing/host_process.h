// A fault host as its own process, with the test in the place of guardian and agent.
//
//   HostProcess host("targets/relay/squall-relay", {{"l/0", listener.get()}}, {"--upstream=l/0=127.0.0.1:6379"});
//   auto reply = host.client().Call(request);
//   host.CloseGuardian();
//   EXPECT_EQ(host.Wait(5 * kSecond), 0);
#ifndef TARGETS_HOST_TESTING_HOST_PROCESS_H_
#define TARGETS_HOST_TESTING_HOST_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "faults/core/lease.h"
#include "faults/core/unique_fd.h"
#include "faults/host.pb.h"
#include "targets/host/client.h"

namespace squall::testing {

// Ends the process on destruction.
class HostProcess {
 public:
  // `path`: relative to the runfiles. The listeners stay the caller's too.
  HostProcess(const std::string& path, const std::vector<std::pair<std::string, int>>& listeners,
              const std::vector<std::string>& arguments);
  ~HostProcess();

  LeasePage lease;  // live for ever at first
  HostClient& client() { return *client_; }
  void CloseControl() { client_ = std::make_unique<HostClient>(UniqueFd(), HostClient::Events{}); }
  void CloseGuardian() { guardian_.reset(); }
  absl::StatusOr<host::v1::HostReply> ArmDelay(const std::string& instance, int64_t latency_ns, int64_t for_ns,
                                               const std::string& object = "l/0");
  absl::StatusOr<host::v1::HostReply> Lift(const std::string& instance);
  // Its exit code, or -signal; -1000 if it runs on for longer than that.
  int Wait(int64_t at_most_ns);

  host::v1::HostStats stats;                    // the last that came
  std::vector<host::v1::HostFaultEnded> ended;  // all that came

 private:
  UniqueFd guardian_;
  UniqueFd pidfd_;
  pid_t pid_ = -1;
  std::unique_ptr<HostClient> client_;
};

}  // namespace squall::testing

#endif  // TARGETS_HOST_TESTING_HOST_PROCESS_H_

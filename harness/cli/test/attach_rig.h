// redis-server below a hand-started `squall agent`, as a game day has it: one link in front, everything on loopback.
#ifndef HARNESS_CLI_TEST_ATTACH_RIG_H_
#define HARNESS_CLI_TEST_ATTACH_RIG_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/cli/test/program.h"

namespace squall {

class AttachRig {
 public:
  // `flags`: more for `squall agent`. Waits until the target answers through the link.
  explicit AttachRig(std::vector<std::string> flags = {});
  ~AttachRig();  // ends everything, whatever the test has killed

  Ended Squall(std::vector<std::string> arguments) const;  // arm, lift, list, halt against this agent
  // Milliseconds of one PING through the link, or straight to the target; negative if there was no answer in 20 s.
  double PingThroughLink() const { return Ping(link_port_); }
  double PingDirectly() const { return Ping(target_port_); }

  pid_t guardian() const { return guardian_pid_; }
  pid_t agent() const { return agent_; }
  pid_t relay() const;  // the one that runs now; 0 = none
  pid_t target() const { return target_; }
  void Kill(pid_t pid) const;  // SIGKILL, by pidfd, of a process of this rig
  const std::string& directory() const { return directory_; }

 private:
  double Ping(int port) const;
  pid_t Child(const std::string& command) const;

  const std::string directory_;
  int target_port_ = 0;
  int link_port_ = 0;
  std::unique_ptr<Program> program_;
  pid_t guardian_pid_ = 0, agent_ = 0, target_ = 0;
};

}  // namespace squall

#endif  // HARNESS_CLI_TEST_ATTACH_RIG_H_

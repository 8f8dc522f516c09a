// A real guardian with the fake agent, driven from a test. The test process is a subreaper: whoever is left over
// becomes its descendant, is seen by Alive, and is ended by the destructor.
#ifndef TARGETS_GUARDIAN_TEST_HARNESS_H_
#define TARGETS_GUARDIAN_TEST_HARNESS_H_

#include <sys/types.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/core/clock.h"
#include "faults/core/lease.h"
#include "faults/core/unique_fd.h"
#include "targets/guardian/guardian.pb.h"
#include "targets/guardian/launcher.h"

namespace squall {

// Bounds are for absence and for a loaded machine: nothing waits that long when all is well.
inline constexpr int64_t kPatience = 20 * kSecond;
inline constexpr int64_t kLease = 500 * kMillisecond;
inline constexpr int64_t kUndone = 4 * (kLease + 500 * kMillisecond);

// True as soon as the condition holds, false after `within_ns`.
bool Eventually(const std::function<bool()>& condition, int64_t within_ns = kPatience);

char StateOf(pid_t pid);  // as in /proc: 'S', 'T', 'Z', ...; 0 = there is none
bool Alive(pid_t pid);    // exists and is no zombie
bool Stopped(pid_t pid);
std::string ReadAll(const std::string& path);

struct HarnessOptions {
  bool attach = false;
  std::vector<std::string> agent_flags;
  std::string guardian;  // another binary than squall-guardian
  std::vector<std::string> env;
};

class Harness {
 public:
  explicit Harness(HarnessOptions options = {});
  ~Harness();

  // Sends through the agent, waits for the answer.
  guardian::v1::Reply Call(guardian::v1::Request request);
  // `target WHAT ARGUMENTS` under a key; output in Output(key). With `ready` waits for its first line.
  guardian::v1::Reply Spawn(const std::string& key, std::vector<std::string> what, bool ready = true);
  guardian::v1::Reply SpawnHost(const std::string& key, bool outlives_agent, bool respawn);
  guardian::v1::Reply Signal(const std::string& key, int signo);
  guardian::v1::Reply Hang(const std::string& key, int64_t for_ns);
  guardian::v1::Reply Thaw(const std::string& key);
  guardian::v1::Reply End();
  void ExitAgent(int code);
  // The next event of that kind; others are dropped. Nothing = none within the time.
  std::optional<guardian::v1::Event> Next(guardian::v1::Event::EventCase kind, int64_t within_ns = kPatience);

  std::string Output(const std::string& key) const;  // path
  // The whole output once its first line is complete.
  std::string FirstLine(const std::string& key) const;
  void Kill(pid_t pid);                  // a descendant, by pidfd
  std::vector<pid_t> Survivors() const;  // all descendants of the test but zombies

  const RealClock clock;
  std::optional<RunningGuardian> guardian;
  std::optional<LeasePage> lease;
  pid_t agent = -1;
  UniqueFd host_channel;  // beside the last HostUp

 private:
  std::optional<guardian::v1::Event> Receive(int64_t within_ns);
  UniqueFd control_;
  std::string directory_;
  std::deque<guardian::v1::Event> queued_;
  uint64_t next_id_ = 1;
};

std::string Runfile(const std::string& path);  // from the root of the repository

}  // namespace squall

#endif  // TARGETS_GUARDIAN_TEST_HARNESS_H_

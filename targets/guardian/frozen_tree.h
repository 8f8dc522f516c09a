// A hang: all processes of one target, stopped, and the ways back. The guardian thaws them; should it hang itself, or
// be killed, a sentinel process does, which was forked before the first of them was stopped and holds the same pidfds.
// The kernel thaws the leader besides (parent-death signal CONT, in attach mode).
#ifndef TARGETS_GUARDIAN_FROZEN_TREE_H_
#define TARGETS_GUARDIAN_FROZEN_TREE_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/core/lease.h"
#include "faults/core/os.h"
#include "faults/core/unique_fd.h"

namespace squall {

// A pipe of which only the guardian holds the write end: end of file at `read` = the guardian is dead.
struct Liveness {
  UniqueFd read, write;
  static absl::StatusOr<Liveness> Create();
};

// Single-threaded, lives in the guardian. Thaws on destruction.
class FrozenTree {
 public:
  struct Context {
    Os* os;
    const Clock* clock;
    const LeasePage* lease;
    const Liveness* liveness;
    int guardian_death_signal;  // what the sentinel sends all members when the guardian dies: SIGCONT or SIGKILL
  };
  // The leader (a session leader) and all that descend from it: by parent, by session, or, after they daemonised, by
  // the `marker` entry in their environment. On an error nothing stays stopped. Takes at most about 200 ms.
  static absl::StatusOr<std::unique_ptr<FrozenTree>> Freeze(const Context& context, pid_t leader,
                                                            const std::string& marker, int64_t deadline_ns);
  ~FrozenTree();
  // Takes the place of an earlier hang of the same tree, which does not thaw as it goes.
  void TakeOver(std::unique_ptr<FrozenTree> earlier);
  FrozenTree(const FrozenTree&) = delete;

  int64_t deadline_ns() const { return deadline_ns_; }
  size_t size() const { return members_.size(); }

 private:
  struct Member {
    pid_t pid;
    UniqueFd pidfd;
    bool stop_sent = false;
  };
  FrozenTree(const Context& context, pid_t leader, const std::string& marker, int64_t deadline_ns)
      : context_(context), leader_(leader), marker_(marker), deadline_ns_(deadline_ns) {}

  absl::StatusOr<bool> FindNew();  // true if there were some
  absl::Status StopAll();
  bool AllStopped() const;
  absl::Status StartSentinel();
  [[noreturn]] void RunSentinel();
  void EndSentinel(UniqueFd sentinel);
  void SignalAll(Os* os, int signo);
  bool Belongs(pid_t pid) const;

  const Context context_;
  const pid_t leader_;
  const std::string marker_;
  const int64_t deadline_ns_;
  std::vector<Member> members_;  // parents before children
  UniqueFd sentinel_;            // pidfd
};

}  // namespace squall

#endif  // TARGETS_GUARDIAN_FROZEN_TREE_H_

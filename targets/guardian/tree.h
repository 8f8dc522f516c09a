// Who descends from whom, read from /proc.
#ifndef TARGETS_GUARDIAN_TREE_H_
#define TARGETS_GUARDIAN_TREE_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "faults/core/os.h"

namespace squall {

// What /proc/PID/stat says of one process.
struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = 0;  // 'R', 'S', 'T', 'Z', ...
};

// False if there is no such process.
bool ReadProcess(pid_t pid, ProcessInfo* info);

// The children of `pid`, zombies included; one look, not a snapshot: call again until nothing new appears.
std::vector<pid_t> ChildrenOf(pid_t pid);

// All below `pid`, without itself, parents before children.
std::vector<pid_t> DescendantsOf(pid_t pid);

// SIGKILLs all that descend from the calling process, each by its pidfd, and returns how many. One pass: a subreaper
// reaps and calls again until nobody is left.
size_t KillDescendants(Os* os);

// True if the environment that `pid` was started with holds this "NAME=value".
bool EnvironmentHolds(pid_t pid, const std::string& entry);

}  // namespace squall

#endif  // TARGETS_GUARDIAN_TREE_H_

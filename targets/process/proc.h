// What /proc says of a process. Zeros and false for one that is gone.
#ifndef TARGETS_PROCESS_PROC_H_
#define TARGETS_PROCESS_PROC_H_

#include "targets/process/fleet.h"

namespace squall {

InstanceUsage UsageOf(int pid);
// Every thread of it that has not ended is in state T, and there is one.
bool IsStopped(int pid);

}  // namespace squall

#endif  // TARGETS_PROCESS_PROC_H_

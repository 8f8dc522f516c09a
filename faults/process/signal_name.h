// Signals by name.
//
//   ASSIGN_OR_RETURN(int signo, SignalByName("abrt"));   // SIGABRT
#ifndef FAULTS_PROCESS_SIGNAL_NAME_H_
#define FAULTS_PROCESS_SIGNAL_NAME_H_

#include <string>

#include "absl/status/statusor.h"

namespace squall {

// With or without SIG, in capitals or not. InvalidArgument names the near match.
absl::StatusOr<int> SignalByName(const std::string& name);
std::string SignalName(int signo);  // "SIGKILL"; "signal 77" for one without a name

// Its default action ends the process: not so for STOP, CONT, CHLD, ...
bool EndsByDefault(int signo);

}  // namespace squall

#endif  // FAULTS_PROCESS_SIGNAL_NAME_H_

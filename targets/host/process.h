// What the mains of fault hosts share: signals, limits, timers of full precision.
#ifndef TARGETS_HOST_PROCESS_H_
#define TARGETS_HOST_PROCESS_H_

namespace squall {

// Ignores SIGPIPE, SIGINT and SIGHUP (a terminal's Ctrl-C is the controller's to handle: this process ends by its
// channels), raises the descriptor limit to the hard one, and asks the kernel for timers without slack.
void PrepareHostProcess();

}  // namespace squall

#endif  // TARGETS_HOST_PROCESS_H_

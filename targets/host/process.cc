#include "targets/host/process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace squall {

void PrepareHostProcess() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

}  // namespace squall

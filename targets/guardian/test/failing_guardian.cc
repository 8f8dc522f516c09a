// squall-guardian whose Nth system call fails, or kills it: FAIL_NTH and FAIL_ERROR in its environment. If it comes to
// its end it writes the number of calls that it made to the file FAIL_LOG.
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "faults/core/atomic_file.h"
#include "faults/core/clock.h"
#include "faults/core/os.h"
#include "targets/guardian/guardian.h"

// argv: --mode=M --parent_fd=N -- AGENT...
int main(int argc, char** argv) {
  if (argc < 6) return 2;
  squall::GuardianOptions options;
  options.attach = strcmp(argv[1], "--mode=attach") == 0;
  options.parent_fd = atoi(argv[2] + strlen("--parent_fd="));
  options.agent_argv.assign(argv + 4, argv + argc);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  squall::FailingOs os(squall::RealOs(), strtoull(getenv("FAIL_NTH"), nullptr, 10), atoi(getenv("FAIL_ERROR")));
  const squall::RealClock clock;
  auto guardian = squall::Guardian::Create(options, &os, &clock);
  if (!guardian.ok()) return 1;
  const int code = (*guardian)->Run();
  guardian->reset();
  if (!squall::WriteFileAtomically(squall::RealOs(), getenv("FAIL_LOG"), absl::StrCat(os.calls())).ok()) return 3;
  return code;
}

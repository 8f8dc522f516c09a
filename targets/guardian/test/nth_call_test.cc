// The guardian's system calls fail, or kill it, one after the other, N = 1, 2, 3, ..., until a whole run passes.
// Whatever the call: the caller gets an answer, nothing stays stopped, and in test mode nothing is left.
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "faults/core/os.h"
#include "gtest/gtest.h"
#include "targets/guardian/test/harness.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

struct Case {
  bool attach;
  int error;
};

bool IsDriver(pid_t pid) {
  return ReadAll(absl::StrCat("/proc/", pid, "/cmdline")).find("--control_fd=") != std::string::npos;
}

class NthCallTest : public ::testing::TestWithParam<Case> {
 protected:
  // False once the Nth call was never reached.
  bool RunWith(uint64_t nth) {
    const std::string log = absl::StrCat(::testing::TempDir(), "/calls");
    unlink(log.c_str());
    Harness harness(
        {.attach = GetParam().attach,
         .guardian = Runfile("targets/guardian/test/failing_guardian"),
         .env = {absl::StrCat("FAIL_NTH=", nth), absl::StrCat("FAIL_ERROR=", GetParam().error), "FAIL_LOG=" + log}});
    pid_t leader = 0;
    if (harness.lease.has_value()) {
      harness.lease->Extend(harness.clock.Now() + 600 * kSecond);
      leader = harness.Spawn("a/0", {"tree", "1"}, false).pid();
      Eventually([&] { return leader == 0 || !Alive(leader) || DescendantsOf(leader).size() == 2; });
      harness.SpawnHost("load", false, true);
      harness.Hang("a/0", 600 * kSecond);
      harness.Thaw("a/0");
      harness.Hang("a/0", 600 * kSecond);
      const UniqueFd agent(RealOs()->PidfdOpen(harness.agent));
      if (agent.valid()) RealOs()->SendSignal(agent.get(), SIGKILL);
    }
    const bool at_rest = Eventually(
        [&] {
          const std::vector<pid_t> left = harness.Survivors();
          return std::none_of(left.begin(), left.end(), Stopped) && std::none_of(left.begin(), left.end(), IsDriver) &&
                 !Alive(harness.agent);
        },
        kUndone);
    EXPECT_TRUE(at_rest) << "something is still stopped, or the agent or the driver lives";
    if (!GetParam().attach) {
      EXPECT_TRUE(Eventually([&] { return leader == 0 || !Alive(leader); }, kUndone));
    } else if (leader != 0 && Alive(leader)) {
      harness.Kill(leader);
    }
    EXPECT_TRUE(harness.guardian->Wait(kPatience).ok()) << "the guardian does not end";
    uint64_t calls = 0;
    const bool ended = absl::SimpleAtoi(ReadAll(log), &calls);
    if (ended) {
      EXPECT_TRUE(Eventually([&] { return harness.Survivors().empty(); }, kUndone));
    }
    return !ended || calls >= nth;
  }
};

TEST_P(NthCallTest, LeavesNothingStopped) {
  uint64_t nth = 0;
  for (int missed = 0; missed < 3 && !HasFailure();) {  // the number of calls differs a little from run to run
    missed = RunWith(++nth) ? 0 : missed + 1;
  }
  EXPECT_FALSE(HasFailure()) << "at call " << nth;
  EXPECT_GT(nth, 30u) << "too few calls were seen to be true";
  RecordProperty("calls", static_cast<int>(nth - 3));
}

INSTANTIATE_TEST_SUITE_P(EachCall, NthCallTest,
                         ::testing::Values(Case{true, EMFILE}, Case{true, FailingOs::kDie}, Case{false, EMFILE},
                                           Case{false, FailingOs::kDie}),
                         [](const auto& info) {
                           return absl::StrCat(info.param.attach ? "Attach" : "Test",
                                               info.param.error == FailingOs::kDie ? "Dies" : "Fails");
                         });

}  // namespace
}  // namespace squall

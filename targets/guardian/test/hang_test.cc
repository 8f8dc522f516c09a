// Hangs: everybody stands still, and everybody comes back, whoever dies or hangs himself.
#include <signal.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "faults/core/os.h"
#include "gtest/gtest.h"
#include "targets/guardian/test/harness.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

using Case = guardian::v1::Event::EventCase;

// Leader, children, grandchildren, and a daemon that left the session.
class HangTest : public ::testing::Test {
 protected:
  void Start(bool attach, std::vector<std::string> flags = {}) {
    harness_ = std::make_unique<Harness>(HarnessOptions{.attach = attach, .agent_flags = std::move(flags)});
    ASSERT_TRUE(harness_->lease.has_value());
    harness_->lease->Extend(harness_->clock.Now() + 600 * kSecond);
    leader_ = harness_->Spawn("a/0", {"tree", "2"}).pid();
    ASSERT_TRUE(Eventually([&] { return DescendantsOf(leader_).size() == 4; }));
    tree_ = DescendantsOf(leader_);
    tree_.push_back(leader_);
  }
  bool All(bool (*what)(pid_t)) { return std::all_of(tree_.begin(), tree_.end(), what); }
  static bool Runs(pid_t pid) { return Alive(pid) && !Stopped(pid); }
  static bool Gone(pid_t pid) { return !Alive(pid); }
  void Hang(int64_t for_ns = 600 * kSecond) {
    const guardian::v1::Reply reply = harness_->Hang("a/0", for_ns);
    ASSERT_EQ(reply.code(), 0) << reply.error();
    ASSERT_TRUE(All(Stopped)) << "when the answer is there, they stand still";
  }

  std::unique_ptr<Harness> harness_;
  pid_t leader_ = -1;
  std::vector<pid_t> tree_;
};

TEST_F(HangTest, StopsTheWholeTreeAndAThawBringsItBack) {
  Start(true);
  Hang();
  EXPECT_EQ(harness_->Thaw("a/0").code(), 0);
  EXPECT_TRUE(Eventually([&] { return All(Runs); }));
  EXPECT_EQ(harness_->Thaw("a/0").code(), 0) << "idempotent";
  EXPECT_EQ(harness_->Thaw("nobody").code(), 0);
  EXPECT_FALSE(harness_->Next(Case::kThawed, kMillisecond).has_value()) << "it did not thaw by itself";
}

TEST_F(HangTest, StopsADaemonThatLeftTheSession) {
  Start(true);
  harness_->Spawn("d/0", {"daemon"});
  const pid_t daemon = std::stoi(harness_->FirstLine("d/0").substr(7));
  ASSERT_TRUE(Eventually([&] { return Alive(daemon); }));
  ASSERT_EQ(harness_->Hang("d/0", 600 * kSecond).code(), 0);
  EXPECT_TRUE(Stopped(daemon));
  EXPECT_TRUE(All(Runs)) << "another target's tree is left alone";
  EXPECT_EQ(harness_->Thaw("d/0").code(), 0);
  EXPECT_TRUE(Eventually([&] { return Runs(daemon); }));
}

TEST_F(HangTest, EndsAtItsDeadline) {
  Start(true);
  const int64_t deadline = harness_->clock.Now() + 300 * kMillisecond;
  Hang(300 * kMillisecond);
  const auto thawed = harness_->Next(Case::kThawed);
  ASSERT_TRUE(thawed.has_value());
  EXPECT_EQ(thawed->thawed().why(), "deadline");
  EXPECT_GE(thawed->thawed().at_ns(), deadline);
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
}

TEST_F(HangTest, EndsWithTheLeaseAlthoughTheAgentHangs) {
  Start(true);
  harness_->lease->Extend(harness_->clock.Now() + kLease);
  Hang();
  const UniqueFd agent(RealOs()->PidfdOpen(harness_->agent));
  ASSERT_EQ(RealOs()->SendSignal(agent.get(), SIGSTOP), 0);
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
  ASSERT_EQ(RealOs()->SendSignal(agent.get(), SIGCONT), 0);
  EXPECT_EQ(harness_->Next(Case::kThawed)->thawed().why(), "lease");
}

TEST_F(HangTest, EndsAtItsDeadlineAlthoughTheGuardianHangs) {
  Start(true);
  ASSERT_EQ(harness_->Hang("a/0", kLease).code(), 0);
  ASSERT_TRUE(harness_->guardian->Signal(SIGSTOP).ok());
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
  ASSERT_TRUE(harness_->guardian->Signal(SIGCONT).ok());
}

TEST_F(HangTest, EndsWithTheLeaseAlthoughAgentAndGuardianHang) {
  Start(true);
  harness_->lease->Extend(harness_->clock.Now() + kLease);
  ASSERT_EQ(harness_->Hang("a/0", 600 * kSecond).code(), 0);
  ASSERT_TRUE(harness_->guardian->Signal(SIGSTOP).ok());
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
  ASSERT_TRUE(harness_->guardian->Signal(SIGCONT).ok());
}

TEST_F(HangTest, ALeaseThatIsRenewedKeepsIt) {
  Start(true);
  harness_->lease->Extend(harness_->clock.Now() + 200 * kMillisecond);
  Hang();
  harness_->lease->Extend(harness_->clock.Now() + 600 * kSecond);
  EXPECT_FALSE(Eventually([&] { return !All(Stopped); }, 500 * kMillisecond));
}

TEST_F(HangTest, IsRefusedWithoutALeaseOrPastItsDeadline) {
  Start(true);
  EXPECT_EQ(harness_->Hang("a/0", -kSecond).code(), static_cast<int>(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(harness_->Hang("nobody", kSecond).code(), static_cast<int>(absl::StatusCode::kNotFound));
  harness_->lease->End();
  EXPECT_EQ(harness_->Hang("a/0", kSecond).code(), static_cast<int>(absl::StatusCode::kFailedPrecondition));
  EXPECT_TRUE(All(Runs));
}

TEST_F(HangTest, ASecondHangReplacesTheDeadlineOfTheFirst) {
  Start(true);
  Hang(400 * kMillisecond);
  Hang(600 * kSecond);
  EXPECT_FALSE(Eventually([&] { return !All(Stopped); }, 800 * kMillisecond)) << "the first deadline thawed it";
  Hang(100 * kMillisecond);
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
}

TEST_F(HangTest, AHungTargetCanBeKilled) {
  Start(true);
  Hang();
  ASSERT_EQ(harness_->Signal("a/0", SIGKILL).code(), 0);
  ASSERT_TRUE(harness_->Next(Case::kExited).has_value());
  EXPECT_TRUE(Eventually([&] { return All(Gone); }));
}

TEST_F(HangTest, AttachAgentKilledThawsAndTheTargetRunsOn) {
  Start(true);
  Hang();
  harness_->Kill(harness_->agent);
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
  EXPECT_EQ(harness_->lease->until(), 0) << "hosts see at once that the lease is over";
  EXPECT_TRUE(Eventually([&] { return harness_->Survivors().size() == 6; })) << "guardian and tree";
  harness_->Kill(leader_);
  const absl::StatusOr<int> code = harness_->guardian->Wait(kPatience);
  ASSERT_TRUE(code.ok()) << "the guardian leaves after the last target";
  EXPECT_EQ(*code, 128 + SIGKILL) << "how the agent ended";
}

TEST_F(HangTest, TestModeAgentKilledEndsEverything) {
  Start(false);
  Hang();
  harness_->Kill(harness_->agent);
  const absl::StatusOr<int> code = harness_->guardian->Wait(kUndone);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, 128 + SIGKILL);
  EXPECT_TRUE(harness_->Survivors().empty());
}

TEST_F(HangTest, AttachGuardianKilledThawsTheWholeTree) {
  Start(true);
  Hang();
  harness_->Kill(harness_->guardian->pid());
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
  EXPECT_TRUE(Eventually([&] { return harness_->Survivors().size() == 5; }, kUndone)) << "only the tree is left";
}

TEST_F(HangTest, AttachGuardianAndSentinelKilledTheKernelThawsTheLeader) {
  Start(true);
  Hang();
  for (const pid_t child : ChildrenOf(harness_->guardian->pid())) {
    if (child != leader_ && child != harness_->agent) harness_->Kill(child);
  }
  harness_->Kill(harness_->guardian->pid());
  EXPECT_TRUE(Eventually([&] { return Runs(leader_); }, kUndone));
}

TEST_F(HangTest, AttachAgentAndGuardianKilledTogetherThawsTheWholeTree) {
  Start(true);
  Hang();
  harness_->Kill(harness_->guardian->pid());
  const UniqueFd agent(RealOs()->PidfdOpen(harness_->agent));
  if (agent.valid()) RealOs()->SendSignal(agent.get(), SIGKILL);
  EXPECT_TRUE(Eventually([&] { return All(Runs); }, kUndone));
  EXPECT_TRUE(Eventually([&] { return harness_->Survivors().size() == 5; }, kUndone));
}

TEST_F(HangTest, TestModeGuardianKilledTakesTheHungTreeWithIt) {
  Start(false);
  Hang();
  harness_->Kill(harness_->guardian->pid());
  EXPECT_TRUE(Eventually([&] { return harness_->Survivors().empty(); }, kUndone));
}

}  // namespace
}  // namespace squall

#include "harness/agent/armory.h"

#include <memory>

#include "faults/catalog.h"
#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using agent::v1::FaultEdge;
using faults::v1::Fault;

constexpr char kRun[] = "run 1";

// Two processes and a link.
class FakePort : public ArmoryPort {
 public:
  explicit FakePort(const Clock* clock) : link(clock) {
    processes["s/0"] = std::make_unique<FakeProcess>(clock);
    processes["s/1"] = std::make_unique<FakeProcess>(clock);
  }
  absl::Status Check(const Fault& fault, const std::string& target) override {
    return processes.contains(target) || target == "im/0" ? absl::OkStatus() : absl::NotFoundError("nobody");
  }
  absl::StatusOr<ArmedFault> Arm(const Fault& fault, const std::string& target, const std::string& instance,
                                 const ArmContext& context) override {
    ++arms;
    Seams seams;
    seams.link = &link;
    if (const auto found = processes.find(target); found != processes.end()) seams.process = found->second.get();
    return (*MakeFault(fault))->Arm(seams, context);
  }
  uint32_t Incarnation(const std::string& target) const override { return 1; }

  std::map<std::string, std::unique_ptr<FakeProcess>> processes;
  FakeLink link;
  int arms = 0;
};

class ArmoryTest : public ::testing::Test {
 protected:
  ArmoryTest()
      : loop_(&clock_),
        port_(&clock_),
        armory_(&loop_, &clock_, &port_, [this](const Armory::Origin&, const FaultEdge& e) { edges_.push_back(e); }) {}

  agent::v1::Prepare Hang(const std::string& action, std::vector<std::string> targets = {"s/0"}) {
    agent::v1::Prepare prepare;
    prepare.set_action(action);
    prepare.mutable_fault()->mutable_on()->set_role("s");
    prepare.mutable_fault()->mutable_hang();
    prepare.set_duration_ns(10 * kSecond);
    for (const std::string& target : targets) {
      prepare.add_instances()->set_id(action + "/" + target);
      prepare.mutable_instances()->rbegin()->set_target(target);
    }
    return prepare;
  }
  absl::Status Release(const std::string& action, int64_t not_before = 0, int64_t expires = 0) {
    agent::v1::Release release;
    release.set_action(action);
    release.set_not_before_ns(not_before);
    release.set_expires_ns(expires);
    return armory_.Release(kRun, release);
  }
  void Pass(int64_t ns) {
    const int64_t step = 5 * kMillisecond;
    for (int64_t done = 0; done < ns; done += step) {
      clock_.Advance(std::min(step, ns - done));
      loop_.RunOnce(0);
    }
  }
  bool Stopped(const std::string& target = "s/0") { return port_.processes[target]->Look().stopped; }

  SimulatedClock clock_;
  EventLoop loop_;
  FakePort port_;
  std::vector<FaultEdge> edges_;
  Armory armory_;
};

TEST_F(ArmoryTest, PreparedIsInert) {
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  Pass(kSecond);
  EXPECT_EQ(port_.arms, 0);
  EXPECT_TRUE(edges_.empty());
}

TEST_F(ArmoryTest, ArmsAtItsTimeAndLiftsAtItsDeadline) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  const int64_t planned = clock_.Now() + kSecond;
  ASSERT_TRUE(Release("h", planned, planned + kSecond).ok());
  Pass(900 * kMillisecond);
  EXPECT_FALSE(Stopped());
  Pass(200 * kMillisecond);
  EXPECT_TRUE(Stopped());
  ASSERT_EQ(edges_.size(), 1u);
  EXPECT_EQ(edges_[0].edge(), FaultEdge::ARMED);
  EXPECT_EQ(edges_[0].planned_ns(), planned);
  EXPECT_GE(edges_[0].at_ns(), planned);
  Pass(11 * kSecond);
  EXPECT_FALSE(Stopped());
  ASSERT_EQ(edges_.size(), 2u);
  EXPECT_EQ(edges_[1].edge(), FaultEdge::LIFTED);
  EXPECT_EQ(edges_[1].why(), "deadline");
  EXPECT_TRUE(edges_[1].witness().effective());
  EXPECT_TRUE(edges_[1].witness().gone());
}

TEST_F(ArmoryTest, ALapsedLeaseLiftsAndCannotComeBack) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("later")).ok());
  ASSERT_TRUE(Release("h").ok());
  EXPECT_TRUE(Stopped());
  Pass(1100 * kMillisecond);
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(edges_.back().why(), "lease");
  EXPECT_TRUE(absl::IsFailedPrecondition(armory_.Renew(kRun, clock_.Now() + kSecond)));
  ASSERT_TRUE(Release("later").ok());
  EXPECT_EQ(edges_.back().edge(), FaultEdge::FAILED);
  EXPECT_FALSE(Stopped());
}

TEST_F(ArmoryTest, RenewalKeepsItArmed) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  ASSERT_TRUE(Release("h").ok());
  for (int i = 0; i < 10; ++i) {
    Pass(500 * kMillisecond);
    ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + kSecond).ok());
    EXPECT_TRUE(Stopped());
  }
}

TEST_F(ArmoryTest, WithoutALeaseNothingIsArmed) {
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  ASSERT_TRUE(Release("h").ok());
  EXPECT_EQ(port_.arms, 0);
  EXPECT_EQ(edges_.at(0).edge(), FaultEdge::FAILED);
}

TEST_F(ArmoryTest, ALiftBeforeTheReleaseIsATombstone) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  ASSERT_TRUE(armory_.Lift(kRun, "h").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Release("h")));
  ASSERT_TRUE(armory_.Lift(kRun, "unheard").ok());  // any order: the prepare comes after the lift
  EXPECT_TRUE(absl::IsFailedPrecondition(armory_.Prepare(kRun, 1, Hang("unheard"))));
  EXPECT_EQ(port_.arms, 0);
}

TEST_F(ArmoryTest, ALiftEndsAReleaseThatWaits) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  ASSERT_TRUE(Release("h", clock_.Now() + kSecond).ok());
  ASSERT_TRUE(armory_.Lift(kRun, "h").ok());
  Pass(2 * kSecond);
  EXPECT_EQ(port_.arms, 0);
}

TEST_F(ArmoryTest, ALateReleaseIsRefused) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  const int64_t expires = clock_.Now() + kSecond;
  Pass(2 * kSecond);
  EXPECT_TRUE(absl::IsDeadlineExceeded(Release("h", 0, expires)));
  EXPECT_EQ(port_.arms, 0);
}

TEST_F(ArmoryTest, ARepeatedReleaseActsOnce) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  ASSERT_TRUE(Release("h").ok());
  ASSERT_TRUE(Release("h").ok());
  EXPECT_EQ(port_.arms, 1);
}

TEST_F(ArmoryTest, HaltLiftsEverythingAndLatches) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h", {"s/0", "s/1"})).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("next")).ok());
  ASSERT_TRUE(Release("h").ok());
  EXPECT_EQ(armory_.Halt("", "halted"), std::vector<std::string>{"h"});
  EXPECT_FALSE(Stopped("s/0"));
  EXPECT_FALSE(Stopped("s/1"));
  EXPECT_FALSE(Release("next").ok());
  armory_.ClearHalt();
  ASSERT_TRUE(armory_.Prepare("run 2", 1, Hang("fresh")).ok());
  ASSERT_TRUE(armory_.Renew("run 2", clock_.Now() + kSecond).ok());
  agent::v1::Release release;
  release.set_action("fresh");
  EXPECT_TRUE(armory_.Release("run 2", release).ok());
  EXPECT_TRUE(Stopped());
}

TEST_F(ArmoryTest, AFailedUndoIsTriedAgain) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("h")).ok());
  ASSERT_TRUE(Release("h").ok());
  port_.processes["s/0"]->error = absl::UnavailableError("busy");
  ASSERT_TRUE(armory_.Lift(kRun, "h").ok());
  Pass(100 * kMillisecond);
  EXPECT_EQ(edges_.size(), 1u) << "not lifted yet, so not said to be";
  port_.processes["s/0"]->error = absl::OkStatus();
  Pass(100 * kMillisecond);
  EXPECT_FALSE(Stopped());
  EXPECT_EQ(edges_.back().edge(), FaultEdge::LIFTED);
  EXPECT_TRUE(edges_.back().witness().gone());
}

TEST_F(ArmoryTest, ACrashIsDoneByTheEndOfItsTarget) {
  ASSERT_TRUE(armory_.Renew(kRun, clock_.Now() + 60 * kSecond).ok());
  agent::v1::Prepare crash = Hang("c");
  crash.mutable_fault()->mutable_crash();
  ASSERT_TRUE(armory_.Prepare(kRun, 1, crash).ok());
  ASSERT_TRUE(Release("c").ok());
  Pass(100 * kMillisecond);
  EXPECT_EQ(edges_.back().edge(), FaultEdge::LIFTED);
  EXPECT_EQ(edges_.back().why(), "done");
  EXPECT_TRUE(edges_.back().witness().effective());
}

TEST_F(ArmoryTest, RefusesWhatTheControllerShouldHaveRefused) {
  agent::v1::Prepare stranger = Hang("a", {"s/9"});
  EXPECT_TRUE(absl::IsNotFound(armory_.Prepare(kRun, 1, stranger)));
  agent::v1::Prepare nobody = Hang("b", {});
  EXPECT_TRUE(absl::IsInvalidArgument(armory_.Prepare(kRun, 1, nobody)));
  agent::v1::Prepare eternal = Hang("c");
  eternal.set_duration_ns(Armory::kLongestFault + 1);
  EXPECT_TRUE(absl::IsInvalidArgument(armory_.Prepare(kRun, 1, eternal)));
  agent::v1::Prepare kindless = Hang("d");
  kindless.mutable_fault()->clear_hang();
  EXPECT_FALSE(armory_.Prepare(kRun, 1, kindless).ok());
  agent::v1::Prepare wrong = Hang("e");
  wrong.mutable_fault()->mutable_crash()->set_signal("NOSUCH");
  EXPECT_TRUE(absl::IsInvalidArgument(armory_.Prepare(kRun, 1, wrong)));
  ASSERT_TRUE(armory_.Prepare(kRun, 1, Hang("f")).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(armory_.Prepare(kRun, 1, Hang("f"))));
}

}  // namespace
}  // namespace squall

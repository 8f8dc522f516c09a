// The programs together, as real processes on loopback.
#include <gtest/gtest.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "targets/skype/child.h"
#include "targets/skype/delay_proxy.h"

namespace skype {
namespace {

constexpr int kUsers = 60;

class ProcessesTest : public testing::Test {
 protected:
  std::string Address(int port) { return absl::StrCat("127.0.0.1:", port); }

  void StartSupport() {
    support_ = std::make_unique<Child>(&loop_, "skype_support", std::vector<std::string>{});
    ASSERT_GT(support_->Announced("port"), 0) << support_->output();
    proxy_ = std::make_unique<DelayProxy>(&loop_, support_->Announced("port"));
  }
  std::unique_ptr<Child> StartNode(const std::string& version, bool vulnerable, int port = 0) {
    return std::make_unique<Child>(
        &loop_, "skype_client",
        std::vector<std::string>{absl::StrCat("--port=", port), "--support=" + Address(proxy_->port()),
                                 "--bootstrap=" + Address(support_->Announced("port")), "--version=" + version,
                                 vulnerable ? "--vulnerable=yes" : "--vulnerable=no", "--limit=100000"});
  }
  void StartUsers() {
    users_ = std::make_unique<Child>(
        &loop_, "skype_users",
        std::vector<std::string>{absl::StrCat("--users=", kUsers), "--support=" + Address(proxy_->port()),
                                 "--bootstrap=" + Address(support_->Announced("port")), "--min_hosts=3", "--ramp_s=0.2",
                                 "--detect_s=0.5", "--restart_s=60", "--hosts_every_s=0.1"});
  }
  void StartAll() {
    StartSupport();
    nodes_.push_back(StartNode("5.0.0.152", true));
    nodes_.push_back(StartNode("5.0.0.152", false));
    nodes_.push_back(StartNode("5.0.0.156", true));
    for (const auto& node : nodes_) ASSERT_GT(node->Announced("port"), 0) << node->output();
    StartUsers();
    ASSERT_TRUE(RunUntil(loop_, [&] { return users_->Metric("users_online") == kUsers; }));
  }
  // Everybody has had replies in time.
  bool AllPolled(double at_least) {
    return RunUntil(loop_, [&] {
      for (const auto& node : nodes_) {
        if (node->Metric("polls_total") < at_least) return false;
      }
      return users_->Metric("polls_total") >= 8 * at_least;
    });
  }
  double LogicalCrashes() { return users_->Metric("logical_crashes_total{version=\"5.0.0.152\"}"); }

  Loop loop_;
  std::unique_ptr<Child> support_, users_;
  std::unique_ptr<DelayProxy> proxy_;
  std::vector<std::unique_ptr<Child>> nodes_;
};

TEST_F(ProcessesTest, UsersOfAKilledSupernodeComeBackAndItDoesToo) {
  StartAll();
  const int port = nodes_[1]->Announced("port");
  nodes_[1]->Signal(SIGKILL);
  EXPECT_TRUE(RunUntil(loop_, [&] { return nodes_[1]->Ended().has_value(); }));
  EXPECT_TRUE(RunUntil(loop_, [&] {
    return nodes_[0]->Metric("users") + nodes_[2]->Metric("users") == kUsers &&
           users_->Metric("users_online") == kUsers;
  }));
  nodes_[1] = StartNode("5.0.0.152", false, port);
  EXPECT_EQ(nodes_[1]->Announced("port"), port) << nodes_[1]->output();
  EXPECT_EQ(users_->Metric("host_list"), 3) << "the same place in the list";
}

TEST_F(ProcessesTest, LateRepliesCrashTheVulnerableCopiesOfTheBuggyVersionAndNobodyElse) {
  StartAll();
  ASSERT_TRUE(AllPolled(2));
  for (const auto& node : nodes_) EXPECT_FALSE(node->Ended().has_value()) << node->output();
  EXPECT_EQ(LogicalCrashes(), 0);

  proxy_->set_delay_s(1.5);
  EXPECT_TRUE(RunUntil(loop_, [&] { return nodes_[0]->Ended().has_value(); }));
  EXPECT_TRUE(WIFSIGNALED(*nodes_[0]->Ended()) && WTERMSIG(*nodes_[0]->Ended()) == SIGABRT);
  EXPECT_TRUE(nodes_[0]->Printed("late reply after="));
  for (const int i : {1, 2}) {
    EXPECT_TRUE(RunUntil(loop_, [&] { return nodes_[i]->Metric("polls_late_total") > 0; }));
    EXPECT_FALSE(nodes_[i]->Ended().has_value());
  }
  EXPECT_TRUE(RunUntil(loop_, [&] { return LogicalCrashes() == 12; }));  // 60 x 50 % x 40 %
  EXPECT_EQ(users_->Metric("logical_crashes_total{version=\"5.0.0.156\"}"), 0);
  EXPECT_TRUE(RunUntil(loop_, [&] { return users_->Metric("users_online") == kUsers - 12; }));
}

TEST_F(ProcessesTest, EveryProgramEndsCleanlyOnRequest) {
  StartAll();
  nodes_.push_back(std::move(users_));
  nodes_.push_back(std::move(support_));
  for (const auto& node : nodes_) {
    node->Signal(SIGTERM);
    EXPECT_TRUE(RunUntil(loop_, [&] { return node->Ended().has_value(); }));
    EXPECT_EQ(*node->Ended(), 0) << node->output();
  }
}

TEST_F(ProcessesTest, WrongFlagsAreRefusedWithCodeTwo) {
  for (const char* program : {"skype_support", "skype_client", "skype_users"}) {
    Child child(&loop_, program, {"--no_such_flag=1"});
    EXPECT_TRUE(RunUntil(loop_, [&] { return child.Ended().has_value(); }));
    EXPECT_EQ(WEXITSTATUS(*child.Ended()), 2) << program;
  }
}

TEST_F(ProcessesTest, ATakenPortIsAnErrorThatIsToldNotACrash) {
  const absl::StatusOr<int> taken = ListenLoopback(0);
  ASSERT_TRUE(taken.ok());
  Child child(&loop_, "skype_users", {absl::StrCat("--metrics_port=", PortOf(*taken))});
  EXPECT_TRUE(RunUntil(loop_, [&] { return child.Ended().has_value(); }));
  EXPECT_TRUE(WIFEXITED(*child.Ended()));
  EXPECT_EQ(WEXITSTATUS(*child.Ended()), 1);
  close(*taken);
}

}  // namespace
}  // namespace skype

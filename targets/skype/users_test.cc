#include "targets/skype/users.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "targets/skype/supernode.h"
#include "targets/skype/test_loop.h"

namespace skype {
namespace {

// Users and supernodes on one loop, over real sockets.
class UsersTest : public testing::Test {
 protected:
  static UsersOptions Quick(size_t users) {
    UsersOptions options;
    options.users = users;
    options.ramp_s = 0.05;
    options.retry = {.interval_s = 0.05, .detect_s = 0.05, .restart_s = 0.05, .restart_mean_s = 0.05};
    return options;
  }
  void AddNode(SupernodeOptions options = {}) {
    options.admission.limit = 1e6;
    options.index = nodes_.size();
    nodes_.push_back(std::make_unique<Supernode>(&loop_, options));
    ASSERT_TRUE(nodes_.back()->Open().ok());
  }
  void Begin(const UsersOptions& options) {
    users_ = std::make_unique<Users>(&loop_, options);
    for (const auto& node : nodes_) users_->AddHost(Address(node->port()));
    users_->Start();
  }
  static sockaddr_in Address(int port) { return *ParseAddress("127.0.0.1:" + std::to_string(port)); }
  bool AllOnline() {
    return RunUntil(loop_, [&] { return users_->online() == total_; });
  }

  Loop loop_;
  std::vector<std::unique_ptr<Supernode>> nodes_;
  std::unique_ptr<Users> users_;
  size_t total_ = 60;
};

TEST_F(UsersTest, EverybodyGetsOnlineAndLooksOthersUp) {
  for (int i = 0; i < 3; ++i) AddNode();
  UsersOptions options = Quick(60);
  options.lookups_per_s = 20;
  Begin(options);
  EXPECT_TRUE(AllOnline());
  EXPECT_EQ(nodes_[0]->admission().users() + nodes_[1]->admission().users() + nodes_[2]->admission().users(), 60);
  for (const auto& node : nodes_) EXPECT_EQ(node->admission().Level(Loop::Now()), 0) << "first logins are free";
  EXPECT_TRUE(RunUntil(loop_, [&] { return users_->counts().lookup_replies > 100; }));
  EXPECT_EQ(users_->counts().logins, 60);
  EXPECT_EQ(users_->counts().crashes, 0);
}

TEST_F(UsersTest, UsersOfALostSupernodeComeBackElsewhere) {
  for (int i = 0; i < 3; ++i) AddNode();
  Begin(Quick(60));
  ASSERT_TRUE(AllOnline());
  const int lost = nodes_[0]->admission().users();
  nodes_[0].reset();
  EXPECT_TRUE(RunUntil(loop_, [&] { return users_->counts().orphaned == lost && users_->online() == 60; }));
  EXPECT_EQ(nodes_[1]->admission().users() + nodes_[2]->admission().users(), 60);
  EXPECT_GT(users_->FailedUserSeconds(), 0);
}

TEST_F(UsersTest, ALateReplyCrashesTheVulnerableOfThatSliceOnceAndTheyComeBack) {
  AddNode();
  total_ = 80;
  UsersOptions options = Quick(80);
  options.slices = 1;
  Begin(options);
  ASSERT_TRUE(AllOnline());
  const int64_t sent = Loop::Now();
  users_->LateReply(0, sent);
  EXPECT_EQ(users_->counts().crashes, 16);  // 80 x 50 % x 40 %
  EXPECT_EQ(users_->online(), 64);
  users_->LateReply(0, sent);
  EXPECT_EQ(users_->counts().crashes, 16) << "who was not running when the poll was sent never asked";
  EXPECT_TRUE(AllOnline());
}

TEST_F(UsersTest, WithoutTheBuggyVersionALateReplyCrashesNobody) {
  AddNode();
  UsersOptions options = Quick(60);
  options.buggy_share = 0;
  Begin(options);
  ASSERT_TRUE(AllOnline());
  for (uint32_t slice = 0; slice < 8; ++slice) users_->LateReply(slice, Loop::Now());
  EXPECT_EQ(users_->counts().crashes, 0);
  EXPECT_EQ(users_->online(), 60);
}

TEST_F(UsersTest, GoodbyeMovesUsersWithoutATimeOffline) {
  for (int i = 0; i < 2; ++i) AddNode();
  Begin(Quick(60));
  ASSERT_TRUE(AllOnline());
  const double before = users_->FailedUserSeconds();
  bool drained = false;
  nodes_[0]->Drain(0.1, [&] { drained = true; });
  EXPECT_TRUE(RunUntil(loop_, [&] { return drained; }));
  EXPECT_EQ(users_->online(), 60);
  EXPECT_EQ(nodes_[1]->admission().users(), 60);
  EXPECT_EQ(users_->counts().orphaned, 0);
  EXPECT_EQ(users_->FailedUserSeconds(), before);
}

TEST_F(UsersTest, WithEverythingDownEachTryKnocksAtFiveHostsEveryInterval) {
  for (int i = 0; i < 7; ++i) AddNode();
  UsersOptions options = Quick(20);
  Begin(options);
  total_ = 20;
  ASSERT_TRUE(AllOnline());
  for (auto& node : nodes_) node.reset();
  ASSERT_TRUE(RunUntil(loop_, [&] { return users_->online() == 0 && users_->counts().made > 500; }));
  const Users::Counts before = users_->counts();
  const int64_t start = Loop::Now();
  RunUntil(loop_, [&] { return false; }, 0.5);
  const double seconds = ToSeconds(Loop::Now() - start);
  const Users::Counts& after = users_->counts();
  // 20 users x 5 hosts / 0.05 s = 2,000/s scheduled, whatever the machine manages to make of it.
  EXPECT_NEAR((after.scheduled - before.scheduled) / seconds, 2000, 400);
  EXPECT_LE(after.made, after.scheduled);
  EXPECT_EQ(after.logins, before.logins);
}

TEST_F(UsersTest, WhatAStarvedProcessCouldNotTryIsScheduledButNotMade) {
  AddNode();
  Begin(Quick(20));
  total_ = 20;
  ASSERT_TRUE(AllOnline());
  nodes_[0].reset();
  ASSERT_TRUE(RunUntil(loop_, [&] { return users_->online() == 0 && users_->counts().made > 100; }));
  const Users::Counts before = users_->counts();
  usleep(500000);  // the loop does not run: 10 tries of each user fall due
  RunUntil(loop_, [&] { return users_->counts().scheduled >= before.scheduled + 180; });
  const Users::Counts& after = users_->counts();
  EXPECT_GE(after.scheduled - before.scheduled, 180);
  EXPECT_LT(after.made - before.made, (after.scheduled - before.scheduled) / 2);
}

TEST_F(UsersTest, AHostThatAcceptsAndSaysNothingIsGivenUpAfterTheTimeout) {
  const absl::StatusOr<int> mute = ListenLoopback(0);
  ASSERT_TRUE(mute.ok());
  UsersOptions options = Quick(5);
  options.login_timeout_s = 0.05;
  users_ = std::make_unique<Users>(&loop_, options);
  users_->AddHost(Address(PortOf(*mute)));
  users_->Start();
  EXPECT_TRUE(RunUntil(loop_, [&] { return users_->counts().timed_out >= 10; }));
  EXPECT_EQ(users_->online(), 0);
  close(*mute);
}

TEST_F(UsersTest, HostsThatAreFullAreTriedUntilOneIsNot) {
  SupernodeOptions full;
  full.admission.slots = 0;
  for (int i = 0; i < 4; ++i) AddNode(full);
  AddNode();
  Begin(Quick(60));
  EXPECT_TRUE(AllOnline());
  EXPECT_GT(users_->counts().full, 0);
  EXPECT_EQ(users_->counts().logins, 60);
}

}  // namespace
}  // namespace skype

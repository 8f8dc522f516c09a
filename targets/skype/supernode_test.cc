#include "targets/skype/supernode.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "targets/skype/dial.h"
#include "targets/skype/test_loop.h"

namespace skype {
namespace {

// A connection to the node, as a user or as somebody who is not one.
class Peer {
 public:
  Peer(Loop& loop, int port, std::string_view first_bytes)
      : loop_(loop), dialed_(Dialer().Dial(*ParseAddress("127.0.0.1:" + std::to_string(port)), first_bytes)) {}
  ~Peer() { ResetAndClose(dialed_.fd); }
  bool connected() const { return dialed_.fd >= 0; }
  void Send(const v1::Frame& frame) { EXPECT_TRUE(SendAll(dialed_.fd, EncodeFrame(frame))); }
  // The next frame; none when the connection is closed first.
  std::optional<v1::Frame> Receive() {
    v1::Frame frame;
    bool got = false;
    EXPECT_TRUE(RunUntil(loop_, [&] {
      Read();
      const absl::StatusOr<bool> next = reader_.Next(&frame);
      got = next.ok() && *next;
      return got || closed_;
    }));
    return got ? std::optional(frame) : std::nullopt;
  }
  bool SeenClosed() {
    Read();
    return closed_;
  }

 private:
  void Read() {
    char buffer[1024];
    const ssize_t count = recv(dialed_.fd, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count > 0) reader_.Append({buffer, static_cast<size_t>(count)});
    if (count == 0 || (count < 0 && errno != EAGAIN)) closed_ = true;
  }
  Loop& loop_;
  const Dialed dialed_;
  FrameReader reader_;
  bool closed_ = false;
};

std::string Login(uint64_t user, bool first = false) {
  v1::Frame frame;
  frame.mutable_login()->set_user(user);
  frame.mutable_login()->set_first(first);
  return EncodeFrame(frame);
}

v1::Frame LookUp(uint64_t user) {
  v1::Frame frame;
  frame.mutable_lookup()->set_user(user);
  return frame;
}

class SupernodeTest : public testing::Test {
 protected:
  Supernode& Make(SupernodeOptions options) {
    node_ = std::make_unique<Supernode>(&loop_, options);
    EXPECT_TRUE(node_->Open().ok());
    return *node_;
  }
  std::unique_ptr<Peer> Connect(std::string_view bytes) { return std::make_unique<Peer>(loop_, node_->port(), bytes); }
  v1::LoginReply::Answer Answer(Peer& peer) {
    const std::optional<v1::Frame> frame = peer.Receive();
    return frame.has_value() ? frame->login_reply().answer() : v1::LoginReply::ANSWER_UNSPECIFIED;
  }

  Loop loop_;
  std::unique_ptr<Supernode> node_;
};

TEST_F(SupernodeTest, KnowsWhoIsOnlineHere) {
  Make({});
  auto anna = Connect(Login(1)), ben = Connect(Login(2));
  EXPECT_EQ(Answer(*anna), v1::LoginReply::ANSWER_OK);
  EXPECT_EQ(Answer(*ben), v1::LoginReply::ANSWER_OK);
  anna->Send(LookUp(2));
  EXPECT_TRUE(anna->Receive()->lookup_reply().online_here());
  ben.reset();
  EXPECT_TRUE(RunUntil(loop_, [&] { return node_->admission().users() == 1; }));
  anna->Send(LookUp(2));
  EXPECT_FALSE(anna->Receive()->lookup_reply().online_here());
}

TEST_F(SupernodeTest, AnswersFullAndShedAndKeepsTheOthers) {
  Make({.admission = {.limit = 100, .slots = 1}});
  auto in = Connect(Login(1));
  EXPECT_EQ(Answer(*in), v1::LoginReply::ANSWER_OK);
  auto out = Connect(Login(2));
  EXPECT_EQ(Answer(*out), v1::LoginReply::ANSWER_FULL);
  EXPECT_FALSE(in->SeenClosed());
  Make({.admission = {.limit = 0.1, .shed = true}});
  auto shed = Connect(Login(1));
  EXPECT_EQ(Answer(*shed), v1::LoginReply::ANSWER_SHED);
}

TEST_F(SupernodeTest, OverloadDropsTheRoleWithEveryUserAndItComesBackOnTheSamePort) {
  Supernode& node = Make({.admission = {.limit = 0.1, .depth_s = 150}, .away_s = 0.3});  // 15 units: 3 logins
  const int port = node.port();
  std::vector<std::unique_ptr<Peer>> users;
  for (int i = 0; i < 3; ++i) {
    users.push_back(Connect(Login(i)));
    EXPECT_EQ(Answer(*users.back()), v1::LoginReply::ANSWER_OK);
  }
  users[0]->Send(LookUp(1));
  users[0]->Send(LookUp(1));
  EXPECT_TRUE(RunUntil(loop_, [&] { return node.drops_total() == 1; }));
  EXPECT_FALSE(node.in_role());
  EXPECT_FALSE(Connect(Login(9))->connected()) << "refused while away";
  for (auto& user : users) EXPECT_TRUE(RunUntil(loop_, [&] { return user->SeenClosed(); }));
  EXPECT_TRUE(RunUntil(loop_, [&] { return node.in_role(); }));
  EXPECT_EQ(node.port(), port);
  auto again = Connect(Login(1));
  EXPECT_EQ(Answer(*again), v1::LoginReply::ANSWER_OK);
}

TEST_F(SupernodeTest, CutsOffWhoeverSendsNoFramesAndServesTheRest) {
  Supernode& node = Make({});
  auto user = Connect(Login(1));
  EXPECT_EQ(Answer(*user), v1::LoginReply::ANSWER_OK);
  const std::string oversize("\x7f\xff\xff\xff", 4), empty(4, '\0'), garbage("\0\0\0\4\xff\xff\xff\xff", 8);
  const std::string http = "GET / HTTP/1.1\r\n\r\n";
  const std::string twice = Login(2) + Login(2), reply = EncodeFrame([] {
                                                   v1::Frame frame;
                                                   frame.mutable_goodbye();
                                                   return frame;
                                                 }());
  const std::string before_login = EncodeFrame(LookUp(1));
  uint64_t errors = 0;
  for (const std::string& bytes : {oversize, empty, garbage, http, twice, reply, before_login}) {
    auto peer = Connect(bytes);
    EXPECT_TRUE(RunUntil(loop_, [&] { return peer->SeenClosed(); })) << bytes.size();
    EXPECT_EQ(node.protocol_errors_total(), ++errors);
  }
  user->Send(LookUp(1));
  EXPECT_TRUE(user->Receive()->lookup_reply().online_here());
  EXPECT_EQ(node.admission().users(), 1);
}

TEST_F(SupernodeTest, ClosesAConnectionThatNeverLogsIn) {
  Make({});
  auto silent = Connect("");
  auto truncated = Connect(Login(1).substr(0, 3));
  EXPECT_TRUE(RunUntil(loop_, [&] { return silent->SeenClosed() && truncated->SeenClosed(); }));
}

TEST_F(SupernodeTest, SaysGoodbyeToEverybodyBeforeItEnds) {
  Supernode& node = Make({});
  std::vector<std::unique_ptr<Peer>> users;
  for (int i = 0; i < 5; ++i) {
    users.push_back(Connect(Login(i)));
    EXPECT_EQ(Answer(*users.back()), v1::LoginReply::ANSWER_OK);
  }
  bool done = false;
  node.Drain(0.1, [&] { done = true; });
  EXPECT_FALSE(node.in_role());
  EXPECT_FALSE(Connect(Login(9))->connected());
  for (auto& user : users) {
    EXPECT_TRUE(user->Receive()->has_goodbye());
    EXPECT_FALSE(done);
    user.reset();
  }
  EXPECT_TRUE(RunUntil(loop_, [&] { return done; }));
}

TEST_F(SupernodeTest, EndsAtOnceWhenNobodyIsThereAndAfterAWhileWhenSomebodyStays) {
  bool done = false;
  Make({}).Drain(30, [&] { done = true; });
  EXPECT_TRUE(done);
  done = false;
  Make({});
  auto stays = Connect(Login(1));
  EXPECT_EQ(Answer(*stays), v1::LoginReply::ANSWER_OK);
  node_->Drain(0, [&] { done = true; });
  EXPECT_TRUE(RunUntil(loop_, [&] { return done; }));
}

}  // namespace
}  // namespace skype

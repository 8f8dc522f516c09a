#include "harness/controller/hub.h"

#include <cstdlib>
#include <deque>

#include "gtest/gtest.h"

namespace squall {
namespace {

using agent::v1::FromAgent;
using agent::v1::ToAgent;

class HubTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string directory = "/tmp/squall-hub-XXXXXX";
    ASSERT_NE(mkdtemp(directory.data()), nullptr);
    address_ = *ParseAddress(directory + "/s.sock", "");
    hub_ = std::make_unique<AgentHub>(address_);
    hub_->SetSink([this](AgentHub::Event event) {
      MutexLock lock(&mutex_);
      events_.push_back(std::move(event));
      arrived_.Notify();
    });
    auto server = Serve(address_, {hub_.get()}, nullptr);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  void TearDown() override {
    hub_->Shutdown();
    server_->Shutdown();
  }

  AgentHub::Event Next() {
    MutexLock lock(&mutex_);
    for (int i = 0; events_.empty() && i < 200; ++i) arrived_.WaitFor(&mutex_, 100 * kMillisecond);
    if (events_.empty()) {
      ADD_FAILURE() << "no event within 20 s";
      return {};
    }
    AgentHub::Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  struct Client {
    std::unique_ptr<agent::v1::AgentHub::Stub> stub;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReaderWriter<FromAgent, ToAgent>> stream;
  };
  std::unique_ptr<Client> Connect(const std::string& name, uint32_t low = kProtocol, uint32_t high = kProtocol) {
    auto client = std::make_unique<Client>();
    client->stub = agent::v1::AgentHub::NewStub(Dial(address_));
    client->stream = client->stub->Session(&client->context);
    FromAgent hello;
    hello.mutable_register_()->set_agent(name);
    hello.mutable_register_()->set_protocol_min(low);
    hello.mutable_register_()->set_protocol_max(high);
    client->stream->Write(hello);
    return client;
  }
  std::string WelcomeOf(Client* client) {
    ToAgent welcome;
    EXPECT_TRUE(client->stream->Read(&welcome));
    return welcome.welcome().refused();
  }

  Address address_;
  std::unique_ptr<AgentHub> hub_;
  std::unique_ptr<grpc::Server> server_;
  Mutex mutex_;
  CondVar arrived_;
  std::deque<AgentHub::Event> events_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(HubTest, CarriesMessagesBothWaysAndTellsWhoLeft) {
  auto client = Connect("a");
  EXPECT_EQ(WelcomeOf(client.get()), "");
  EXPECT_TRUE(Next().message.has_register_());
  ToAgent ping;
  ping.mutable_ping()->set_controller_ns(7);
  EXPECT_TRUE(hub_->Send("a", ping));
  EXPECT_FALSE(hub_->Send("b", ping));
  ToAgent received;
  ASSERT_TRUE(client->stream->Read(&received));
  EXPECT_EQ(received.ping().controller_ns(), 7);
  FromAgent pong;
  pong.mutable_pong()->set_controller_ns(7);
  client->stream->Write(pong);
  EXPECT_EQ(Next().message.pong().controller_ns(), 7);
  client->context.TryCancel();
  const AgentHub::Event lost = Next();
  EXPECT_TRUE(lost.lost);
  EXPECT_EQ(lost.agent, "a");
}

TEST_F(HubTest, RefusesANameInUse) {
  auto first = Connect("a");
  EXPECT_EQ(WelcomeOf(first.get()), "");
  auto second = Connect("a");
  EXPECT_NE(WelcomeOf(second.get()).find("connected already"), std::string::npos);
  EXPECT_EQ(hub_->Agents().size(), 1u);
}

TEST_F(HubTest, RefusesOtherProtocolsNamingBothRanges) {
  auto client = Connect("new", kProtocol + 1, kProtocol + 3);
  const std::string refusal = WelcomeOf(client.get());
  EXPECT_NE(refusal.find("2 to 4"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("controller 1"), std::string::npos) << refusal;
}

TEST_F(HubTest, RefusesNamelessAgentsAndStreamsWithoutRegister) {
  auto nameless = Connect("");
  EXPECT_NE(WelcomeOf(nameless.get()), "");
  auto client = std::make_unique<Client>();
  client->stub = agent::v1::AgentHub::NewStub(Dial(address_));
  client->stream = client->stub->Session(&client->context);
  FromAgent early;
  early.mutable_pong();
  client->stream->Write(early);
  ToAgent nothing;
  EXPECT_FALSE(client->stream->Read(&nothing));
  EXPECT_EQ(client->stream->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace squall

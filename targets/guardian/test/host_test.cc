// Fault hosts: their listeners, their channel, their second life.
#include <arpa/inet.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/guardian/test/harness.h"

namespace squall {
namespace {

using ::testing::HasSubstr;
using Case = guardian::v1::Event::EventCase;

// Connects and reads the line that the host answers: its pid. 0 = refused.
pid_t Ask(const std::string& address) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<uint16_t>(atoi(address.substr(address.rfind(':') + 1).c_str())));
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) return 0;
  const timeval limit{20, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  char text[32] = {};
  return read(fd.get(), text, sizeof(text) - 1) > 0 ? atoi(text) : -1;
}

guardian::v1::HostUp NextUp(Harness& harness) {
  const auto event = harness.Next(Case::kHostUp);
  EXPECT_TRUE(event.has_value());
  return event.has_value() ? event->host_up() : guardian::v1::HostUp();
}

TEST(HostTest, ServesItsListenersAndTheAgentHoldsItsChannel) {
  Harness harness;
  const guardian::v1::Reply reply = harness.SpawnHost("relay", true, true);
  ASSERT_EQ(reply.code(), 0) << reply.error();
  const guardian::v1::HostUp up = NextUp(harness);
  EXPECT_EQ(up.incarnation(), 1u);
  EXPECT_EQ(up.pid(), reply.pid());
  EXPECT_THAT(up.addresses().at("im/0"), HasSubstr("127.0.0.1:"));
  EXPECT_EQ(Ask(up.addresses().at("im/0")), up.pid());
  char hello[8] = {};
  EXPECT_EQ(read(harness.host_channel.get(), hello, sizeof(hello)), 5) << "what the host sent over its control fd";
}

TEST(HostTest, IsRespawnedWithTheSameListenersAndNoConnectIsRefused) {
  Harness harness;
  ASSERT_EQ(harness.SpawnHost("relay", true, true).code(), 0);
  guardian::v1::HostUp up = NextUp(harness);
  const std::string address = up.addresses().at("im/0");
  for (uint32_t round = 2; round <= 5; ++round) {
    harness.Kill(up.pid());
    EXPECT_GT(Ask(address), 0) << "refused or cut in round " << round;
    EXPECT_EQ(harness.Next(Case::kExited)->exited().key(), "relay");
    up = NextUp(harness);
    EXPECT_EQ(up.incarnation(), round);
    EXPECT_EQ(up.addresses().at("im/0"), address);
    EXPECT_EQ(Ask(address), up.pid());
  }
}

TEST(HostTest, WithoutRespawnItsEndIsToldAndTheKeyIsFree) {
  Harness harness;
  ASSERT_EQ(harness.SpawnHost("load", false, false).code(), 0);
  const guardian::v1::HostUp up = NextUp(harness);
  EXPECT_EQ(harness.SpawnHost("load", false, false).code(), static_cast<int>(absl::StatusCode::kAlreadyExists));
  ASSERT_EQ(harness.Signal("load", SIGTERM).code(), 0);
  EXPECT_EQ(harness.Next(Case::kExited)->exited().sent_signal(), SIGTERM);
  EXPECT_EQ(Ask(up.addresses().at("im/0")), 0) << "the listener is closed";
  EXPECT_EQ(harness.SpawnHost("load", false, false).code(), 0);
}

TEST(HostTest, TheRelayOutlivesTheAgentAndTheDriverDoesNot) {
  Harness harness({.attach = true});
  ASSERT_EQ(harness.Spawn("a/0", {"stay"}).code(), 0);
  ASSERT_EQ(harness.SpawnHost("relay", true, true).code(), 0);
  const guardian::v1::HostUp relay = NextUp(harness);
  ASSERT_EQ(harness.SpawnHost("load", false, true).code(), 0);
  const guardian::v1::HostUp driver = NextUp(harness);
  harness.Kill(harness.agent);
  EXPECT_TRUE(Eventually([&] { return !Alive(driver.pid()); }, kUndone));
  EXPECT_TRUE(Alive(relay.pid()));
  harness.Kill(relay.pid());
  const pid_t second = Ask(relay.addresses().at("im/0"));
  EXPECT_GT(second, 0) << "respawned although nobody is there to hear of it";
  EXPECT_NE(second, relay.pid());
  EXPECT_TRUE(Eventually([&] { return harness.Survivors().size() == 3; })) << "guardian, relay, target";
}

TEST(HostTest, AttachTheRelayEndsWithTheLastTarget) {
  Harness harness({.attach = true});
  const pid_t target = harness.Spawn("a/0", {"stay"}).pid();
  ASSERT_EQ(harness.SpawnHost("relay", true, true).code(), 0);
  NextUp(harness);
  harness.Kill(harness.agent);
  harness.Kill(target);
  EXPECT_TRUE(harness.guardian->Wait(kPatience).ok());
  EXPECT_TRUE(Eventually([&] { return harness.Survivors().empty(); }));
}

TEST(HostTest, GuardianKilledTheDriverGoesAndTheRelaySeesItsEnd) {
  Harness harness({.attach = true});
  ASSERT_EQ(harness.SpawnHost("relay", true, true).code(), 0);
  ASSERT_EQ(harness.SpawnHost("load", false, true).code(), 0);
  NextUp(harness);
  NextUp(harness);
  harness.Kill(harness.guardian->pid());
  EXPECT_TRUE(Eventually([&] { return harness.Survivors().empty(); }, kUndone)) << "the test's relay exits at that";
}

TEST(HostTest, TestModeGuardianKilledTakesEvenADeafRelayWithIt) {
  Harness harness;
  guardian::v1::Request request;
  guardian::v1::SpawnHost& spawn = *request.mutable_spawn_host();
  spawn.set_key("relay");
  spawn.set_outlives_agent(true);
  spawn.add_argv(Runfile("targets/guardian/test/target"));
  spawn.add_argv("deaf");
  spawn.set_output(harness.Output("relay"));
  ASSERT_EQ(harness.Call(request).code(), 0);
  ASSERT_NE(harness.FirstLine("relay"), "");
  harness.Kill(harness.guardian->pid());
  EXPECT_TRUE(Eventually([&] { return harness.Survivors().empty(); }, kUndone));
}

TEST(HostTest, AHostThatCannotBeStartedIsRefusedAndItsKeyIsFree) {
  Harness harness;
  guardian::v1::Request request;
  guardian::v1::SpawnHost& spawn = *request.mutable_spawn_host();
  spawn.set_key("relay");
  spawn.set_respawn(true);
  spawn.add_argv("/no/such/relay");
  EXPECT_EQ(harness.Call(request).code(), static_cast<int>(absl::StatusCode::kNotFound));
  EXPECT_EQ(harness.SpawnHost("relay", true, true).code(), 0);
}

TEST(HostTest, ListenersThatCannotBeBoundAreRefused) {
  Harness harness;
  ASSERT_EQ(harness.SpawnHost("relay", true, true).code(), 0);
  const std::string taken = NextUp(harness).addresses().at("im/0");
  for (const std::string& address : {taken, std::string("localhost:0"), std::string("127.0.0.1"), std::string(":0"),
                                     std::string("127.0.0.1:x"), std::string("192.0.2.1:0")}) {
    guardian::v1::Request request;
    guardian::v1::SpawnHost& spawn = *request.mutable_spawn_host();
    spawn.set_key("other");
    spawn.add_argv(Runfile("targets/guardian/test/target"));
    spawn.add_listeners()->set_address(address);
    const guardian::v1::Reply reply = harness.Call(request);
    EXPECT_NE(reply.code(), 0) << address;
    EXPECT_THAT(reply.error(), HasSubstr(address));
  }
}

}  // namespace
}  // namespace squall

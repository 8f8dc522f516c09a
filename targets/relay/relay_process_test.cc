// The program itself: whoever dies or falls silent, its faults go and its bytes flow.
#include <errno.h>

#include <string>

#include "gtest/gtest.h"
#include "targets/host/testing/host_process.h"
#include "targets/host/testing/sockets.h"

namespace squall {
namespace {

using testing::Dial;
using testing::HostProcess;
using testing::Now;
using testing::Read;
using testing::Server;
using testing::Write;

constexpr char kRelay[] = "targets/relay/squall-relay";
constexpr int64_t kLong = 30 * kSecond;  // a latency that no test waits out

class RelayProcessTest : public ::testing::Test {
 protected:
  RelayProcessTest()
      : server_(testing::Echo),
        listener_(testing::Listen()),
        port_(testing::PortOf(listener_.get())),
        host_(kRelay, {{"l/0", listener_.get()}}, {"--upstream=l/0=" + server_.address()}) {}

  int64_t Exchange(const UniqueFd& client) {
    const int64_t start = Now();
    Write(client.get(), "x");
    EXPECT_EQ(Read(client.get(), 1), "x");
    return Now() - start;
  }

  Server server_;
  UniqueFd listener_;
  int port_;
  HostProcess host_;
};

TEST_F(RelayProcessTest, ADelayIsArmedWitnessedAndLifted) {
  UniqueFd client = Dial(port_);
  Exchange(client);
  const auto armed = host_.ArmDelay("a", 100 * kMillisecond, 60 * kSecond);
  ASSERT_TRUE(armed.ok()) << armed.status();
  EXPECT_FALSE(armed->witness().effective());
  EXPECT_GE(Exchange(client), 200 * kMillisecond);  // both directions
  const auto lifted = host_.Lift("a");
  ASSERT_TRUE(lifted.ok()) << lifted.status();
  EXPECT_TRUE(lifted->witness().effective());
  EXPECT_TRUE(lifted->witness().gone());
  EXPECT_EQ(lifted->witness().count(), 2);
  EXPECT_FALSE(host_.ArmDelay("b", kSecond, kSecond, "l/1").ok());
}

TEST_F(RelayProcessTest, AClosedControlChannelLiftsAndTheRelayGoesOn) {
  UniqueFd client = Dial(port_);
  ASSERT_TRUE(host_.ArmDelay("a", kLong, 60 * kSecond).ok());
  Write(client.get(), "x");
  host_.CloseControl();
  EXPECT_EQ(Read(client.get(), 1), "x");
  EXPECT_LT(Exchange(Dial(port_)), 10 * kSecond);
  EXPECT_EQ(host_.Wait(0), -1000) << "it ended";
}

TEST_F(RelayProcessTest, ALapsedLeaseLiftsEvenBytesThatAreHeld) {
  UniqueFd client = Dial(port_);
  ASSERT_TRUE(host_.ArmDelay("a", kLong, 60 * kSecond).ok());
  Write(client.get(), "x");
  const int64_t lapse = Now() + 200 * kMillisecond;
  host_.lease.Extend(lapse);
  EXPECT_EQ(Read(client.get(), 1), "x");
  EXPECT_GE(Now(), lapse);
  EXPECT_LT(Now(), lapse + 5 * kSecond);
  const int64_t until = Now() + 5 * kSecond;
  while (host_.ended.empty() && Now() < until) host_.client().OnReadable();
  ASSERT_EQ(host_.ended.size(), 1);
  EXPECT_EQ(host_.ended[0].why(), "lease");
}

TEST_F(RelayProcessTest, TheDeadlineLifts) {
  UniqueFd client = Dial(port_);
  ASSERT_TRUE(host_.ArmDelay("a", kLong, 200 * kMillisecond).ok());
  EXPECT_LT(Exchange(client), 10 * kSecond);
  const int64_t until = Now() + 5 * kSecond;
  while (host_.ended.empty() && Now() < until) host_.client().OnReadable();
  ASSERT_EQ(host_.ended.size(), 1);
  EXPECT_EQ(host_.ended[0].why(), "deadline");
  EXPECT_TRUE(host_.ended[0].witness().gone());
}

TEST_F(RelayProcessTest, WithoutItsGuardianAnIdleRelayEnds) {
  ASSERT_TRUE(host_.Lift("nothing").ok());  // it is up
  host_.CloseGuardian();
  EXPECT_EQ(host_.Wait(10 * kSecond), 0);
}

TEST_F(RelayProcessTest, WithoutItsGuardianOpenStreamsRunToTheirEndAsPlainPipes) {
  UniqueFd client = Dial(port_);
  Exchange(client);
  ASSERT_TRUE(host_.ArmDelay("a", kLong, 60 * kSecond).ok());
  Write(client.get(), "x");
  host_.CloseGuardian();
  EXPECT_EQ(Read(client.get(), 1), "x");  // the held byte came at once
  EXPECT_LT(Exchange(client), 10 * kSecond);
  EXPECT_FALSE(host_.ArmDelay("b", kLong, 60 * kSecond).ok());
  EXPECT_EQ(host_.Wait(0), -1000) << "it ended with a stream open";
  client.reset();
  EXPECT_EQ(host_.Wait(10 * kSecond), 0);
}

TEST_F(RelayProcessTest, StatisticsComeByThemselves) {
  UniqueFd client = Dial(port_);
  Exchange(client);
  const auto series = [&](const std::string& metric) {
    for (const auto& one : host_.stats.series()) {
      if (one.metric() == metric && one.object() == "l/0") return one.value();
    }
    return -1.0;
  };
  const int64_t until = Now() + 5 * kSecond;
  while (series("link_bytes_total") < 1 && Now() < until) host_.client().OnReadable();
  EXPECT_EQ(series("link_bytes_total"), 1);
  EXPECT_EQ(series("link_connections"), 1);
  EXPECT_EQ(series("link_connections_total"), 1);
  EXPECT_EQ(series("link_held_bytes"), 0);
}

TEST(RelayProgramTest, BadArgumentsEndItWithTwo) {
  UniqueFd listener = testing::Listen();
  EXPECT_EQ(HostProcess(kRelay, {{"l/0", listener.get()}}, {}).Wait(10 * kSecond), 2);
  EXPECT_EQ(HostProcess(kRelay, {{"l/0", listener.get()}}, {"--upstream=l/0=localhost:1"}).Wait(10 * kSecond), 2);
  EXPECT_EQ(HostProcess(kRelay, {}, {"--upstream=l/0=127.0.0.1:1"}).Wait(10 * kSecond), 2);
  EXPECT_EQ(HostProcess(kRelay, {}, {"--nonsense"}).Wait(10 * kSecond), 2);
}

}  // namespace
}  // namespace squall

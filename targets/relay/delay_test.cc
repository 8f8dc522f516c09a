// What a delay on a link does, and that it ends.
#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "targets/host/testing/sockets.h"
#include "targets/relay/relay_rig.h"

namespace squall {
namespace {

using testing::Dial;
using testing::Echo;
using testing::FixedDelay;
using testing::Now;
using testing::Pattern;
using testing::Read;
using testing::ReadAll;
using testing::RelayRig;
using testing::Server;
using testing::Write;

constexpr int64_t kLate = kSecond;  // how late a thing may be on a busy machine

// Round trip of one byte, ns.
int64_t Exchange(int fd) {
  const int64_t start = Now();
  Write(fd, "x");
  EXPECT_EQ(Read(fd, 1), "x");
  return Now() - start;
}

TEST(DelayTest, TheFirstExchangeIsDelayedByAtLeastTheLatency) {
  Server server(Echo);
  RelayRig rig(server.address());
  rig.Add(std::make_shared<FixedDelay>(100 * kMillisecond, faults::v1::DOWNSTREAM));
  UniqueFd client = Dial(rig.port());
  const int64_t took = Exchange(client.get());
  EXPECT_GE(took, 100 * kMillisecond);
  EXPECT_LT(took, 100 * kMillisecond + kLate);
}

TEST(DelayTest, BothDirectionsAddUpAndTwoFaultsAddUp) {
  Server server(Echo);
  RelayRig rig(server.address());
  UniqueFd client = Dial(rig.port());
  rig.Add(std::make_shared<FixedDelay>(60 * kMillisecond));
  EXPECT_GE(Exchange(client.get()), 120 * kMillisecond);
  const uint64_t second = rig.Add(std::make_shared<FixedDelay>(50 * kMillisecond, faults::v1::UPSTREAM));
  EXPECT_GE(Exchange(client.get()), 170 * kMillisecond);
  rig.Remove(second);
  EXPECT_GE(Exchange(client.get()), 120 * kMillisecond);
}

TEST(DelayTest, TheOtherDirectionIsLeftAlone) {
  Server server([](int fd) { Write(fd, "hello"); });
  RelayRig rig(server.address());
  auto fault = std::make_shared<FixedDelay>(30 * kSecond, faults::v1::UPSTREAM);
  rig.Add(fault);
  const int64_t start = Now();
  UniqueFd client = Dial(rig.port());
  Write(client.get(), "waits");
  EXPECT_EQ(ReadAll(client.get()), "hello");
  EXPECT_LT(Now() - start, 10 * kSecond);
  EXPECT_EQ(fault->released, 0);
}

TEST(DelayTest, ThroughputIsKept) {
  constexpr size_t kBytes = 64 << 20;
  const std::string bytes = Pattern(kBytes);
  Server server([&](int fd) { Write(fd, bytes); });
  RelayRig rig(server.address());
  const auto fetch = [&](int64_t* first) {
    const int64_t start = Now();
    UniqueFd client = Dial(rig.port());
    std::string got = Read(client.get(), 1);
    *first = Now() - start;
    got += ReadAll(client.get());
    EXPECT_TRUE(got == bytes);
    return Now() - start;
  };
  int64_t first = 0;
  const int64_t plain = fetch(&first);
  rig.Add(std::make_shared<FixedDelay>(200 * kMillisecond, faults::v1::DOWNSTREAM));
  const int64_t delayed = fetch(&first);
  EXPECT_GE(first, 200 * kMillisecond);
  // A sleep a chunk would take 256 x 200 ms = 51 s at the least.
  EXPECT_LE(delayed, 3 * plain + 200 * kMillisecond + 2 * kLate);
}

TEST(DelayTest, ManySmallMessagesAreADelayLineToo) {
  Server server(Echo);
  RelayRig rig(server.address());
  rig.Add(std::make_shared<FixedDelay>(100 * kMillisecond, faults::v1::DOWNSTREAM));
  UniqueFd client = Dial(rig.port());
  const int64_t start = Now();
  std::thread writer([&] {
    for (int i = 0; i < 2000; ++i) Write(client.get(), "0123456789abcdef");
  });
  EXPECT_EQ(Read(client.get(), 2000 * 16).size(), 2000 * 16);
  writer.join();
  EXPECT_LT(Now() - start, 10 * kSecond);  // one after the other: 200 s
}

TEST(DelayTest, ConnectionsThatAreOpenGetTheDelayToo) {
  Server server(Echo);
  RelayRig rig(server.address());
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(Dial(rig.port()));
    Exchange(clients.back().get());
  }
  auto fault = std::make_shared<FixedDelay>(200 * kMillisecond, faults::v1::DOWNSTREAM);
  rig.Add(fault);
  EXPECT_EQ(fault->streams, 50);
  const int64_t start = Now();
  for (UniqueFd& client : clients) Write(client.get(), "x");
  for (UniqueFd& client : clients) {
    EXPECT_EQ(Read(client.get(), 1), "x");
    EXPECT_GE(Now() - start, 200 * kMillisecond);
  }
  EXPECT_LT(Now() - start, 200 * kMillisecond + 4 * kLate);
  EXPECT_EQ(fault->held_long_enough, 50);
}

// The source has ended, its bytes are held, and then the fault goes, or another comes in its place.
class EndOfStreamTest : public ::testing::TestWithParam<bool> {};

TEST_P(EndOfStreamTest, AFaultThatGoesLosesNothing) {
  const bool replace = GetParam();
  const std::string bytes = Pattern(100'000);
  Server server([&](int fd) { Write(fd, bytes); });
  RelayRig rig(server.address());
  for (int round = 0; round < 10; ++round) {
    const uint64_t id = rig.Add(std::make_shared<FixedDelay>(20 * kSecond, faults::v1::DOWNSTREAM));
    UniqueFd client = Dial(rig.port());
    std::future<std::string> all = std::async(std::launch::async, [&] {
      int error = 0;
      std::string got = ReadAll(client.get(), &error);
      EXPECT_EQ(error, 0);
      return got;
    });
    const int64_t until = Now() + round * 20 * kMillisecond;  // at another moment of the hold each round
    while (Now() < until) usleep(1000);
    const int64_t removed = Now();
    uint64_t other = 0;
    if (replace) other = rig.Add(std::make_shared<FixedDelay>(50 * kMillisecond, faults::v1::DOWNSTREAM));
    rig.Remove(id);
    EXPECT_TRUE(rig.Clear(id));
    EXPECT_TRUE(all.get() == bytes);
    EXPECT_LT(Now() - removed, kLate + 50 * kMillisecond);
    if (replace) rig.Remove(other);
  }
}

INSTANTIATE_TEST_SUITE_P(LiftAndReplace, EndOfStreamTest, ::testing::Bool());

TEST(DelayTest, TheEndOfAStreamIsDelayedLikeItsBytes) {
  Server server([](int) {});  // ends at once
  RelayRig rig(server.address());
  rig.Add(std::make_shared<FixedDelay>(150 * kMillisecond, faults::v1::DOWNSTREAM));
  const int64_t start = Now();
  UniqueFd client = Dial(rig.port());
  int error = 0;
  EXPECT_EQ(ReadAll(client.get(), &error), "");
  EXPECT_EQ(error, 0);
  EXPECT_GE(Now() - start, 150 * kMillisecond);
}

TEST(DelayTest, AResetTravelsBehindTheBytesBeforeIt) {
  Server server([](int fd) {
    Write(fd, "last words");
    Read(fd, 1);
    testing::ResetOnClose(fd);
  });
  RelayRig rig(server.address());
  rig.Add(std::make_shared<FixedDelay>(150 * kMillisecond, faults::v1::DOWNSTREAM));
  UniqueFd client = Dial(rig.port());
  const int64_t start = Now();
  Write(client.get(), "x");
  EXPECT_EQ(Read(client.get(), 10), "last words");
  int error = 0;
  ReadAll(client.get(), &error);
  EXPECT_EQ(error, ECONNRESET);
  EXPECT_GE(Now() - start, 150 * kMillisecond);
}

TEST(DelayTest, TheDeadlineEndsItWithoutHelp) {
  Server server([](int fd) { Write(fd, "hello"); });
  RelayRig rig(server.address());
  const int64_t start = Now();
  const uint64_t id = rig.Add(std::make_shared<FixedDelay>(30 * kSecond), 200 * kMillisecond);
  UniqueFd client = Dial(rig.port());
  EXPECT_EQ(ReadAll(client.get()), "hello");
  EXPECT_GE(Now() - start, 200 * kMillisecond);
  EXPECT_LT(Now() - start, 10 * kSecond);
  EXPECT_TRUE(rig.Clear(id));
}

TEST(DelayTest, ALapsedLeaseEndsItAtTheNextByte) {
  Server server(Echo);
  RelayRig rig(server.address());
  UniqueFd client = Dial(rig.port());
  const uint64_t id = rig.Add(std::make_shared<FixedDelay>(30 * kSecond));
  rig.lease.End();
  EXPECT_LT(Exchange(client.get()), 10 * kSecond);
  EXPECT_TRUE(rig.Clear(id));
  EXPECT_EQ(rig.Add(std::make_shared<FixedDelay>(kSecond)), 0) << "armed without a lease";
}

TEST(DelayTest, AFaultWithAPastDeadlineIsRefused) {
  Server server(Echo);
  RelayRig rig(server.address());
  EXPECT_EQ(rig.Add(std::make_shared<FixedDelay>(kSecond), 0), 0);
}

TEST(DelayTest, TheByteBudgetHoldsTheSenderBack) {
  Server server([](int fd) { Write(fd, Pattern(32 << 20)); });
  RelayLimits limits;
  limits.delayed = 4 << 20;
  RelayRig rig(server.address(), limits);
  const uint64_t id = rig.Add(std::make_shared<FixedDelay>(60 * kSecond, faults::v1::DOWNSTREAM));
  UniqueFd client = Dial(rig.port());
  const int64_t until = Now() + 5 * kSecond;
  while (rig.Series("link_held_bytes", "downstream") < (4 << 20) - 8192 && Now() < until) usleep(10'000);
  EXPECT_GE(rig.Series("link_held_bytes", "downstream"), (4 << 20) - 8192);
  const int64_t watched = Now() + 100 * kMillisecond;
  while (Now() < watched) {
    EXPECT_LE(rig.Series("link_held_bytes", "downstream"), 4 << 20);
    usleep(1000);
  }
  rig.Remove(id);
  EXPECT_TRUE(ReadAll(client.get()) == Pattern(32 << 20));
  EXPECT_EQ(rig.Series("link_held_bytes", "downstream"), 0);
}

TEST(DelayTest, ClientsThatLeaveTakeTheirHeldBytesAlong) {
  Server server([](int fd) {
    Write(fd, "never read");
    ReadAll(fd);
  });
  RelayRig rig(server.address());
  rig.Add(std::make_shared<FixedDelay>(60 * kSecond, faults::v1::DOWNSTREAM));
  for (int i = 0; i < 20; ++i) {
    UniqueFd client = Dial(rig.port());
    testing::ResetOnClose(client.get());
  }
  const int64_t until = Now() + 5 * kSecond;
  while ((rig.Series("link_held_bytes", "downstream") > 0 || rig.Series("link_connections") > 0) && Now() < until) {
    usleep(1000);
  }
  EXPECT_EQ(rig.Series("link_held_bytes", "downstream"), 0);
  EXPECT_EQ(rig.Series("link_connections"), 0);
}

}  // namespace
}  // namespace squall

// A relay without faults is a pipe.
#include "targets/relay/relay.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
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
using testing::Pattern;
using testing::Read;
using testing::ReadAll;
using testing::RelayRig;
using testing::Server;
using testing::Write;

int OpenDescriptors() {
  int count = 0;
  DIR* dir = opendir("/proc/self/fd");
  while (readdir(dir) != nullptr) ++count;
  closedir(dir);
  return count;
}

// True once the condition held, within 5 s.
template <typename Condition>
bool Eventually(Condition condition) {
  const int64_t until = testing::Now() + 5 * kSecond;
  while (testing::Now() < until) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return condition();
}

TEST(RelayTest, BytesPassUnchangedBothWays) {
  Server server(Echo);
  RelayRig rig(server.address());
  const std::string sent = Pattern(64 << 20);
  UniqueFd client = Dial(rig.port());
  std::thread writer([&] {
    Write(client.get(), sent);
    shutdown(client.get(), SHUT_WR);
  });
  int error = 0;
  const std::string got = ReadAll(client.get(), &error);
  writer.join();
  EXPECT_EQ(error, 0);
  EXPECT_TRUE(got == sent) << got.size() << " bytes of " << sent.size();
  EXPECT_EQ(rig.Series("link_bytes_total", "upstream"), static_cast<double>(sent.size()));
  EXPECT_EQ(rig.Series("link_bytes_total", "downstream"), static_cast<double>(sent.size()));
  EXPECT_EQ(rig.Series("link_held_bytes", "downstream"), 0);
}

TEST(RelayTest, AHalfClosedStreamStillCarriesTheAnswer) {
  Server server([](int fd) {
    const std::string all = ReadAll(fd);  // only ends when the half-close arrives
    Write(fd, "got " + std::to_string(all.size()));
  });
  RelayRig rig(server.address());
  UniqueFd client = Dial(rig.port());
  Write(client.get(), std::string(1000, 'x'));
  shutdown(client.get(), SHUT_WR);
  EXPECT_EQ(ReadAll(client.get()), "got 1000");
}

TEST(RelayTest, AResetOfTheServerReachesTheClientAsAReset) {
  Server server([](int fd) {
    Read(fd, 1);
    testing::ResetOnClose(fd);
  });
  RelayRig rig(server.address());
  UniqueFd client = Dial(rig.port());
  Write(client.get(), "x");
  int error = 0;
  EXPECT_EQ(ReadAll(client.get(), &error), "");
  EXPECT_EQ(error, ECONNRESET);
  EXPECT_TRUE(Eventually([&] { return rig.Series("link_connections") == 0; }));
}

TEST(RelayTest, AResetOfTheClientReachesTheServerAsAReset) {
  std::promise<int> error;
  Server server([&](int fd) {
    int number = 0;
    Write(fd, "hello");
    ReadAll(fd, &number);
    error.set_value(number);
  });
  RelayRig rig(server.address());
  {
    UniqueFd client = Dial(rig.port());
    EXPECT_EQ(Read(client.get(), 5), "hello");
    testing::ResetOnClose(client.get());
  }
  EXPECT_EQ(error.get_future().get(), ECONNRESET);
}

TEST(RelayTest, AResetAfterAHalfCloseIsStillAReset) {
  std::promise<int> error;
  Server server([&](int fd) {
    ReadAll(fd);  // the client's end
    Write(fd, "bye");
    int number = 0;
    // The client is gone now; the reset shows when we go on to write.
    for (int i = 0; i < 100'000 && number == 0; ++i) {
      if (send(fd, "x", 1, MSG_NOSIGNAL) < 0) number = errno;
    }
    error.set_value(number);
  });
  RelayRig rig(server.address());
  {
    UniqueFd client = Dial(rig.port());
    shutdown(client.get(), SHUT_WR);
    EXPECT_EQ(Read(client.get(), 3), "bye");
    testing::ResetOnClose(client.get());
  }
  const int number = error.get_future().get();
  EXPECT_TRUE(number == ECONNRESET || number == EPIPE) << number;
}

TEST(RelayTest, ARefusedTargetResetsTheClient) {
  int dead_port = 0;
  {
    UniqueFd listener = testing::Listen();
    dead_port = testing::PortOf(listener.get());
  }
  RelayRig rig("127.0.0.1:" + std::to_string(dead_port));
  UniqueFd client = Dial(rig.port());
  int error = 0;
  EXPECT_EQ(ReadAll(client.get(), &error), "");
  EXPECT_EQ(error, ECONNRESET);
  EXPECT_EQ(rig.Series("link_connect_failures_total"), 1);
  EXPECT_EQ(rig.Series("link_connections"), 0);
}

TEST(RelayTest, ASlowReceiverHoldsTheSenderBack) {
  Server server([](int fd) { Write(fd, Pattern(64 << 20)); });
  RelayRig rig(server.address());
  UniqueFd client = Dial(rig.port());
  EXPECT_EQ(Read(client.get(), 1000).size(), 1000);
  // It does not read on: kernel buffers fill, then the relay's 256 KiB, and no more is taken from the server.
  double last = -1;
  int64_t since = testing::Now();
  EXPECT_TRUE(Eventually([&] {
    const double bytes = rig.Series("link_bytes_total", "downstream");
    if (bytes != last) since = testing::Now();
    last = bytes;
    return testing::Now() - since > 100 * kMillisecond;
  }));
  EXPECT_LT(last, 32 << 20);
  EXPECT_EQ(Read(client.get(), (64 << 20) - 1000).size(), (64 << 20) - 1000);
}

TEST(RelayTest, ASecondLinkOfTheSameNameIsRefusedAndLeaksNothing) {
  Server server(Echo);
  RelayRig rig(server.address());
  const int before = OpenDescriptors();
  for (int i = 0; i < 1000; ++i) {
    UniqueFd listener = testing::Listen();
    rig.On([&] {
      const absl::Status status = rig.relay()->AddLink("l/0", std::move(listener), *ParseAddress(server.address()));
      EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
    });
  }
  EXPECT_EQ(OpenDescriptors(), before);
  UniqueFd client = Dial(rig.port());
  Write(client.get(), "still here");
  EXPECT_EQ(Read(client.get(), 10), "still here");
}

TEST(RelayTest, ManyConnectionsComeAndGoWithoutLeaks) {
  Server server(Echo);
  RelayRig rig(server.address());
  Dial(rig.port());
  const int before = OpenDescriptors();
  for (int i = 0; i < 300; ++i) {
    UniqueFd client = Dial(rig.port());
    Write(client.get(), "ping");
    EXPECT_EQ(Read(client.get(), 4), "ping");
    if (i % 3 == 0) testing::ResetOnClose(client.get());
  }
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() <= before; })) << OpenDescriptors() << " > " << before;
  EXPECT_EQ(rig.Series("link_connections_total"), 301);
}

TEST(RelayTest, OutOfDescriptorsNewConnectionsAreShedAndOldOnesGoOn) {
  Server server(Echo);
  RelayRig rig(server.address());
  UniqueFd old = Dial(rig.port());
  Write(old.get(), "a");
  EXPECT_EQ(Read(old.get(), 1), "a");
  UniqueFd late(socket(AF_INET, SOCK_STREAM, 0));
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  std::vector<UniqueFd> hogs;
  const rlimit tight{static_cast<rlim_t>(OpenDescriptors()) + 8, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &tight);
  for (UniqueFd hog(dup(0)); hog.valid(); hog.reset(dup(0))) hogs.push_back(std::move(hog));
  const auto address = *ParseAddress("127.0.0.1:" + std::to_string(rig.port()));
  ASSERT_EQ(connect(late.get(), address.get(), address.size), 0);
  int error = 0;
  ReadAll(late.get(), &error);
  EXPECT_EQ(error, ECONNRESET);
  Write(old.get(), "b");
  EXPECT_EQ(Read(old.get(), 1), "b");
  hogs.clear();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(rig.Series("link_shed_total"), 1);
  UniqueFd next = Dial(rig.port());
  Write(next.get(), "c");
  EXPECT_EQ(Read(next.get(), 1), "c");
}

TEST(RelayTest, WindingDownCarriesOpenStreamsToTheirEnd) {
  Server server(Echo);
  RelayRig rig(server.address());
  UniqueFd client = Dial(rig.port());
  Write(client.get(), "a");
  EXPECT_EQ(Read(client.get(), 1), "a");
  std::atomic<bool> idle{false};
  rig.On([&] { rig.relay()->Wind([&] { idle = true; }); });
  Write(client.get(), "b");
  EXPECT_EQ(Read(client.get(), 1), "b");
  EXPECT_FALSE(idle);
  client.reset();
  EXPECT_TRUE(Eventually([&] { return idle.load(); }));
}

TEST(RelayTest, PassiveLatencyIsReported) {
  Server server(Echo);
  RelayRig rig(server.address());
  UniqueFd client = Dial(rig.port());
  for (int i = 0; i < 100; ++i) {
    Write(client.get(), "ping");
    Read(client.get(), 4);
  }
  const double us = rig.Series("link_added_latency_us", "upstream");
  EXPECT_GT(us, 0);
  EXPECT_LT(us, 10'000);
  EXPECT_EQ(rig.Series("link_added_latency_us", "upstream"), -1) << "counted twice";
}

}  // namespace
}  // namespace squall

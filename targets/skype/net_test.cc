#include "targets/skype/net.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "targets/skype/dial.h"
#include "targets/skype/metrics_server.h"
#include "targets/skype/test_loop.h"

namespace skype {
namespace {

sockaddr_in To(int port) { return *ParseAddress("127.0.0.1:" + std::to_string(port)); }

TEST(LoopTest, TimersRunInTheOrderOfTheirTimes) {
  Loop loop;
  std::vector<int> order;
  const int64_t now = Loop::Now();
  loop.At(now + 2 * kMillisecond, [&] { order.push_back(2); });
  loop.At(now + kMillisecond, [&] { order.push_back(1); });
  Loop::Timer cancelled = loop.At(now + kMillisecond, [&] { order.push_back(9); });
  loop.Cancel(cancelled);
  EXPECT_TRUE(RunUntil(loop, [&] { return order.size() == 2; }));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(LoopTest, RunsTasksOfOtherThreads) {
  Loop loop;
  int sum = 0;
  std::thread thread([&] {
    for (int i = 1; i <= 100; ++i) loop.Post([&sum, i] { sum += i; });
  });
  EXPECT_TRUE(RunUntil(loop, [&] { return sum == 5050; }));
  thread.join();
}

TEST(LoopTest, AnEventForAClosedDescriptorDoesNotReachTheNextOneOfThatNumber) {
  Loop loop;
  int pair_a[2], pair_b[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair_a), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair_b), 0);
  int wrong = 0, closed = 0;
  // Both become readable in one round; whoever comes first replaces the other by a silent descriptor of the same
  // number.
  const auto replace = [&](int other) {
    ++closed;
    loop.Unwatch(other);
    close(other);
    const int fresh = dup(STDIN_FILENO);
    EXPECT_EQ(fresh, other);
    int silent[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, silent), 0);
    dup2(silent[0], other);
    loop.Watch(other, EPOLLIN, [&](uint32_t) { ++wrong; });
  };
  loop.Watch(pair_a[0], EPOLLIN, [&](uint32_t) { loop.Unwatch(pair_a[0]), replace(pair_b[0]); });
  loop.Watch(pair_b[0], EPOLLIN, [&](uint32_t) { loop.Unwatch(pair_b[0]), replace(pair_a[0]); });
  ASSERT_EQ(write(pair_a[1], "x", 1), 1);
  ASSERT_EQ(write(pair_b[1], "x", 1), 1);
  RunUntil(loop, [&] { return wrong > 0; }, 0.05);
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(wrong, 0);
}

TEST(AddressTest, TakesLoopbackWithAPortAndNothingElse) {
  EXPECT_TRUE(ParseAddress("127.0.0.1:80").ok());
  for (const char* bad :
       {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "10.0.0.1:80", "127.0.0.1:8x"}) {
    EXPECT_FALSE(ParseAddress(bad).ok()) << bad;
  }
}

TEST(DialTest, ARefusalIsKnownAtOnce) {
  const absl::StatusOr<int> holder = HoldLoopback(0);
  ASSERT_TRUE(holder.ok());
  EXPECT_EQ(Dialer().Dial(To(PortOf(*holder)), "hello").state, Dialed::kRefused);
  close(*holder);
}

TEST(DialTest, TheGreetingIsSentAtOnceWhereSomebodyListens) {
  const absl::StatusOr<int> listener = ListenLoopback(0);
  ASSERT_TRUE(listener.ok());
  const Dialed dialed = Dialer().Dial(To(PortOf(*listener)), "hello");
  ASSERT_EQ(dialed.state, Dialed::kSent);
  const int accepted = AcceptNonBlocking(*listener);
  char buffer[16];
  EXPECT_EQ(read(accepted, buffer, sizeof(buffer)), 5);
  close(accepted);
  close(dialed.fd);
  close(*listener);
}

TEST(DialTest, ManyRefusalsDoNotSpoilTheConnectionThatFollows) {
  const absl::StatusOr<int> holder = HoldLoopback(0);
  ASSERT_TRUE(holder.ok());
  const sockaddr_in to = To(PortOf(*holder));
  Dialer dialer;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(dialer.Dial(to, "hello").state, Dialed::kRefused);
  const absl::StatusOr<int> listener = ListenLoopback(PortOf(*holder));
  ASSERT_TRUE(listener.ok());
  const Dialed first = dialer.Dial(to, "hello"), second = dialer.Dial(to, "hello");
  EXPECT_EQ(first.state, Dialed::kSent);
  EXPECT_EQ(second.state, Dialed::kSent);
  EXPECT_NE(first.fd, second.fd);
  for (const int fd : {first.fd, second.fd, *listener, *holder}) close(fd);
}

TEST(HoldTest, TheHolderKeepsThePortAndLetsAListenerComeAndGo) {
  const absl::StatusOr<int> holder = HoldLoopback(0);
  ASSERT_TRUE(holder.ok());
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<int> listener = ListenLoopback(PortOf(*holder));
    ASSERT_TRUE(listener.ok()) << listener.status();
    EXPECT_FALSE(ListenLoopback(PortOf(*holder)).ok()) << "taken";
    close(*listener);
  }
  close(*holder);
}

TEST(HoldTest, AListenerTakesItsPortBackFromAnOutgoingConnectionOfOurs) {
  const absl::StatusOr<int> listener = ListenLoopback(0);
  ASSERT_TRUE(listener.ok());
  const Dialed dialed = Dialer().Dial(To(PortOf(*listener)), "hello");
  ASSERT_EQ(dialed.state, Dialed::kSent);
  const absl::StatusOr<int> back = ListenLoopback(PortOf(dialed.fd));
  EXPECT_TRUE(back.ok()) << back.status();
  if (back.ok()) close(*back);
  close(dialed.fd);
  close(*listener);
}

class MetricsServerTest : public testing::Test {
 protected:
  std::string Ask(const std::string& request) {
    const Dialed dialed = Dialer().Dial(To(server_.port()), request);
    std::string answer;
    RunUntil(loop_, [&] {
      char buffer[4096];
      const ssize_t count = recv(dialed.fd, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (count > 0) answer.append(buffer, count);
      return count == 0 || (count < 0 && errno != EAGAIN);
    });
    close(dialed.fd);
    return answer;
  }
  void SetUp() override { ASSERT_TRUE(server_.Listen(0).ok()); }

  Loop loop_;
  MetricsServer server_{&loop_, [](MetricsText& out) {
                          out.Counter("rejected_total", 3, "why=\"full\"");
                          out.Counter("rejected_total", 4, "why=\"shed\"");
                          out.Gauge("in_role", 1);
                        }};
};

TEST_F(MetricsServerTest, AnswersInPrometheusTextFormat) {
  const std::string answer = Ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(answer.substr(0, 15), "HTTP/1.0 200 OK");
  EXPECT_NE(answer.find("\r\n\r\n# TYPE rejected_total counter\nrejected_total{why=\"full\"} 3\n"
                        "rejected_total{why=\"shed\"} 4\n# TYPE in_role gauge\nin_role 1\n"),
            std::string::npos)
      << answer;
}

TEST_F(MetricsServerTest, AnswersOtherRequestsWithNotFoundAndFloodsWithSilence) {
  EXPECT_EQ(Ask("GET / HTTP/1.0\r\n\r\n").substr(0, 12), "HTTP/1.0 404");
  EXPECT_EQ(Ask("POST /metrics HTTP/1.0\r\n\r\n").substr(0, 12), "HTTP/1.0 404");
  EXPECT_EQ(Ask(std::string(100000, 'x')), "");
  EXPECT_EQ(Ask("GET /metrics HTTP/1.0\r\n\r\n").substr(0, 12), "HTTP/1.0 200");
}

}  // namespace
}  // namespace skype

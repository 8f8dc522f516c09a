#include "harness/agent/exchange.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "faults/core/unique_fd.h"
#include "gtest/gtest.h"
#include "harness/agent/http_get.h"

namespace squall {
namespace {

// A server for one connection that says `answer` and closes, or says nothing and stays.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer, bool silent = false) {
    listener_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_.get(), 4);
    getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
    thread_ = std::thread([this, answer = std::move(answer), silent] {
      UniqueFd peer(accept(listener_.get(), nullptr, nullptr));
      char buffer[1024];
      (void)!recv(peer.get(), buffer, sizeof(buffer), 0);
      if (silent) {
        (void)!recv(peer.get(), buffer, sizeof(buffer), 0);  // until the client has given up
        return;
      }
      (void)!send(peer.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    });
  }
  ~OneAnswer() { thread_.join(); }
  const std::string& address() const { return address_; }

 private:
  UniqueFd listener_;
  std::string address_;
  std::thread thread_;
};

absl::StatusOr<std::string> Ask(const std::string& address, const std::string& request, Exchange::Complete complete,
                                int64_t timeout_ns = 10 * kSecond) {
  RealClock clock;
  EventLoop loop(&clock);
  std::optional<absl::StatusOr<std::string>> result;
  const auto exchange = Exchange::Start(&loop, &clock, address, request, clock.Now() + timeout_ns, std::move(complete),
                                        [&](absl::StatusOr<std::string> answer) {
                                          result = std::move(answer);
                                          loop.Stop();
                                        });
  EXPECT_FALSE(result.has_value()) << "never inside Start";
  loop.Run();
  return *result;
}

TEST(Exchange, GivesTheAnswerOnceItIsComplete) {
  OneAnswer server("+PONG\r\n");
  const auto answer =
      Ask(server.address(), "PING\r\n", [](std::string_view so_far, bool) { return so_far.find('\n') != so_far.npos; });
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, "+PONG\r\n");
}

TEST(Exchange, ARefusedConnectionIsUnavailable) {
  UniqueFd holder(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));  // bound, not listening: nobody else gets the port
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(holder.get(), reinterpret_cast<sockaddr*>(&address), size);
  getsockname(holder.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const auto answer =
      Ask(absl::StrCat("127.0.0.1:", ntohs(address.sin_port)), "x", [](std::string_view, bool) { return false; });
  EXPECT_TRUE(absl::IsUnavailable(answer.status())) << answer.status();
}

TEST(Exchange, NonsenseAddressesAreInvalid) {
  const auto never = [](std::string_view, bool) { return false; };
  for (const char* address : {"", "localhost", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "host:80", "::1:80"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Ask(address, "", never).status())) << address;
  }
}

TEST(Exchange, ASilentServerRunsIntoTheDeadline) {
  OneAnswer server("", /*silent=*/true);
  const auto answer = Ask(server.address(), "x", [](std::string_view, bool) { return false; }, 50 * kMillisecond);
  EXPECT_TRUE(absl::IsDeadlineExceeded(answer.status())) << answer.status();
}

TEST(Exchange, AnEarlyCloseIsUnavailable) {
  OneAnswer server("half");
  const auto answer = Ask(server.address(), "x", [](std::string_view, bool) { return false; });
  EXPECT_TRUE(absl::IsUnavailable(answer.status())) << answer.status();
}

TEST(HttpGet, KnowsWhenAnAnswerIsWhole) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  EXPECT_FALSE(HttpAnswerComplete(head + "hell", false));
  EXPECT_TRUE(HttpAnswerComplete(head + "hello", false));
  EXPECT_FALSE(HttpAnswerComplete("HTTP/1.0 200 OK\r\n\r\nhello", false));
  EXPECT_TRUE(HttpAnswerComplete("HTTP/1.0 200 OK\r\n\r\nhello", true));
  EXPECT_TRUE(HttpAnswerComplete("SSH-2.0-OpenSSH\r\n", false));  // broken is as complete as it gets
}

TEST(HttpGet, GivesTheBodyOf200Only) {
  EXPECT_EQ(*HttpBody("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), "hello");
  EXPECT_EQ(*HttpBody("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), "abc");
  EXPECT_TRUE(absl::IsUnavailable(HttpBody("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").status()));
  EXPECT_TRUE(absl::IsDataLoss(HttpBody("garbage").status()));
}

}  // namespace
}  // namespace squall

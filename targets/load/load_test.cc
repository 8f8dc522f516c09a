// The driver against real servers on the loopback.
#include "targets/load/load.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "targets/host/testing/sockets.h"
#include "targets/load/driver.h"

namespace squall {
namespace {

using testing::Server;

// Answers each line with "+PONG\r\n"; notes when each came; can be frozen.
class Pong {
 public:
  Pong() : server_([this](int fd) { Serve(fd); }) {}

  std::string address() const { return server_.address(); }
  std::vector<int64_t> arrivals() {
    MutexLock lock(&mutex_);
    return arrivals_;
  }
  std::atomic<int64_t> frozen_until{0};
  std::atomic<int64_t> service_ns{0};

 private:
  void Serve(int fd) {
    while (true) {
      const std::string line = testing::Read(fd, 6);
      if (line.size() < 6) return;
      {
        MutexLock lock(&mutex_);
        arrivals_.push_back(testing::Now());
      }
      const int64_t until = std::max<int64_t>(frozen_until, testing::Now() + service_ns);
      while (testing::Now() < until) usleep(200);
      testing::Write(fd, "+PONG\r\n");
    }
  }
  Mutex mutex_;
  std::vector<int64_t> arrivals_ ABSL_GUARDED_BY(mutex_);
  Server server_;
};

class LoadTest : public ::testing::Test {
 protected:
  LoadTest() : lease_(*LeasePage::Create()), loop_(&clock_) { lease_.Extend(INT64_MAX); }

  host::v1::StartLoad Request(const std::string& address, double rate, uint32_t connections) {
    host::v1::StartLoad request;
    request.set_name("web");
    request.set_address(address);
    request.set_rate(rate);
    request.set_connections(connections);
    request.set_send("PING\r\n");
    request.set_expect("+PONG\r\n");
    // Time to connect first.
    request.set_start_ns(clock_.Now() + 50 * kMillisecond);
    return request;
  }
  std::unique_ptr<Load> Start(const host::v1::StartLoad& request) {
    auto load = Load::Create(&loop_, &clock_, &lease_, request);
    EXPECT_TRUE(load.ok()) << load.status();
    return *std::move(load);
  }
  void RunUntil(int64_t when) {
    while (clock_.Now() < when) loop_.RunOnce(std::min(when - clock_.Now(), 10 * kMillisecond));
  }
  static void ExpectSumsClose(const Load& load) {
    const Load::Counts& counts = load.counts();
    EXPECT_EQ(counts.scheduled, counts.sent + counts.unsent);
    EXPECT_EQ(counts.sent, counts.ok + counts.all_errors() + load.in_flight());
  }

  RealClock clock_;
  LeasePage lease_;
  EventLoop loop_;
};

TEST_F(LoadTest, EveryScheduledRequestIsSentAndAnswered) {
  Pong pong;
  const auto request = Request(pong.address(), 500, 50);
  auto load = Start(request);
  RunUntil(request.start_ns() + kSecond);
  EXPECT_NEAR(static_cast<double>(load->counts().scheduled), 500, 1);
  RunUntil(request.start_ns() + kSecond + 100 * kMillisecond);
  EXPECT_GT(load->counts().ok, 300);  // a busy machine may make the driver late
  EXPECT_EQ(load->counts().all_errors(), 0);
  ExpectSumsClose(*load);
}

TEST_F(LoadTest, ARampSendsTheAreaUnderItsRate) {
  Pong pong;
  auto request = Request(pong.address(), 0, 50);
  auto* stage = request.add_stages();
  stage->set_to(400);
  stage->set_over_ns(kSecond);
  stage = request.add_stages();
  stage->set_to(0);
  auto load = Start(request);
  RunUntil(request.start_ns() + kSecond + 200 * kMillisecond);
  EXPECT_NEAR(static_cast<double>(load->counts().scheduled), 200, 1);
  ExpectSumsClose(*load);
}

TEST_F(LoadTest, AStallOfTheServerShowsInTheLatencyFromTheDueTime) {
  Pong pong;
  auto request = Request(pong.address(), 100, 200);
  request.set_timeout_ns(5 * kSecond);
  auto load = Start(request);
  host::v1::HostStats stats;
  RunUntil(request.start_ns() + 200 * kMillisecond);
  pong.frozen_until = clock_.Now() + kSecond;
  RunUntil(pong.frozen_until + 300 * kMillisecond);
  // Of about 150 requests some 100 waited, evenly from 1 s to nothing. A closed loop would have sent one.
  EXPECT_GT(load->counts().sent, 110);
  EXPECT_EQ(load->counts().all_errors(), 0);
  EXPECT_GT(load->latency().Quantile(0.5), 100 * kMillisecond);
  EXPECT_GT(load->latency().Quantile(0.97), 800 * kMillisecond);
}

TEST_F(LoadTest, RequestsWithoutAFreeConnectionAreUnsentAndNeverCaughtUp) {
  Pong pong;
  auto request = Request(pong.address(), 100, 10);
  request.set_timeout_ns(5 * kSecond);
  auto load = Start(request);
  RunUntil(request.start_ns() + 300 * kMillisecond);
  pong.frozen_until = clock_.Now() + kSecond;
  RunUntil(pong.frozen_until + 500 * kMillisecond);
  const Load::Counts& counts = load->counts();
  EXPECT_GE(counts.unsent, 80);  // 100 due while it was frozen, 10 of them in flight
  ExpectSumsClose(*load);
  // No 100 ms hold more than the curve asks for (10, and one for the edges; as many again for what a busy machine
  // delays).
  const std::vector<int64_t> arrivals = pong.arrivals();
  for (size_t first = 0, last = 0; last < arrivals.size(); ++last) {
    while (arrivals[last] - arrivals[first] > 100 * kMillisecond) ++first;
    EXPECT_LE(last - first + 1, 21);
  }
}

TEST_F(LoadTest, ADriverThatWasStoppedDoesNotBurst) {
  Pong pong;
  const auto request = Request(pong.address(), 1000, 200);
  auto load = Start(request);
  RunUntil(request.start_ns() + 200 * kMillisecond);
  const size_t before = load->counts().sent;
  usleep(500'000);  // the loop does not run
  loop_.RunOnce(0);
  EXPECT_GE(load->counts().unsent, 400);
  EXPECT_LE(load->counts().sent - before, 55);  // the last 50 ms' worth
  ExpectSumsClose(*load);
}

TEST_F(LoadTest, LatencyIsTheServersOwnAtAnyRate) {
  Pong pong;
  pong.service_ns = 20 * kMillisecond;
  for (const double rate : {5.0, 100.0}) {
    const auto request = Request(pong.address(), rate, 50);
    auto load = Start(request);
    RunUntil(request.start_ns() + kSecond);
    EXPECT_GE(load->latency().Quantile(0), 20 * kMillisecond - 100'000) << rate;
    EXPECT_LE(load->latency().Quantile(0.5), 40 * kMillisecond) << rate;
  }
}

TEST_F(LoadTest, ErrorsAreCountedByCauseAndConnectionsComeBack) {
  {
    Server wrong([](int fd) {
      while (testing::Read(fd, 6).size() == 6) testing::Write(fd, "-ERR\r\n");
    });
    const auto request = Request(wrong.address(), 100, 5);
    auto load = Start(request);
    RunUntil(request.start_ns() + 300 * kMillisecond);
    EXPECT_GT(load->counts().errors[static_cast<int>(Cause::kMismatch)], 5);  // more than one a connection
    EXPECT_EQ(load->counts().ok, 0);
    ExpectSumsClose(*load);
  }
  {
    Server resets([](int fd) {
      testing::Read(fd, 6);
      testing::ResetOnClose(fd);
    });
    const auto request = Request(resets.address(), 100, 5);
    auto load = Start(request);
    RunUntil(request.start_ns() + 300 * kMillisecond);
    EXPECT_GT(load->counts().errors[static_cast<int>(Cause::kReset)], 5);
    ExpectSumsClose(*load);
  }
  {
    Server silent([](int fd) { testing::ReadAll(fd); });
    auto request = Request(silent.address(), 100, 5);
    request.set_timeout_ns(50 * kMillisecond);
    auto load = Start(request);
    RunUntil(request.start_ns() + 500 * kMillisecond);
    EXPECT_GT(load->counts().errors[static_cast<int>(Cause::kTimeout)], 5);
    ExpectSumsClose(*load);
  }
}

TEST_F(LoadTest, ADeadServerLeavesRequestsUnsentAndSaysThatItRefused) {
  std::string address;
  {
    UniqueFd listener = testing::Listen();
    address = testing::AddressOf(listener.get());
  }
  const auto request = Request(address, 100, 5);
  auto load = Start(request);
  RunUntil(request.start_ns() + 500 * kMillisecond);
  EXPECT_EQ(load->counts().sent, 0);
  EXPECT_GE(load->counts().unsent, 40);
  host::v1::HostStats stats;
  load->AddStats(&stats);
  double refused = 0;
  for (const auto& series : stats.series()) {
    if (series.metric() == "load_lost_connections_total" && series.labels().at("why") == "refused") {
      refused = series.value();
    }
  }
  EXPECT_GE(refused, 5);
}

TEST_F(LoadTest, ASpikeMultipliesTheRateAndRestoreEndsIt) {
  Pong pong;
  const auto request = Request(pong.address(), 100, 100);
  auto load = Start(request);
  RunUntil(request.start_ns() + 200 * kMillisecond);
  ASSERT_TRUE(load->Multiply(5, 0, clock_.Now() + 60 * kSecond).ok());
  EXPECT_EQ(load->Multiplier(), 5);
  EXPECT_EQ(load->Multiply(2, 0, clock_.Now() + kSecond).code(), absl::StatusCode::kFailedPrecondition);
  const size_t before = load->counts().scheduled;
  RunUntil(clock_.Now() + 400 * kMillisecond);
  EXPECT_GE(load->counts().scheduled - before, 195);
  EXPECT_GE(load->ExtraScheduled(), 150);
  ASSERT_TRUE(load->Restore().ok());
  ASSERT_TRUE(load->Restore().ok());
  EXPECT_EQ(load->Multiplier(), 1);
  const uint64_t extra = load->ExtraScheduled();
  const size_t after = load->counts().scheduled;
  const int64_t restored = clock_.Now();
  RunUntil(restored + 400 * kMillisecond);
  EXPECT_NEAR(static_cast<double>(load->counts().scheduled - after),
              100.0 * static_cast<double>(clock_.Now() - restored) / kSecond, 2);
  EXPECT_EQ(load->ExtraScheduled(), extra);
}

TEST_F(LoadTest, ASpikeEndsAtItsDeadlineAndWithTheLease) {
  Pong pong;
  const auto request = Request(pong.address(), 100, 100);
  auto load = Start(request);
  ASSERT_TRUE(load->Multiply(10, 0, request.start_ns() + 200 * kMillisecond).ok());
  RunUntil(request.start_ns() + 500 * kMillisecond);
  EXPECT_EQ(load->Multiplier(), 1);
  EXPECT_NEAR(static_cast<double>(load->counts().scheduled), 200 + 30, 3);
  EXPECT_NEAR(static_cast<double>(load->ExtraScheduled()), 180, 3);

  ASSERT_TRUE(load->Multiply(10, 0, clock_.Now() + 60 * kSecond).ok());
  lease_.End();
  EXPECT_EQ(load->Multiplier(), 1);
  const size_t before = load->counts().scheduled;
  const int64_t lapsed = clock_.Now();
  RunUntil(lapsed + 300 * kMillisecond);
  EXPECT_NEAR(static_cast<double>(load->counts().scheduled - before),
              100.0 * static_cast<double>(clock_.Now() - lapsed) / kSecond, 13);
  EXPECT_EQ(load->Multiply(2, 0, clock_.Now() + kSecond).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(LoadTest, TheSeriesAddUp) {
  Pong pong;
  const auto request = Request(pong.address(), 200, 20);
  auto load = Start(request);
  RunUntil(request.start_ns() + 500 * kMillisecond);
  host::v1::HostStats stats;
  load->AddStats(&stats);
  double scheduled = 0, rest = 0, p50 = 0, p99 = 0;
  for (const auto& series : stats.series()) {
    EXPECT_EQ(series.object(), "web");
    if (series.metric() == "load_scheduled_total") scheduled = series.value();
    if (series.metric() == "load_ok_total" || series.metric() == "load_unsent_total" ||
        series.metric() == "load_errors_total" || series.metric() == "load_in_flight") {
      rest += series.value();
    }
    if (series.metric() == "load_latency_ms") (series.labels().at("quantile") == "0.5" ? p50 : p99) = series.value();
  }
  EXPECT_GE(scheduled, 99);
  EXPECT_EQ(scheduled, rest);
  EXPECT_GT(p50, 0);
  EXPECT_GE(p99, p50);
}

TEST_F(LoadTest, BadRequestsAreRefusedByField) {
  LoadDriver driver(&loop_, &clock_, &lease_);
  const auto good = Request("127.0.0.1:1", 1, 1);
  const auto expect_refused = [&](auto change, const std::string& field) {
    host::v1::StartLoad bad = good;
    change(bad);
    const absl::Status status = driver.Start(bad);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_EQ(std::string(status.message()).rfind(field, 0), 0) << status;
  };
  expect_refused([](auto& r) { r.set_name(""); }, "name");
  expect_refused([](auto& r) { r.set_rate(-1); }, "rate");
  expect_refused([](auto& r) { r.set_rate(std::numeric_limits<double>::quiet_NaN()); }, "rate");
  expect_refused([](auto& r) { r.set_rate(std::numeric_limits<double>::infinity()); }, "rate");
  expect_refused([](auto& r) { r.set_connections(10'001); }, "connections");
  expect_refused([](auto& r) { r.set_timeout_ns(-1); }, "timeout");
  expect_refused([](auto& r) { r.add_stages()->set_to(-3); }, "stages");
  expect_refused([](auto& r) { r.add_stages()->set_over_ns(-3); }, "stages");
  host::v1::StartLoad nowhere = good;
  nowhere.set_address("web.example:80");
  EXPECT_EQ(driver.Start(nowhere).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(driver.Start(good).ok());
  EXPECT_EQ(driver.Start(good).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(driver.SeamsOf("other").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(driver.SeamsOf("web")->load, driver.FindLoad("web"));
}

}  // namespace
}  // namespace squall

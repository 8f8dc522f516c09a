// Whole shapes in real time, second by second, as the server sees them. Takes a minute: nightly.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "targets/host/testing/sockets.h"
#include "targets/load/load.h"

namespace squall {
namespace {

class LoadShapesTest : public ::testing::Test {
 protected:
  LoadShapesTest() : loop_(&clock_), server_([this](int fd) { Serve(fd); }) {}

  void Serve(int fd) {
    while (testing::Read(fd, 6).size() == 6) {
      {
        MutexLock lock(&mutex_);
        arrivals_.push_back(testing::Now());
      }
      while (testing::Now() < frozen_until_ && testing::Now() >= frozen_from_) usleep(500);
      testing::Write(fd, "+PONG\r\n");
    }
  }
  // Runs it for that long; the answers of the last requests come a little later.
  std::unique_ptr<Load> Run(host::v1::StartLoad request, int64_t for_ns) {
    request.set_name("web");
    request.set_address(server_.address());
    request.set_send("PING\r\n");
    request.set_timeout_ns(30 * kSecond);
    request.set_start_ns(start_);
    auto load = *Load::Create(&loop_, &clock_, nullptr, request);
    while (clock_.Now() < start_ + for_ns) loop_.RunOnce(std::min(start_ + for_ns - clock_.Now(), 10 * kMillisecond));
    return load;
  }
  std::vector<int> PerSecond(int seconds) {
    std::vector<int> counts(seconds, 0);
    MutexLock lock(&mutex_);
    for (int64_t at : arrivals_) {
      const int64_t second = (at - start_) / kSecond;
      if (second >= 0 && second < seconds) ++counts[second];
    }
    return counts;
  }
  int MostIn(int64_t window_ns) {
    MutexLock lock(&mutex_);
    std::sort(arrivals_.begin(), arrivals_.end());
    size_t most = 0;
    for (size_t first = 0, last = 0; last < arrivals_.size(); ++last) {
      while (arrivals_[last] - arrivals_[first] >= window_ns) ++first;
      most = std::max(most, last - first + 1);
    }
    return static_cast<int>(most);
  }

  RealClock clock_;
  EventLoop loop_;
  const int64_t start_ = RealClock().Now() + 300 * kMillisecond;
  std::atomic<int64_t> frozen_from_{0};
  std::atomic<int64_t> frozen_until_{0};
  Mutex mutex_;
  std::vector<int64_t> arrivals_ ABSL_GUARDED_BY(mutex_);
  testing::Server server_;
};

TEST_F(LoadShapesTest, AFrozenServerAndFewConnectionsLoseRequestsButCauseNoBurst) {
  frozen_from_ = start_ + 5 * kSecond;
  frozen_until_ = start_ + 7 * kSecond;
  host::v1::StartLoad request;
  request.set_rate(50);
  request.set_connections(20);
  const auto load = Run(request, 10 * kSecond);
  const std::vector<int> expected = {50, 50, 50, 50, 50, 20, 0, 50, 50, 50};
  const std::vector<int> counts = PerSecond(10);
  for (int s = 0; s < 10; ++s) EXPECT_NEAR(counts[s], expected[s], 1) << s;
  EXPECT_NEAR(static_cast<double>(load->counts().unsent), 80, 2);
  EXPECT_LE(MostIn(100 * kMillisecond), 7);
}

TEST_F(LoadShapesTest, AFrozenServerAndManyConnectionsLoseNothing) {
  frozen_from_ = start_ + 2 * kSecond;
  frozen_until_ = start_ + 4 * kSecond;
  host::v1::StartLoad request;
  request.set_rate(50);
  request.set_connections(200);
  const auto load = Run(request, 6 * kSecond);
  for (int count : PerSecond(6)) EXPECT_NEAR(count, 50, 1);
  EXPECT_EQ(load->counts().unsent, 0);
}

TEST_F(LoadShapesTest, RampUpHoldAndRampDownAreExactSecondBySecond) {
  host::v1::StartLoad request;
  request.set_connections(50);
  auto* stage = request.add_stages();
  stage->set_to(100);
  stage->set_over_ns(10 * kSecond);
  stage->set_hold_ns(10 * kSecond);
  stage = request.add_stages();
  stage->set_to(0);
  stage->set_over_ns(10 * kSecond);
  const auto load = Run(request, 31 * kSecond);
  EXPECT_NEAR(static_cast<double>(load->counts().sent), 2000, 1);
  const std::vector<int> counts = PerSecond(30);
  for (int s = 0; s < 10; ++s) EXPECT_NEAR(counts[s], 5 + 10 * s, 1) << s;
  for (int s = 10; s < 20; ++s) EXPECT_NEAR(counts[s], 100, 1) << s;
  for (int s = 20; s < 30; ++s) EXPECT_NEAR(counts[s], 95 - 10 * (s - 20), 1) << s;
}

}  // namespace
}  // namespace squall

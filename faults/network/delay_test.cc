#include "faults/network/delay.h"

#include <algorithm>
#include <map>
#include <vector>

#include "faults/seams/fakes.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using faults::v1::DOWNSTREAM;
using faults::v1::UPSTREAM;

class DelayTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<FaultKind>> Make(int64_t latency_ms, int64_t jitter_ms,
                                                  faults::v1::Direction direction = faults::v1::BOTH) {
    faults::v1::Delay params;
    for (auto [field, ms] : {std::pair{params.mutable_latency(), latency_ms}, {params.mutable_jitter(), jitter_ms}}) {
      field->set_seconds(ms / 1000);
      field->set_nanos(ms % 1000 * 1'000'000);
    }
    params.set_direction(direction);
    return DelayFault::Create(params);
  }
  absl::StatusOr<ArmedFault> Arm(int64_t latency_ms, int64_t jitter_ms,
                                 faults::v1::Direction direction = faults::v1::BOTH, uint64_t seed = 1) {
    auto kind = Make(latency_ms, jitter_ms, direction);
    if (!kind.ok()) return kind.status();
    return (*kind)->Arm({.link = &link_},
                        {.clock = &clock_, .deadline_ns = clock_.Now() + 60 * kSecond, .seed = seed, .site = "t/im/0"});
  }
  SimulatedClock clock_;
  FakeLink link_{&clock_};
};

TEST_F(DelayTest, EachChunkLeavesItsLatencyLater) {
  auto armed = Arm(3000, 0);
  ASSERT_TRUE(armed.ok()) << armed.status();
  link_.Send(0, UPSTREAM, 10);
  clock_.Advance(kSecond);
  link_.Send(0, DOWNSTREAM, 10);
  clock_.Advance(2 * kSecond - 1);
  EXPECT_TRUE(link_.Deliver().empty());
  clock_.Advance(1);
  EXPECT_EQ(link_.Deliver().size(), 1u);
  clock_.Advance(kSecond);
  ASSERT_EQ(link_.Deliver().size(), 2u);
  EXPECT_EQ(armed->Observe().detail(), "2 chunks held, 3-3 s");
}

// A delay line: a sleep for each chunk would need 1000 x 100 ms.
TEST_F(DelayTest, ThroughputStays) {
  auto armed = Arm(100, 0);
  ASSERT_TRUE(armed.ok());
  for (int i = 0; i < 1000; ++i) link_.Send(0, UPSTREAM, 1000);
  clock_.Advance(100 * kMillisecond);
  EXPECT_EQ(link_.Deliver().size(), 1000u);
}

TEST_F(DelayTest, OnlyTheNamedDirectionIsHeld) {
  auto armed = Arm(1000, 0, DOWNSTREAM);
  ASSERT_TRUE(armed.ok());
  link_.Send(0, UPSTREAM, 1);
  link_.Send(0, DOWNSTREAM, 1);
  ASSERT_EQ(link_.Deliver().size(), 1u);
  EXPECT_EQ(link_.Deliver()[0].direction, UPSTREAM);
}

TEST_F(DelayTest, NoDirectionMeansBoth) {
  auto armed = Arm(1000, 0, faults::v1::DIRECTION_UNSPECIFIED);
  ASSERT_TRUE(armed.ok());
  link_.Send(0, UPSTREAM, 1);
  link_.Send(0, DOWNSTREAM, 1);
  EXPECT_TRUE(link_.Deliver().empty());
}

TEST_F(DelayTest, JitterIsUniformAroundTheLatency) {
  auto armed = Arm(3000, 1500);
  ASSERT_TRUE(armed.ok());
  for (uint64_t stream = 0; stream < 3000; ++stream) link_.Send(stream, UPSTREAM, 1);
  clock_.Advance(5 * kSecond);
  const auto& chunks = link_.Deliver();
  ASSERT_EQ(chunks.size(), 3000u);
  int thirds[3] = {};
  for (const auto& chunk : chunks) {
    const int64_t held = chunk.left - chunk.came;
    ASSERT_GE(held, 1500 * kMillisecond);
    ASSERT_LE(held, 4500 * kMillisecond);
    ++thirds[std::min<int64_t>((held - 1500 * kMillisecond) / kSecond, 2)];
  }
  for (const int count : thirds) EXPECT_NEAR(count, 1000, 150);
}

TEST_F(DelayTest, NothingOvertakesInsideAStream) {
  auto armed = Arm(1000, 1000);
  ASSERT_TRUE(armed.ok());
  for (int i = 0; i < 500; ++i) {
    link_.Send(0, UPSTREAM, 1 + i);
    clock_.Advance(kMillisecond);
  }
  clock_.Advance(3 * kSecond);
  const auto& chunks = link_.Deliver();
  ASSERT_EQ(chunks.size(), 500u);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(chunks[i].bytes, 1u + i);
  EXPECT_TRUE(std::is_sorted(chunks.begin(), chunks.end(), [](auto& a, auto& b) { return a.left < b.left; }));
}

// The effect alone, without a link that keeps the order for it.
class Capture : public LinkSeam {
 public:
  absl::StatusOr<uint64_t> Add(std::shared_ptr<LinkFault> fault, int64_t) override {
    this->fault = std::move(fault);
    return 1;
  }
  absl::Status Remove(uint64_t) override { return absl::OkStatus(); }
  bool Clear(uint64_t) const override { return true; }
  std::shared_ptr<LinkFault> fault;
};

TEST_F(DelayTest, ReleaseTimesOfAStreamNeverFall) {
  Capture link;
  auto kind = Make(1000, 1000);
  auto armed = (*kind)->Arm({.link = &link}, {.clock = &clock_, .deadline_ns = clock_.Now() + kSecond, .seed = 3});
  ASSERT_TRUE(armed.ok());
  auto effect = link.fault->ForStream(UPSTREAM, 0);
  int64_t last = 0;
  for (int64_t now = 0; now < 1000; ++now) {
    const int64_t at = effect->ReleaseAt(now * kMillisecond, 1);
    ASSERT_GE(at, std::max(last, now * kMillisecond));
    last = at;
  }
}

TEST_F(DelayTest, DrawsRepeatBySeedAndDoNotDependOnOtherStreams) {
  Capture link;
  auto kind = Make(3000, 1500);
  const auto draw = [&](uint64_t seed, faults::v1::Direction direction, uint64_t stream) {
    auto armed =
        (*kind)->Arm({.link = &link}, {.clock = &clock_, .deadline_ns = clock_.Now() + 1, .seed = seed, .site = "x"});
    return link.fault->ForStream(direction, stream)->ReleaseAt(0, 1);
  };
  EXPECT_EQ(draw(1, UPSTREAM, 0), draw(1, UPSTREAM, 0));
  EXPECT_NE(draw(1, UPSTREAM, 0), draw(2, UPSTREAM, 0));
  EXPECT_NE(draw(1, UPSTREAM, 0), draw(1, UPSTREAM, 1));
  EXPECT_NE(draw(1, UPSTREAM, 0), draw(1, DOWNSTREAM, 0));
  EXPECT_NE(draw(1, UPSTREAM, 1), draw(1, UPSTREAM, 11));
}

TEST_F(DelayTest, LiftingLetsGoWhatIsQueuedAtOnceAndInOrder) {
  auto armed = Arm(10'000, 5000);
  ASSERT_TRUE(armed.ok());
  for (int i = 0; i < 10; ++i) link_.Send(0, UPSTREAM, i + 1);
  clock_.Advance(kSecond);
  EXPECT_TRUE(armed->Lift().ok());
  ASSERT_EQ(link_.Deliver().size(), 10u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(link_.Deliver()[i].bytes, i + 1u);
  EXPECT_TRUE(armed->Observe().gone());
  EXPECT_FALSE(armed->Observe().effective()) << "none was held as long as it should have been";
  EXPECT_EQ(armed->Observe().detail(), "no chunk was held to its end; 10 let go before their time");
}

TEST_F(DelayTest, EndsByItselfAtTheDeadline) {
  auto armed = Arm(1000, 0);
  ASSERT_TRUE(armed.ok());
  clock_.Advance(59'500 * kMillisecond);
  link_.Send(0, UPSTREAM, 1);
  EXPECT_FALSE(armed->Observe().gone());
  clock_.Advance(500 * kMillisecond);
  EXPECT_EQ(link_.Deliver().size(), 1u);
  EXPECT_TRUE(armed->Observe().gone());
}

TEST_F(DelayTest, WithoutTrafficItIsNotEffective) {
  auto armed = Arm(1000, 0);
  ASSERT_TRUE(armed.ok());
  clock_.Advance(10 * kSecond);
  EXPECT_FALSE(armed->Observe().effective());
}

TEST_F(DelayTest, SenselessParametersAreRefusedByName) {
  EXPECT_EQ(Make(0, 0).status().message(), "latency: must be in (0, 1h], is 0");
  EXPECT_EQ(Make(-5, 0).status().message(), "latency: must be in (0, 1h], is -5ms");
  EXPECT_EQ(Make(3'600'001, 0).status().message(), "latency: must be in (0, 1h], is 1h0.001s");
  EXPECT_EQ(Make(1000, 1001).status().message(), "jitter: must be at most the latency (1s), is 1.001s");
  EXPECT_EQ(Make(1000, -1).status().message(), "jitter: must be in [0, 1h], is -1ms");
  EXPECT_TRUE(Make(1000, 1000).ok());
  EXPECT_TRUE(Make(3'600'000, 0).ok());
  EXPECT_EQ(Make(1, 0, static_cast<faults::v1::Direction>(9)).status().message(), "direction: no such direction: 9");
}

}  // namespace
}  // namespace squall

#include "faults/core/event_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "faults/core/unique_fd.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

class EventLoopTest : public ::testing::Test {
 protected:
  EventLoopTest() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    reader_ = UniqueFd(ends[0]);
    writer_ = UniqueFd(ends[1]);
  }
  void Feed() { EXPECT_EQ(write(writer_.get(), "x", 1), 1); }

  RealClock clock_;
  EventLoop loop_{&clock_};
  UniqueFd reader_, writer_;
};

TEST_F(EventLoopTest, AReadableDescriptorCallsBackUntilItIsRead) {
  int calls = 0;
  loop_.Watch(reader_.get(), EPOLLIN, [&](uint32_t events) {
    EXPECT_TRUE(events & EPOLLIN);
    char c;
    if (++calls == 3) {
      EXPECT_EQ(read(reader_.get(), &c, 1), 1);
    }
  });
  loop_.RunOnce(0);
  EXPECT_EQ(calls, 0);
  Feed();
  for (int i = 0; i < 5; ++i) loop_.RunOnce(0);
  EXPECT_EQ(calls, 3);
}

TEST_F(EventLoopTest, WatchingAgainReplacesTheCallback) {
  int first = 0, second = 0;
  loop_.Watch(reader_.get(), EPOLLIN, [&](uint32_t) { ++first; });
  loop_.Watch(reader_.get(), EPOLLIN, [&](uint32_t) { ++second; });
  Feed();
  loop_.RunOnce(0);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST_F(EventLoopTest, ACallbackMayUnwatchItself) {
  auto witness = std::make_shared<int>(0);
  loop_.Watch(reader_.get(), EPOLLIN, [&, witness](uint32_t) {
    loop_.Unwatch(reader_.get());
    ++*witness;  // its captures must still be alive
  });
  Feed();
  loop_.RunOnce(0);
  loop_.RunOnce(0);
  EXPECT_EQ(*witness, 1);
  EXPECT_EQ(witness.use_count(), 1);
}

TEST_F(EventLoopTest, AReusedDescriptorNumberIsWatchedAnew) {
  int calls = 0;
  loop_.Watch(reader_.get(), EPOLLIN, [&](uint32_t) { calls += 100; });
  const int number = reader_.get();
  reader_.reset();  // closed without Unwatch
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd a(ends[0]), b(ends[1]);
  ASSERT_EQ(a.get(), number);
  loop_.Watch(number, EPOLLIN, [&](uint32_t) { ++calls; });
  ASSERT_EQ(write(b.get(), "x", 1), 1);
  loop_.RunOnce(0);
  EXPECT_EQ(calls, 1);
  loop_.Unwatch(number);
}

TEST_F(EventLoopTest, TimersRunInTheOrderOfTheirTimesNeverEarly) {
  std::string order;
  const int64_t now = clock_.Now();
  int64_t ran = 0;
  loop_.At(now + 20 * kMillisecond, [&] {
    order += 'c';
    ran = clock_.Now();
    loop_.Stop();
  });
  loop_.At(now - kSecond, [&] { order += 'a'; });
  loop_.At(now + 5 * kMillisecond, [&] { order += 'b'; });
  loop_.Run();
  EXPECT_EQ(order, "abc");
  EXPECT_GE(ran, now + 20 * kMillisecond);
}

TEST_F(EventLoopTest, ACancelledTimerDoesNotRun) {
  bool ran = false;
  EventLoop::TimerId other;
  other = loop_.At(2, [&] { ran = true; });
  loop_.At(1, [&] { loop_.Cancel(other); });  // due in the same round
  loop_.RunOnce(0);
  loop_.Cancel(other);
  loop_.RunOnce(0);
  EXPECT_FALSE(ran);
}

TEST_F(EventLoopTest, TasksOfOtherThreadsRunHereInOrder) {
  std::vector<int> seen;
  std::thread poster([&] {
    for (int i = 0; i < 1000; ++i) loop_.Post([&seen, i] { seen.push_back(i); });
    loop_.Post([&] { loop_.Stop(); });
  });
  loop_.Run();
  poster.join();
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(seen[i], i);
}

TEST_F(EventLoopTest, AWaitingLoopIsWokenByStop) {
  std::thread stopper([&] { loop_.Stop(); });
  loop_.Run();
  stopper.join();
}

TEST_F(EventLoopTest, ATaskMayPostATask) {
  int depth = 0;
  loop_.Post([&] {
    ++depth;
    loop_.Post([&] {
      ++depth;
      loop_.Stop();
    });
  });
  loop_.Run();
  EXPECT_EQ(depth, 2);
}

}  // namespace
}  // namespace squall

#include "targets/relay/delay_line.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace squall {
namespace {

struct Line {
  BlockPool pool;
  DelayLine line{&pool};
  std::vector<int64_t> held;

  void Put(const std::string& bytes) { line.fifo().Append(bytes.data(), bytes.size()); }
  void Hold(const std::string& bytes, int64_t now, DelayLine::Shares shares,
            DelayLine::End end = DelayLine::End::kNone) {
    Put(bytes);
    line.Hold(bytes.size(), now, std::move(shares), end);
  }
  void Advance(int64_t now) {
    line.Advance(now, [&](const DelayLine::Chunk& chunk) { held.push_back(now - chunk.came); });
  }
  std::string TakeDue() {
    std::string all;
    while (line.due() > 0) {
      iovec spans[ByteFifo::kSpans];
      const int count = line.fifo().Front(line.due(), spans);
      uint64_t bytes = 0;
      for (int i = 0; i < count; ++i) {
        all.append(static_cast<char*>(spans[i].iov_base), spans[i].iov_len);
        bytes += spans[i].iov_len;
      }
      line.Sent(bytes);
    }
    return all;
  }
};

TEST(DelayLineTest, ChunksLeaveWhenTheyAreDueAndNotBefore) {
  Line t;
  t.Hold("a", 100, {{1, 50}});
  t.Hold("b", 120, {{1, 50}});
  EXPECT_EQ(t.line.next(), 150);
  t.Advance(149);
  EXPECT_EQ(t.line.due(), 0);
  t.Advance(150);
  EXPECT_EQ(t.TakeDue(), "a");
  EXPECT_EQ(t.line.held(), 1);
  t.Advance(1000);
  EXPECT_EQ(t.TakeDue(), "b");
  EXPECT_EQ(t.held, std::vector<int64_t>({50, 880}));
  EXPECT_TRUE(t.line.empty());
}

TEST(DelayLineTest, AChunkNeverOvertakesAnother) {
  Line t;
  t.Hold("slow", 100, {{1, 500}});
  t.Hold("fast", 110, {{1, 5}});
  t.Advance(599);
  EXPECT_EQ(t.line.due(), 0);
  t.Advance(600);
  EXPECT_EQ(t.TakeDue(), "slowfast");
}

TEST(DelayLineTest, WhatPassesWaitsOnlyForWhatCameBefore) {
  Line t;
  t.Put("now");
  t.line.Pass(3, 100);
  EXPECT_EQ(t.TakeDue(), "now");
  t.Hold("held", 100, {{1, 50}});
  t.Put("behind");
  t.line.Pass(6, 110);
  EXPECT_EQ(t.line.due(), 0);
  t.Advance(150);
  EXPECT_EQ(t.TakeDue(), "heldbehind");
}

TEST(DelayLineTest, SharesAddUpAndForgettingOneLeavesTheOther) {
  Line t;
  t.Hold("a", 100, {{1, 500}, {2, 30}});
  EXPECT_EQ(t.line.next(), 630);
  t.line.Forget(1, 110);
  EXPECT_EQ(t.line.next(), 130);
  t.line.Forget(2, 120);
  t.Advance(120);
  EXPECT_EQ(t.TakeDue(), "a");
}

TEST(DelayLineTest, TheEndComesAfterTheLastByte) {
  Line t;
  t.Hold("a", 100, {{1, 50}});
  t.line.Hold(0, 101, {{1, 50}}, DelayLine::End::kFin);
  t.Advance(150);
  EXPECT_EQ(t.line.due_end(), DelayLine::End::kNone);
  t.Advance(151);
  EXPECT_EQ(t.line.due_end(), DelayLine::End::kFin);
  EXPECT_EQ(t.TakeDue(), "a");
  EXPECT_FALSE(t.line.empty());
}

TEST(BlockPoolTest, BlocksThatNobodyNeedsGoBackToTheKernel) {
  BlockPool pool;
  std::vector<char*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(pool.Take());
  for (char* block : blocks) pool.Give(block);
  EXPECT_EQ(pool.kept(), 10);
  pool.Trim();  // they were all in use since the last time
  EXPECT_EQ(pool.kept(), 10);
  char* const one = pool.Take();
  pool.Give(one);
  pool.Trim();
  EXPECT_EQ(pool.kept(), 1);
  pool.Trim();
  EXPECT_EQ(pool.kept(), 0);
}

TEST(ByteFifoTest, BytesKeepTheirOrderOverManyBlocks) {
  BlockPool pool;
  ByteFifo fifo(&pool);
  std::string put, got;
  for (int i = 0; i < 200; ++i) {
    const std::string part(7919 + i, static_cast<char>('a' + i % 26));
    fifo.Append(part.data(), part.size());
    put += part;
    iovec spans[ByteFifo::kSpans];
    const int count = fifo.Front(i % 7 * 1500, spans);
    uint64_t taken = 0;
    for (int s = 0; s < count; ++s) {
      got.append(static_cast<char*>(spans[s].iov_base), spans[s].iov_len);
      taken += spans[s].iov_len;
    }
    fifo.Consume(taken);
    EXPECT_EQ(fifo.size(), put.size() - got.size());
  }
  while (fifo.size() > 0) {
    iovec spans[ByteFifo::kSpans];
    const int count = fifo.Front(UINT64_MAX, spans);
    uint64_t taken = 0;
    for (int s = 0; s < count; ++s) {
      got.append(static_cast<char*>(spans[s].iov_base), spans[s].iov_len);
      taken += spans[s].iov_len;
    }
    fifo.Consume(taken);
  }
  EXPECT_TRUE(got == put);
}

TEST(ByteFifoTest, RoomThatIsNotFilledCostsNothing) {
  BlockPool pool;
  ByteFifo fifo(&pool);
  iovec spans[ByteFifo::kSpans];
  EXPECT_GT(fifo.Room(1 << 20, spans), 1);
  fifo.Commit(0);
  EXPECT_EQ(fifo.size(), 0);
  const int count = fifo.Room(1 << 20, spans);
  ASSERT_GT(count, 1);
  *static_cast<char*>(spans[0].iov_base) = 'x';
  fifo.Commit(1);
  ASSERT_EQ(fifo.Front(10, spans), 1);
  EXPECT_EQ(spans[0].iov_len, 1);
  EXPECT_EQ(*static_cast<char*>(spans[0].iov_base), 'x');
}

}  // namespace
}  // namespace squall

#include "targets/guardian/protocol.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/guardian/guardian.pb.h"

namespace squall {
namespace {

using ::testing::HasSubstr;

class ProtocolTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pair = MakeChannel();
    ASSERT_TRUE(pair.ok()) << pair.status();
    here_ = std::move(pair->first);
    there_ = std::move(pair->second);
  }
  guardian::v1::Request Message(uint64_t id, std::string key = "a/0") {
    guardian::v1::Request request;
    request.set_id(id);
    request.mutable_thaw()->set_key(key);
    return request;
  }
  UniqueFd here_, there_;
};

TEST_F(ProtocolTest, EveryMessageArrivesWholeAndInOrder) {
  for (uint64_t id = 1; id <= 3; ++id) ASSERT_TRUE(SendPacket(here_.get(), Message(id)).ok());
  for (uint64_t id = 1; id <= 3; ++id) {
    guardian::v1::Request got;
    ASSERT_TRUE(ReceivePacket(there_.get(), &got).ok());
    EXPECT_EQ(got.id(), id);
    EXPECT_EQ(got.thaw().key(), "a/0");
  }
}

TEST_F(ProtocolTest, NothingThereIsNotTheSameAsTheOtherSideGone) {
  guardian::v1::Request got;
  absl::Status nothing = ReceivePacket(there_.get(), &got);
  EXPECT_TRUE(WouldBlock(nothing)) << nothing;
  ASSERT_TRUE(SendPacket(here_.get(), Message(7)).ok());
  here_.reset();
  EXPECT_TRUE(ReceivePacket(there_.get(), &got).ok()) << "what was sent before is still read";
  EXPECT_EQ(got.id(), 7u);
  absl::Status gone = ReceivePacket(there_.get(), &got);
  EXPECT_TRUE(ChannelClosed(gone)) << gone;
  EXPECT_TRUE(ChannelClosed(SendPacket(there_.get(), Message(8))));
}

TEST_F(ProtocolTest, DescriptorsArriveOpenAndCloseOnExec) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  const int fds[] = {write_end.get(), there_.get()};
  ASSERT_TRUE(SendPacket(here_.get(), Message(1), fds).ok());
  guardian::v1::Request got;
  std::vector<UniqueFd> received;
  ASSERT_TRUE(ReceivePacket(there_.get(), &got, &received).ok());
  ASSERT_EQ(received.size(), 2u);
  EXPECT_TRUE(fcntl(received[0].get(), F_GETFD) & FD_CLOEXEC);
  ASSERT_EQ(write(received[0].get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(read_end.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
}

TEST_F(ProtocolTest, DescriptorsNobodyAskedForAreClosed) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  const int fds[] = {write_end.get()};
  ASSERT_TRUE(SendPacket(here_.get(), Message(1), fds).ok());
  write_end.reset();
  guardian::v1::Request got;
  ASSERT_TRUE(ReceivePacket(there_.get(), &got).ok());
  char byte;
  EXPECT_EQ(read(read_end.get(), &byte, 1), 0) << "no writer is left";
}

TEST_F(ProtocolTest, WhatCannotBeSentIsRefusedAndNothingIsSent) {
  EXPECT_EQ(SendPacket(here_.get(), guardian::v1::Request()).code(), absl::StatusCode::kInvalidArgument);
  absl::Status large = SendPacket(here_.get(), Message(1, std::string(kMaxPacketBytes, 'x')));
  EXPECT_EQ(large.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(large.message()), HasSubstr("131072"));
  const std::vector<int> many(kMaxPacketFds + 1, there_.get());
  EXPECT_EQ(SendPacket(here_.get(), Message(1), many).code(), absl::StatusCode::kInvalidArgument);
  guardian::v1::Request got;
  EXPECT_TRUE(WouldBlock(ReceivePacket(there_.get(), &got)));
}

TEST_F(ProtocolTest, TheLargestMessagePasses) {
  const std::string key(kMaxPacketBytes - 32, 'x');
  ASSERT_TRUE(SendPacket(here_.get(), Message(1, key)).ok());
  guardian::v1::Request got;
  ASSERT_TRUE(ReceivePacket(there_.get(), &got).ok());
  EXPECT_EQ(got.thaw().key(), key);
}

TEST_F(ProtocolTest, GarbageAndOversizeAreDataLossAndTheNextPacketStillArrives) {
  ASSERT_EQ(send(here_.get(), "\xff\xff\xff", 3, 0), 3);
  const std::string large(kMaxPacketBytes + 1, 'x');
  ASSERT_EQ(send(here_.get(), large.data(), large.size(), 0), static_cast<ssize_t>(large.size()));
  ASSERT_TRUE(SendPacket(here_.get(), Message(3)).ok());
  guardian::v1::Request got;
  EXPECT_EQ(ReceivePacket(there_.get(), &got).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(ReceivePacket(there_.get(), &got).code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(ReceivePacket(there_.get(), &got).ok());
  EXPECT_EQ(got.id(), 3u);
}

TEST_F(ProtocolTest, OutOfDescriptorsIsDataLossNotASilentMessage) {
  const int fds[] = {here_.get()};
  ASSERT_TRUE(SendPacket(here_.get(), Message(1), fds).ok());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  guardian::v1::Request got;
  std::vector<UniqueFd> received;
  absl::Status status = ReceivePacket(there_.get(), &got, &received);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
}

TEST_F(ProtocolTest, AFullChannelRefusesAndAWaitingSenderGetsThroughOnceThereIsRoom) {
  uint64_t sent = 0;
  while (SendPacket(here_.get(), Message(sent + 1, std::string(60000, 'x'))).ok()) ++sent;
  ASSERT_GT(sent, 0u);
  EXPECT_TRUE(WouldBlock(SendPacket(here_.get(), Message(1, std::string(60000, 'x')))));
  std::thread reader([&] {
    guardian::v1::Request got;
    for (uint64_t i = 0; i <= sent; ++i) {
      EXPECT_TRUE(ReceivePacket(there_.get(), &got, nullptr, 20'000'000'000).ok());
    }
  });
  EXPECT_TRUE(SendPacket(here_.get(), Message(1, std::string(60000, 'x')), {}, 20'000'000'000).ok());
  reader.join();
}

}  // namespace
}  // namespace squall

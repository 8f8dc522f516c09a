#include "targets/skype/frame.h"

#include <gtest/gtest.h>

#include <string>

#include "targets/skype/rng.h"

namespace skype {
namespace {

v1::Frame Login(uint64_t user) {
  v1::Frame frame;
  frame.mutable_login()->set_user(user);
  return frame;
}

TEST(FrameTest, SurvivesBeingCutAnywhere) {
  std::string stream;
  for (uint64_t user = 1; user <= 3; ++user) stream += EncodeFrame(Login(user << 40));
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameReader reader;
    v1::Frame frame;
    uint64_t next = 1;
    for (const std::string& part : {stream.substr(0, cut), stream.substr(cut)}) {
      reader.Append(part);
      for (;;) {
        const absl::StatusOr<bool> got = reader.Next(&frame);
        ASSERT_TRUE(got.ok()) << got.status();
        if (!*got) break;
        EXPECT_EQ(frame.login().user(), next++ << 40);
      }
    }
    EXPECT_EQ(next, 4);
    EXPECT_TRUE(reader.empty());
  }
}

TEST(FrameTest, ATruncatedFrameIsIncompleteNotWrong) {
  const std::string bytes = EncodeFrame(Login(77));
  for (size_t size = 0; size < bytes.size(); ++size) {
    FrameReader reader;
    reader.Append(std::string_view(bytes).substr(0, size));
    v1::Frame frame;
    const absl::StatusOr<bool> got = reader.Next(&frame);
    ASSERT_TRUE(got.ok());
    EXPECT_FALSE(*got);
  }
}

TEST(FrameTest, RefusesALengthAboveTheLimitBeforeTheBytesCome) {
  FrameReader reader;
  reader.Append(std::string_view("\x7f\xff\xff\xff", 4));
  v1::Frame frame;
  EXPECT_EQ(reader.Next(&frame).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(reader.Next(&frame).ok()) << "and stays refused";
}

TEST(FrameTest, TakesTheLargestFrameAndRefusesOneByteMore) {
  for (const uint32_t size : {uint32_t{kMaxFrame}, uint32_t{kMaxFrame} + 1}) {
    FrameReader reader;
    reader.Append(std::string{0, 0, static_cast<char>(size >> 8), static_cast<char>(size)});
    v1::Frame frame;
    EXPECT_EQ(reader.Next(&frame).ok(), size == kMaxFrame);
  }
}

TEST(FrameTest, RefusesAnEmptyFrame) {
  FrameReader reader;
  reader.Append(std::string(4, '\0'));
  v1::Frame frame;
  EXPECT_FALSE(reader.Next(&frame).ok());
}

TEST(FrameTest, RefusesBytesThatAreNoFrame) {
  FrameReader reader;
  reader.Append(std::string{0, 0, 0, 4, '\xff', '\xff', '\xff', '\xff'});
  v1::Frame frame;
  EXPECT_FALSE(reader.Next(&frame).ok());
}

TEST(FrameTest, RefusesAFrameOfAKindItDoesNotKnow) {
  FrameReader reader;
  reader.Append(std::string{0, 0, 0, 2, '\x78', '\x01'});  // field 15, varint 1
  v1::Frame frame;
  EXPECT_FALSE(reader.Next(&frame).ok());
}

TEST(FrameTest, RandomBytesNeverCrashAndNeverGrowWithoutBound) {
  Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    FrameReader reader;
    std::string bytes(rng.Below(200), '\0');
    for (char& byte : bytes) byte = static_cast<char>(rng.Bits());
    if (bytes.size() > 4 && round % 2 == 0) bytes[0] = bytes[1] = bytes[2] = 0;  // a length that fits
    reader.Append(bytes);
    v1::Frame frame;
    for (int i = 0; i < 100; ++i) {
      const absl::StatusOr<bool> got = reader.Next(&frame);
      if (!got.ok() || !*got) break;
    }
  }
}

}  // namespace
}  // namespace skype

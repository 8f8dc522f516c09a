#include "targets/process/log_tail.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace squall {
namespace {

class LogTailTest : public ::testing::Test {
 protected:
  LogTailTest() { unlink(path_.c_str()); }
  void Write(const std::string& text) {
    UniqueFd file(open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    ASSERT_EQ(write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::vector<std::string> Poll() {
    std::vector<std::string> lines;
    more_ = tail_.Poll([&](std::string_view line) { lines.emplace_back(line); });
    return lines;
  }
  std::vector<std::string> Flush() {
    std::vector<std::string> lines;
    tail_.Flush([&](std::string_view line) { lines.emplace_back(line); });
    return lines;
  }
  using Lines = std::vector<std::string>;

  const std::string path_ = ::testing::TempDir() + "/tail.log";
  LogTail tail_{path_};
  bool more_ = false;
};

TEST_F(LogTailTest, AFileThatDoesNotExistYetHasNoLines) {
  EXPECT_EQ(Poll(), Lines{});
  Write("now\n");
  EXPECT_EQ(Poll(), Lines{"now"});
}

TEST_F(LogTailTest, EachLineComesOnceAndOnlyWhenItIsWhole) {
  Write("one\ntw");
  EXPECT_EQ(Poll(), Lines{"one"});
  EXPECT_EQ(Poll(), Lines{});
  Write("o\n\nthree\n");
  EXPECT_EQ(Poll(), (Lines{"two", "", "three"}));
}

TEST_F(LogTailTest, AnUnfinishedLineIsHandedOverOnFlush) {
  Write("done\npanic: no newli");
  EXPECT_EQ(Poll(), Lines{"done"});
  EXPECT_EQ(Flush(), Lines{"panic: no newli"});
  EXPECT_EQ(Flush(), Lines{});
}

TEST_F(LogTailTest, ALongLineIsCutOnceAndItsRestIsNoLine) {
  const size_t longest = LogTail::kLongestLine;
  for (const size_t size : {longest - 1, longest, longest + 1, 2 * longest, 3 * longest + 7}) {
    Write(std::string(size, 'x') + "\nnext\n");
    Lines lines = Poll();
    while (more_) {
      for (auto& line : Poll()) lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 2u) << size;
    EXPECT_EQ(lines[0].size(), std::min(size, longest)) << size;
    EXPECT_EQ(lines[1], "next") << size;
  }
}

TEST_F(LogTailTest, BytesMayBeAnything) {
  const std::string binary("\0\xff\x80 ready\0", 9);
  Write(binary + "\n");
  EXPECT_EQ(Poll(), Lines{binary});
}

TEST_F(LogTailTest, OneRoundReadsABoundedAmountAndNothingIsLost) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i) + "\n";
  Write(text);
  ASSERT_GT(text.size(), 4 * LogTail::kMostPerPoll);
  Lines all = Poll();
  EXPECT_TRUE(more_);
  EXPECT_EQ(all.size(), static_cast<size_t>(LogTail::kMostLinesPerPoll));
  while (more_) {
    for (auto& line : Poll()) all.push_back(line);
  }
  ASSERT_EQ(all.size(), 200'000u);
  for (int i = 0; i < 200'000; ++i) ASSERT_EQ(all[i], std::to_string(i));
}

TEST_F(LogTailTest, LongLinesAreBoundedByTheirBytes) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::string(1000, 'x') + "\n";
  Write(text);
  EXPECT_LT(Poll().size(), 500u);
  EXPECT_TRUE(more_);
}

TEST_F(LogTailTest, ARestartForgetsWhatWasWrittenBefore) {
  Write("ready\nhalf a li");
  tail_.Restart();
  Write("ready again\n");
  EXPECT_EQ(Poll(), Lines{"ready again"}) << "the next incarnation begins a line";
}

TEST_F(LogTailTest, SkippingPassesOverTheRestOfALineThatHasBegun) {
  Write("a\nhalf");
  tail_.Skip();
  Write(" a line\nb\n");
  EXPECT_EQ(Poll(), Lines{"b"});
}

TEST_F(LogTailTest, TheLastLinesAreThoseOfTheEnd) {
  EXPECT_EQ(tail_.LastLines(3), "");
  Write("one\n");
  EXPECT_EQ(tail_.LastLines(3), "one");
  Write("two\nthree\nfour\n");
  EXPECT_EQ(tail_.LastLines(3), "two\nthree\nfour");
  EXPECT_EQ(tail_.LastLines(1), "four");
  EXPECT_EQ(tail_.LastLines(100), "one\ntwo\nthree\nfour");
  Write(std::string(10'000, 'x') + "\nend");
  EXPECT_EQ(tail_.LastLines(1), "end");
  EXPECT_LE(tail_.LastLines(5).size(), 4096u);
}

}  // namespace
}  // namespace squall

#include "harness/report/terminal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "harness/report/sample/report.h"
#include "harness/report/words/text.h"

namespace squall {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kLine[] =
    "t 12.3 s | run | trigger live | pool_floor HOLDS +12 | recovery UNKNOWN | retry_load VIOLATED -3";

TEST(LastScreen, SaysWhatWhenByHowMuchAfterWhatAndHowToRepeat) {
  const std::string screen = LastScreen(SampleReport(), "out", {.columns = 100});
  for (const char* text :
       {"FAIL: 2 of 4 invariants were violated\n", "✗ pool_floor was violated\n", "    when        17.3 s\n",
        "    by          10 supernodes\n", "    seen        pool was 2 at 24.1 s, must be >= 12\n",
        "    after       trigger (delay on link im), live since 12.0 s\n",
        "repeat  squall run examples/skype_2010/outage.yaml --seed 18446744073709551557\n", "report  out/report.html\n",
        "undefined: the invariant `recovery` never recovered", "note: the kernel counted 3 %"}) {
    EXPECT_THAT(screen, HasSubstr(text));
  }
}

TEST(LastScreen, IsPlainTextUnlessAskedForColour) {
  EXPECT_THAT(LastScreen(SampleReport(), "out", {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(LastScreen(SampleReport(), "out", {.color = true}), HasSubstr("\x1b[1;31mFAIL"));
}

TEST(LastScreen, KeepsToTheWidthButNeverBreaksTheCommand) {
  report::v1::RunReport report = SampleReport();
  const std::vector<std::string> lines = absl::StrSplit(LastScreen(report, "out", {.columns = 60}), '\n');
  for (const std::string& line : lines) {
    if (line.rfind("repeat", 0) == 0) continue;
    EXPECT_LE(Columns(line), 60) << line;
  }
  EXPECT_THAT(LastScreen(report, "out", {.columns = 60}), HasSubstr(report.replay().command()));
}

TEST(LastScreen, APlanCannotPlayWithTheTerminal) {
  report::v1::RunReport report = SampleReport();
  report.set_reason_detail(
      "\x1b[2J\x1b]0;owned\x07"
      "cleared\r\nnext");
  report.mutable_invariants(0)->set_name("pool\x1b[31m");
  const std::string screen = LastScreen(report, "out", {});
  EXPECT_THAT(screen, Not(HasSubstr("\x1b")));
  EXPECT_THAT(screen, Not(HasSubstr("\r")));
  EXPECT_THAT(screen, Not(HasSubstr("\x07")));
}

TEST(LastScreen, OfAnEmptyReportIsAnError) {
  EXPECT_THAT(LastScreen(report::v1::RunReport(), "", {}), HasSubstr("ERROR: "));
  EXPECT_THAT(LastScreen(report::v1::RunReport(), "", {}), Not(HasSubstr("report.html")));
}

TEST(StatusUpdate, IsALineOfItsOwnWhereThereIsNoTerminal) {
  EXPECT_EQ(StatusUpdate(kLine, {.columns = 200}), std::string(kLine) + "\n");
  EXPECT_EQ(ClearStatus({}), "");
}

TEST(StatusUpdate, ReplacesItselfOnATerminal) {
  const TerminalStyle style{.columns = 200, .in_place = true};
  EXPECT_THAT(StatusUpdate(kLine, style), StartsWith("\r\x1b[K"));
  EXPECT_THAT(StatusUpdate(kLine, style), Not(HasSubstr("\n")));
  EXPECT_EQ(ClearStatus(style), "\r\x1b[K");
}

TEST(StatusUpdate, CountsWhatDoesNotFit) {
  EXPECT_EQ(StatusUpdate(kLine, {.columns = 70}), "t 12.3 s | run | trigger live | pool_floor HOLDS +12 | +2 more\n");
}

TEST(StatusUpdate, NeverExceedsTheWidth) {
  const std::string wide = std::string(300, 'x') + " | " + std::string(300, 'y') + " | z";
  for (size_t columns = 40; columns < 140; ++columns) {
    for (const std::string& line : {std::string(kLine), wide}) {
      const std::string plain = StatusUpdate(line, {.columns = columns, .color = true, .in_place = true});
      EXPECT_LT(Columns(plain.substr(1)), columns) << plain;
    }
  }
}

TEST(StatusUpdate, ColoursByState) {
  const std::string line = StatusUpdate(kLine, {.columns = 200, .color = true});
  EXPECT_THAT(line, HasSubstr("\x1b[1;32mpool_floor HOLDS +12\x1b[0m"));
  EXPECT_THAT(line, HasSubstr("\x1b[1;33mrecovery UNKNOWN\x1b[0m"));
  EXPECT_THAT(line, HasSubstr("\x1b[1;31mretry_load VIOLATED -3\x1b[0m"));
}

TEST(StyleOf, AFileIsNoTerminal) {
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  const TerminalStyle style = StyleOf(fd, false);
  EXPECT_FALSE(style.color);
  EXPECT_FALSE(style.in_place);
  EXPECT_EQ(style.columns, 100);
  close(fd);
}

TEST(StyleOf, ATerminalHasColourUnlessTheUserSaysNo) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(master, 0);
  ASSERT_EQ(grantpt(master), 0);
  ASSERT_EQ(unlockpt(master), 0);
  const int fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_TRUE(StyleOf(fd, false).color);
  EXPECT_TRUE(StyleOf(fd, false).in_place);
  EXPECT_FALSE(StyleOf(fd, true).color);
  close(fd);
  close(master);
}

}  // namespace
}  // namespace squall

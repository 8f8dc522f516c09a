#include "harness/report/words/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace squall {
namespace {

TEST(Number, ReadsAsAPersonWouldWriteIt) {
  EXPECT_EQ(Number(12.3400001), "12.34");
  EXPECT_EQ(Number(0), "0");
  EXPECT_EQ(Number(-0.0), "0");
  EXPECT_EQ(Number(20000), "20000");
  EXPECT_EQ(Number(123456.789), "123457");
  EXPECT_EQ(Number(0.000123456), "0.0001235");
  EXPECT_EQ(Number(-8), "-8");
}

TEST(Number, SaysWhenThereIsNone) {
  EXPECT_EQ(Number(std::nan("")), "-");
  EXPECT_EQ(Number(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(Number(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Seconds, RoundsBeforeItCarriesIntoMinutes) {
  EXPECT_EQ(Seconds(17.25), "17.2 s");
  EXPECT_EQ(Seconds(59.96), "1 min 0.0 s");
  EXPECT_EQ(Seconds(125), "2 min 5.0 s");
  EXPECT_EQ(Seconds(-125), "-2 min 5.0 s");
  EXPECT_EQ(Seconds(std::nan("")), "-");
}

TEST(WithUnit, PutsPercentNextToTheNumber) {
  EXPECT_EQ(WithUnit(8, "ms"), "8 ms");
  EXPECT_EQ(WithUnit(8, "%"), "8%");
  EXPECT_EQ(WithUnit(8, ""), "8");
}

TEST(CleanUtf8, KeepsWhatIsValidAndReplacesTheRest) {
  EXPECT_EQ(CleanUtf8("naïve €  😀"), "naïve €  😀");
  EXPECT_EQ(CleanUtf8("a\xFF"
                      "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(CleanUtf8("\xC3"), "\xEF\xBF\xBD");                              // cut off
  EXPECT_EQ(CleanUtf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");              // overlong "/"
  EXPECT_EQ(CleanUtf8("\xED\xA0\x80").find("\xED\xA0"), std::string::npos);  // surrogate
  EXPECT_EQ(CleanUtf8("\xF4\x90\x80\x80").find("\xF4"), std::string::npos);  // beyond U+10FFFF
}

TEST(Printable, CannotMoveTheCursor) {
  EXPECT_EQ(Printable("a\x1b[2Jb\nc\rd\x7f"), "a [2Jb c d ");
  EXPECT_EQ(Printable("a\xC2\x9B"
                      "2J"),
            "a 2J");  // the one-character CSI
}

TEST(HtmlEscape, LeavesNoWayOutOfTextOrAttribute) {
  EXPECT_EQ(HtmlEscape("<a href=\"x\" o='y'>&"), "&lt;a href=&quot;x&quot; o=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(HtmlEscape(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ScriptJson, CannotCloseTheScript) {
  const std::string safe = ScriptJson(R"({"n":"</script><!-- &"})");
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(safe, R"({"n":"\u003c/script\u003e\u003c!-- \u0026"})");
  EXPECT_EQ(ScriptJson("\xE2\x80\xA8"), "\\u2028");
}

TEST(Columns, CountsCharactersAndNoColours) {
  EXPECT_EQ(Columns("naïve €"), 7);
  EXPECT_EQ(Columns("\x1b[1;31mFAIL\x1b[0m"), 4);
  EXPECT_EQ(Columns(""), 0);
}

TEST(Shorten, KeepsTheWidthAndShowsTheCut) {
  EXPECT_EQ(Shorten("pool_floor", 20), "pool_floor");
  EXPECT_EQ(Shorten("pool_floor", 5), "pool…");
  EXPECT_EQ(Columns(Shorten("ïïïïïïïï", 3)), 3);
  EXPECT_EQ(Shorten("pool", 0), "");
}

TEST(Wrap, BreaksBetweenWordsOnly) {
  EXPECT_EQ(Wrap("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(Wrap("extraordinarily long", 5, 0), "extraordinarily\nlong");
}

}  // namespace
}  // namespace squall

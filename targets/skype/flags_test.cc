#include "targets/skype/flags.h"

#include <gtest/gtest.h>

namespace skype {
namespace {

Flags Of(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  return Flags(static_cast<int>(arguments.size()), arguments.data());
}

TEST(FlagsTest, ReadsEachKindAndFallsBack) {
  Flags flags = Of({"--port=7", "--share=0.25", "--shed=yes", "--version=5.0.0.152", "--support=a=b"});
  EXPECT_EQ(flags.Int("port", 0, 0, 65535), 7);
  EXPECT_EQ(flags.Number("share", 1, 0, 1), 0.25);
  EXPECT_TRUE(flags.YesNo("shed", false));
  EXPECT_EQ(flags.Text("version", ""), "5.0.0.152");
  EXPECT_EQ(flags.Text("support", ""), "a=b");
  EXPECT_EQ(flags.Int("seed", 42, 0, 100), 42);
  EXPECT_TRUE(flags.Check().ok());
}

TEST(FlagsTest, ComplainsAboutEverythingAtOnce) {
  Flags flags = Of({"--port=70000", "--share=nan", "--shed=maybe", "--typo=1", "loose", "--seed=1", "--seed=2"});
  flags.Int("port", 0, 0, 65535);
  flags.Number("share", 1, 0, 1);
  flags.YesNo("shed", false);
  flags.Int("seed", 0, 0, 9);
  const std::string message(flags.Check().message());
  for (const char* part : {"--port: a whole number in [0, 65535]", "--share", "--shed: one of yes, no",
                           "no such flag: --typo", "not --name=value: loose", "given twice: --seed"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
}

}  // namespace
}  // namespace skype

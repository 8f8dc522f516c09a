// check and explain: what is wrong is said with its place and exit code 2, and nothing is ever started or written.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "harness/cli/test/program.h"

namespace squall {
namespace {

namespace fs = std::filesystem;
constexpr char kSquall[] = "harness/cli/squall";
constexpr char kPlan[] = "harness/cli/test/hang.yaml";
constexpr char kUgly[] = "harness/plan/testdata/ugly";

TEST(Check, TheGoodPlanIsGood) {
  const Ended ended = RunProgram({OurProgram(kSquall), "check", OurProgram(kPlan)});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("ok"), std::string::npos);
}

TEST(Check, EveryUglyPlanIsRefusedWithItsPlace) {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(OurProgram(kUgly))) {
    const std::string path = entry.path().string();
    const Ended ended = RunProgram({OurProgram(kSquall), "check", path});
    EXPECT_EQ(ended.code, 2) << path << "\n" << ended.out << ended.err;
    EXPECT_NE(ended.err.find(entry.path().filename().string() + ":"), std::string::npos) << path << "\n" << ended.err;
    ++count;
  }
  EXPECT_GE(count, 50u);
}

TEST(Check, HugeMissingAndStrangeFilesAreRefusedAtOnceInLittleMemory) {
  const std::string directory = ShortDirectory();
  std::ofstream(directory + "/huge.yaml") << std::string(10 << 20, 'a');
  for (const std::string& path :
       {directory + "/huge.yaml", directory + "/missing.yaml", directory, std::string("/dev/null")}) {
    const Ended ended = RunProgram({OurProgram(kSquall), "check", path});
    EXPECT_EQ(ended.code, 2) << path;
    EXPECT_NE(ended.err.find(path), std::string::npos) << ended.err;
  }
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  EXPECT_LT(used.ru_maxrss, 256 << 10) << "KiB, of the largest of all these runs";
}

TEST(Explain, NamesWhomItWouldHitAndTouchesNothing) {
  const std::string directory = ShortDirectory();
  const std::string marker = directory + "/marker";
  std::ofstream(directory + "/server") << "#!/bin/sh\ntouch " << marker << "\n";
  fs::permissions(directory + "/server", fs::perms::owner_all);
  const Ended ended = RunProgram({OurProgram(kSquall), "explain", OurProgram(kPlan), "--seed=3",
                                  absl::StrCat("--bin=server=", directory, "/server")},
                                 directory);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("would be armed on cache/0"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("would be armed on in/0"), std::string::npos) << ended.out;
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) files.insert(entry.path().filename());
  EXPECT_EQ(files, std::set<std::string>{"server"}) << "no file was made, the target did not run";
}

TEST(Explain, TheSameSeedExplainsTheSame) {
  const auto explain = [](const std::string& seed) {
    return RunProgram({OurProgram(kSquall), "explain", OurProgram(kPlan), absl::StrCat("--seed=", seed)}).out;
  };
  EXPECT_EQ(explain("5"), explain("5"));
}

TEST(Usage, MistakesExitWith2AndHelpShowsAnExample) {
  EXPECT_EQ(RunProgram({OurProgram(kSquall)}).code, 2);
  EXPECT_EQ(RunProgram({OurProgram(kSquall), "rnu"}).code, 2);
  EXPECT_EQ(RunProgram({OurProgram(kSquall), "run", OurProgram(kPlan), "--set", "nonsense"}).code, 2);
  EXPECT_EQ(RunProgram({OurProgram(kSquall), "run", OurProgram(kPlan), "--set", "leese=1s"}).code, 2);
  EXPECT_EQ(RunProgram({OurProgram(kSquall), "controller", "--listen=0.0.0.0:1"}).code, 2);
  EXPECT_EQ(RunProgram({OurProgram(kSquall), "agent"}).code, 2);
  for (const char* command : {"run", "check", "explain", "agent", "controller", "arm", "lift", "list", "halt"}) {
    const Ended help = RunProgram({OurProgram(kSquall), command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Example"), std::string::npos) << command;
  }
  EXPECT_EQ(RunProgram({OurProgram(kSquall), "version"}).out.rfind("squall ", 0), 0u);
}

}  // namespace
}  // namespace squall

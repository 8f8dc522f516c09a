#include "faults/process/signal_name.h"

#include <signal.h>

#include "gtest/gtest.h"

namespace squall {
namespace {

TEST(SignalNameTest, PrefixAndCaseDoNotMatter) {
  for (const char* name : {"ABRT", "SIGABRT", "abrt", "SigAbrt"}) EXPECT_EQ(*SignalByName(name), SIGABRT) << name;
  EXPECT_EQ(*SignalByName("KILL"), SIGKILL);
  EXPECT_EQ(*SignalByName("USR2"), SIGUSR2);
}

TEST(SignalNameTest, EveryNamedSignalIsFoundByItsName) {
  for (int signo = 1; signo < 32; ++signo) EXPECT_EQ(*SignalByName(SignalName(signo)), signo);
}

TEST(SignalNameTest, AnUnknownNameGetsItsNearMatch) {
  EXPECT_EQ(SignalByName("ABORT").status().message(), "unknown signal \"ABORT\"; did you mean ABRT?");
  EXPECT_EQ(SignalByName("SIGKIL").status().message(), "unknown signal \"SIGKIL\"; did you mean KILL?");
  EXPECT_EQ(SignalByName("explode").status().message(), "unknown signal \"explode\"");
  for (const char* name : {"", "SIG", "9", "KILL ", "KILL\n"}) EXPECT_FALSE(SignalByName(name).ok()) << name;
}

TEST(SignalNameTest, StopAndItsKinEndNoProcess) {
  for (const int signo : {SIGSTOP, SIGTSTP, SIGCONT, SIGCHLD, SIGWINCH, SIGURG}) EXPECT_FALSE(EndsByDefault(signo));
  for (const int signo : {SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGHUP, SIGUSR1}) EXPECT_TRUE(EndsByDefault(signo));
}

}  // namespace
}  // namespace squall

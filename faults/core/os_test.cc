#include "faults/core/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "faults/core/atomic_file.h"
#include "faults/core/unique_fd.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

std::string TestPath(const std::string& name) { return ::testing::TempDir() + "/" + name; }

std::string ReadAll(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(OsTest, AForkedChildCanBeSignalledAndReapedByItsPidfd) {
  int raw = -1;
  const pid_t pid = RealOs()->Fork(&raw);
  if (pid == 0) {
    pause();
    _exit(0);
  }
  ASSERT_GT(pid, 0);
  UniqueFd pidfd(raw);
  EXPECT_TRUE(fcntl(pidfd.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_EQ(RealOs()->SendSignal(pidfd.get(), SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(RealOs()->Wait(pid, &status, 0, nullptr), pid);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(RealOs()->SendSignal(pidfd.get(), SIGKILL), -1);
  EXPECT_EQ(errno, ESRCH) << "the number may be another's by now, the pidfd never is";
}

TEST(OsTest, DescriptorsComeCloseOnExec) {
  UniqueFd file(RealOs()->Open(TestPath("cloexec").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_TRUE(file.valid());
  EXPECT_TRUE(fcntl(file.get(), F_GETFD) & FD_CLOEXEC);
  int ends[2];
  ASSERT_EQ(RealOs()->SocketPair(SOCK_SEQPACKET, ends), 0);
  UniqueFd a(ends[0]), b(ends[1]);
  EXPECT_TRUE(fcntl(a.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(fcntl(b.get(), F_GETFD) & FD_CLOEXEC);
}

TEST(FailingOsTest, OnlyTheNthCallFailsAndItIsNotMade) {
  FailingOs os(RealOs(), 2, EMFILE);
  const std::string path = TestPath("nth");
  unlink(path.c_str());
  UniqueFd first(os.Open(TestPath("first").c_str(), O_WRONLY | O_CREAT, 0600));
  EXPECT_TRUE(first.valid());
  EXPECT_FALSE(os.tripped());
  EXPECT_EQ(os.Open(path.c_str(), O_WRONLY | O_CREAT, 0600), -1);
  EXPECT_EQ(errno, EMFILE);
  EXPECT_TRUE(os.tripped());
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  EXPECT_EQ(os.Fsync(first.get()), 0);
}

TEST(FailingOsTest, EveryCallOfTheInterfaceCounts) {
  FailingOs os(RealOs(), 100, EIO);
  int ends[2], pidfd;
  EXPECT_EQ(os.SocketPair(SOCK_STREAM, ends), 0);
  UniqueFd a(ends[0]), b(ends[1]);
  os.Listen(-1, 1);
  os.Write(-1, "", 0);
  os.Fsync(-1);
  os.Rename("", "");
  os.PidfdOpen(-1);
  os.SendSignal(-1, 0);
  os.Open("", 0, 0);
  os.Wait(-1, nullptr, WNOHANG, nullptr);
  const pid_t pid = os.Fork(&pidfd);
  if (pid == 0) _exit(0);
  UniqueFd owner(pidfd);
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(os.calls(), 10u);
}

// The old content or the new, at every call that can fail.
TEST(WriteFileAtomicallyTest, EachCallMayFailAndTheFileIsOldOrNew) {
  const std::string path = TestPath("whole");
  uint64_t n = 1;
  for (;; ++n) {
    ASSERT_TRUE(WriteFileAtomically(RealOs(), path, "old").ok());
    FailingOs os(RealOs(), n, ENOSPC);
    const absl::Status status = WriteFileAtomically(&os, path, "new content");
    EXPECT_EQ(status.ok(), !os.tripped());
    EXPECT_EQ(ReadAll(path), status.ok() ? "new content" : "old") << "call " << n;
    if (!os.tripped()) break;
  }
  EXPECT_EQ(n, 5u) << "open, write, fsync, rename, and one run that passes";
}

TEST(WriteFileAtomicallyTest, KilledBeforeEachCallTheFileIsOldOrNew) {
  const std::string path = TestPath("killed");
  for (uint64_t n = 1;; ++n) {
    ASSERT_TRUE(WriteFileAtomically(RealOs(), path, "old").ok());
    const pid_t pid = fork();
    if (pid == 0) {
      FailingOs os(RealOs(), n, FailingOs::kDie);
      _exit(WriteFileAtomically(&os, path, "new content").ok() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    const bool died = WIFSIGNALED(status);
    EXPECT_EQ(ReadAll(path), died ? "old" : "new content") << "call " << n;
    if (!died) {
      EXPECT_EQ(n, 5u);
      break;
    }
  }
}

TEST(WriteFileAtomicallyTest, TheErrorNamesTheFile) {
  const absl::Status status = WriteFileAtomically(RealOs(), "/nowhere/at/all", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("/nowhere/at/all"), std::string::npos) << status;
}

}  // namespace
}  // namespace squall

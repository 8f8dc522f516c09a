#include "faults/core/lease.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace squall {
namespace {

TEST(LeaseTest, StartsLapsedAndLivesUntilItsTime) {
  auto page = LeasePage::Create();
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_FALSE(page->Live(0));
  page->Extend(100);
  EXPECT_TRUE(page->Live(99));
  EXPECT_FALSE(page->Live(100));
  page->End();
  EXPECT_FALSE(page->Live(0));
}

TEST(LeaseTest, ASecondMappingSeesEveryChange) {
  auto agent = LeasePage::Create();
  ASSERT_TRUE(agent.ok());
  auto relay = LeasePage::Map(dup(agent->fd()));
  ASSERT_TRUE(relay.ok()) << relay.status();
  agent->Extend(500);
  EXPECT_EQ(relay->until(), 500);
  agent->End();
  EXPECT_EQ(relay->until(), 0);
}

TEST(LeaseTest, OutlivesTheProcessThatExtendedIt) {
  auto page = LeasePage::Create();
  ASSERT_TRUE(page.ok());
  const pid_t child = fork();
  if (child == 0) {
    page->Extend(1234);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(page->until(), 1234);
}

TEST(LeaseTest, ThePageCannotBeCutShortUnderItsReaders) {
  auto page = LeasePage::Create();
  ASSERT_TRUE(page.ok());
  EXPECT_NE(ftruncate(page->fd(), 0), 0);
  EXPECT_NE(ftruncate(page->fd(), 8192), 0);
}

TEST(LeaseTest, OtherDescriptorsAreRefusedAndClosed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(LeasePage::Map(ends[0]).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(fcntl(ends[0], F_GETFD), -1);
  close(ends[1]);
  EXPECT_FALSE(LeasePage::Map(-1).ok());
  const std::string path = ::testing::TempDir() + "/page";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  ASSERT_EQ(ftruncate(file, 4096), 0);
  EXPECT_FALSE(LeasePage::Map(file).ok()) << "a file of the right size is no lease page";
  const int memory = memfd_create("other", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(memory, 4096), 0);
  EXPECT_FALSE(LeasePage::Map(memory).ok()) << "not sealed";
}

TEST(LeaseTest, MovingHandsOverTheMapping) {
  auto page = LeasePage::Create();
  ASSERT_TRUE(page.ok());
  const int fd = page->fd();
  LeasePage moved = *std::move(page);
  moved.Extend(9);
  EXPECT_EQ(moved.until(), 9);
  EXPECT_EQ(moved.fd(), fd);
  auto other = LeasePage::Create();
  ASSERT_TRUE(other.ok());
  *other = std::move(moved);
  EXPECT_EQ(other->until(), 9);
}

}  // namespace
}  // namespace squall

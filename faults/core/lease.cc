#include "faults/core/lease.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/status/status.h"

namespace squall {
namespace {
constexpr size_t kPage = 4096;
static_assert(std::atomic<int64_t>::is_always_lock_free, "the page is shared between processes");
}  // namespace

absl::StatusOr<LeasePage> LeasePage::Create() {
  const int fd = memfd_create("squall-lease", MFD_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "memfd_create for the lease page");
  if (ftruncate(fd, kPage) != 0) {
    const int error = errno;
    close(fd);
    return absl::ErrnoToStatus(error, "sizing the lease page");
  }
  return Map(fd);
}

absl::StatusOr<LeasePage> LeasePage::Map(int fd) {
  struct stat info {};
  if (fstat(fd, &info) != 0 || info.st_size != kPage) {
    return absl::InvalidArgumentError("the lease descriptor is not a lease page");
  }
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) return absl::ErrnoToStatus(errno, "mapping the lease page");
  return LeasePage(fd, static_cast<std::atomic<int64_t>*>(page));
}

LeasePage::LeasePage(LeasePage&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), slot_(std::exchange(other.slot_, nullptr)) {}

LeasePage& LeasePage::operator=(LeasePage&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(slot_, other.slot_);
  return *this;
}

LeasePage::~LeasePage() {
  if (slot_ != nullptr) munmap(slot_, kPage);
  if (fd_ >= 0) close(fd_);
}

}  // namespace squall

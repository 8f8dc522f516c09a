#include "faults/core/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "faults/core/unique_fd.h"

namespace squall {
namespace {
constexpr off_t kPage = 4096;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
static_assert(std::atomic<int64_t>::is_always_lock_free, "the page is shared between processes");
}  // namespace

absl::StatusOr<LeasePage> LeasePage::Create() {
  UniqueFd fd(memfd_create("squall-lease", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, "memfd_create for the lease page");
  if (ftruncate(fd.get(), kPage) != 0) return absl::ErrnoToStatus(errno, "sizing the lease page");
  if (fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) return absl::ErrnoToStatus(errno, "sealing the lease page");
  return Map(fd.release());
}

absl::StatusOr<LeasePage> LeasePage::Map(int raw) {
  UniqueFd fd(raw);
  struct stat info{};
  // Only a sealed page cannot be cut short under its readers. No other kind of file carries these seals.
  const int seals = fcntl(raw, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(raw, &info) != 0 || info.st_size != kPage) {
    return absl::InvalidArgumentError(absl::StrCat("descriptor ", raw, " is not a lease page"));
  }
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0);
  if (page == MAP_FAILED) return absl::ErrnoToStatus(errno, "mapping the lease page");
  return LeasePage(fd.release(), static_cast<std::atomic<int64_t>*>(page));
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

// The right of faults to stay armed, as one number in a shared memory page: the agent extends it, every fault host and
// the guardian read it on every decision. Whatever dies or hangs, the number passes and the faults are gone.
//
//   auto page = LeasePage::Create();            // guardian
//   auto page = LeasePage::Map(fd);             // agent, relay: the inherited descriptor
//   page->Extend(clock.Now() + ttl);            // agent only
//   if (!page->Live(clock.Now())) PassThrough();
#ifndef FAULTS_CORE_LEASE_H_
#define FAULTS_CORE_LEASE_H_

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"

namespace squall {

// Move-only owner of the mapping and its descriptor. Extend and Live may race from several processes.
class LeasePage {
 public:
  static absl::StatusOr<LeasePage> Create();  // a memfd; the lease starts lapsed
  static absl::StatusOr<LeasePage> Map(
      int fd);  // owns fd at once, closes it on an error; InvalidArgument: no such page
  LeasePage(LeasePage&& other) noexcept;
  LeasePage& operator=(LeasePage&& other) noexcept;
  ~LeasePage();

  int fd() const { return fd_; }
  int64_t until() const { return slot_->load(std::memory_order_acquire); }
  bool Live(int64_t now) const { return now < until(); }
  void Extend(int64_t until) { slot_->store(until, std::memory_order_release); }
  void End() { Extend(0); }

 private:
  LeasePage(int fd, std::atomic<int64_t>* slot) : fd_(fd), slot_(slot) {}
  int fd_ = -1;
  std::atomic<int64_t>* slot_ = nullptr;
};

}  // namespace squall

#endif  // FAULTS_CORE_LEASE_H_

// std::mutex and condition variable under abseil's thread annotations. Use these, not absl::Mutex: the system's abseil
// is not instrumented, so ThreadSanitizer reports races under a correct absl::Mutex.
#ifndef FAULTS_CORE_MUTEX_H_
#define FAULTS_CORE_MUTEX_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/base/thread_annotations.h"

namespace squall {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_->Lock(); }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

class CondVar {
 public:
  // False when `timeout_ns` passed first. May wake for no reason: call it in a loop over the condition.
  bool WaitFor(Mutex* mutex, int64_t timeout_ns) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    const bool woken = condition_.wait_for(lock, std::chrono::nanoseconds(timeout_ns)) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }
  void Notify() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace squall

#endif  // FAULTS_CORE_MUTEX_H_

// Time, as a type that can be given a simulated one. One base for the whole of Squall: int64 nanoseconds of
// CLOCK_BOOTTIME (it goes on while the machine sleeps). Wall clock stands in logs and reports only.
#ifndef FAULTS_CORE_CLOCK_H_
#define FAULTS_CORE_CLOCK_H_

#include <atomic>
#include <cstdint>

namespace squall {

inline constexpr int64_t kMillisecond = 1'000'000;
inline constexpr int64_t kSecond = 1'000'000'000;

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t Now() const = 0;  // ns
};

// CLOCK_BOOTTIME. Named only in mains and tests.
class RealClock : public Clock {
 public:
  int64_t Now() const override;
};

// Stands still until moved. Starts at 1 s, so that 0 stays "never".
class SimulatedClock : public Clock {
 public:
  int64_t Now() const override { return now_.load(std::memory_order_acquire); }
  void Advance(int64_t ns) { now_.fetch_add(ns, std::memory_order_acq_rel); }
  void Set(int64_t ns) { now_.store(ns, std::memory_order_release); }

 private:
  std::atomic<int64_t> now_{kSecond};
};

}  // namespace squall

#endif  // FAULTS_CORE_CLOCK_H_

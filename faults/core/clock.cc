#include "faults/core/clock.h"

#include <time.h>

namespace squall {

int64_t RealClock::Now() const {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace squall

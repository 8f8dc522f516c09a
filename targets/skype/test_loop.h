// For tests: runs a loop until a condition holds or the time is up.
#ifndef TARGETS_SKYPE_TEST_LOOP_H_
#define TARGETS_SKYPE_TEST_LOOP_H_

#include <functional>

#include "targets/skype/net.h"

namespace skype {

// True when `done` became true. Looks at it every few milliseconds.
inline bool RunUntil(Loop& loop, const std::function<bool()>& done, double within_s = 20) {
  const int64_t deadline = Loop::Now() + Seconds(within_s);
  bool result = false;
  std::function<void()> look = [&] {
    result = done();
    if (result || Loop::Now() > deadline) {
      loop.Stop();
    } else {
      loop.At(Loop::Now() + 3 * kMillisecond, look);
    }
  };
  look();
  loop.Run();
  return result;
}

}  // namespace skype

#endif  // TARGETS_SKYPE_TEST_LOOP_H_

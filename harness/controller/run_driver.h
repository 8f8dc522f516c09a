// Drives one engine with real agents and a real clock: the loop around the pure step.
//
//   RunDriver driver(&hub, &clock);
//   std::unique_ptr<Engine> engine = driver.Run(std::move(plan), options, [](const std::string& line) { ... });
//   engine->Report(), engine->Events(), engine->signals()
#ifndef HARNESS_CONTROLLER_RUN_DRIVER_H_
#define HARNESS_CONTROLLER_RUN_DRIVER_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "faults/core/clock.h"
#include "faults/core/mutex.h"
#include "harness/controller/hub.h"
#include "harness/engine/engine.h"

namespace squall {

class RunDriver {
 public:
  RunDriver(AgentHub* hub, const Clock* clock) : hub_(hub), clock_(clock) {}

  // Blocks until the engine is done. `status` gets the live line once a second. The agents of `options` are filled in.
  std::unique_ptr<Engine> Run(LoadedPlan plan, EngineOptions options,
                              const std::function<void(const std::string&)>& status);

  // Thread-safe, also before Run; the first one counts.
  void Halt(const std::string& why, int exit_code);
  // An agent process of a local run is gone for good.
  void ReportLost(const std::string& agent);

 private:
  void Push(Input input);
  Input Pop(int64_t wake_ns);

  AgentHub* const hub_;
  const Clock* const clock_;
  Mutex mutex_;
  CondVar arrived_;
  std::deque<Input> inputs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace squall

#endif  // HARNESS_CONTROLLER_RUN_DRIVER_H_

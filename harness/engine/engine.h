// One run of a plan, as a pure step over its inputs: no threads, no clock, no I/O. The same inputs give the same
// messages and the same report, so a recorded run (harness/engine/journal.h) can be replayed.
//
//   Engine engine(std::move(loaded), {.run_id = id, .seed = 7, .binaries = bins, .agents = {{"local"}}});
//   while (!engine.done()) {
//     Input input = queue.PopUntil(engine.next_wakeup());   // a message, a lost agent, a halt; else {now, Tick{}}
//     for (Outgoing& out : engine.Step(input)) sessions[out.agent].Send(out.message);
//   }
//   WriteReport(dir, engine.Report(), engine.signals(), engine.Events());
//   return engine.exit_code();
//
// Phases: wait for agents -> OpenRun -> Prepare -> Begin, wait for targets -> run -> settle -> CloseRun -> done.
// The engine renews the lease of every agent each quarter of it from inside Step, so an engine that hangs loses it.
// Not thread-safe. Not movable (the judge points into it). Errors never leave it as a status: they are the verdict.
#ifndef HARNESS_ENGINE_ENGINE_H_
#define HARNESS_ENGINE_ENGINE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/api/report.pb.h"
#include "harness/engine/event_record.h"
#include "harness/engine/input.h"
#include "harness/engine/judging.h"
#include "harness/plan/loader.h"

namespace squall {

// An agent that is connected when the engine is made. Later ones come as Register.
struct AgentInfo {
  std::string name;
  std::string role = "";                       // "" = starts whatever the plan says (the general agent)
  std::vector<std::string> capabilities = {};  // "process", "link", "load"
};

struct EngineOptions {
  std::string run_id;  // ULID
  uint64_t seed = 0;
  int64_t lease_ns = 0;                              // 0 = the plan's, else 10 s
  uint64_t epoch = 1;                                // of the controller
  std::map<std::string, std::string> binaries = {};  // ${bin.NAME} -> absolute path on the agents' hosts
  std::string directory;                             // for target logs and working directories, on the agents' hosts
  std::string replay_command;
  std::string started_at;  // RFC 3339
  std::string squall_version;
  std::vector<AgentInfo> agents = {};
  enum class Mode { kTest, kAttach } mode = Mode::kTest;  // kAttach: CloseRun keeps the targets running
  int64_t agents_within_ns = 30'000'000'000;              // for a general agent to come; attach roles have their own
  int64_t answer_within_ns = 30'000'000'000;              // OpenRun and Prepare are answered within this
  int64_t confirm_within_ns = 10'000'000'000;             // a released or lifted fault is confirmed within this
  int64_t close_within_ns = 15'000'000'000;               // Closed comes within this
  JudgingFactory judging = nullptr;                       // null = the real one
  int64_t longest_ns = 4 * 3600'000'000'000;              // the cap of the whole run
};

class Engine {
 public:
  Engine(LoadedPlan plan, EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  std::vector<Outgoing> Step(const Input& input);

  // The time at which the next Tick is due at the latest. How late Ticks came is part of the report.
  int64_t next_wakeup() const;
  bool done() const;  // every agent has closed the run, or its time to do so is over

  // Complete once done(); before that, what stands so far.
  report::v1::RunReport Report() const;
  int exit_code() const;  // of Report(): 0 PASS, 1 FAIL, 3 INCONCLUSIVE, 4 ABORTED, 5 ERROR, 130, 143
  std::vector<EventRecord> Events() const;
  // "t 12.3 s | run | trigger live | pool_floor HOLDS +12 | recovery UNKNOWN"
  std::string StatusLine() const;
  const SignalStore& signals() const;
  int64_t run_start_ns() const;  // 0 = not yet
  int64_t run_end_ns() const;    // 0 = not yet
  // What the controller paid, for the report: the engine cannot know it.
  void SetControllerCost(double cpu_s, double max_rss_mib);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace squall

#endif  // HARNESS_ENGINE_ENGINE_H_

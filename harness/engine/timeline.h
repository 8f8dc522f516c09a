// When each step of a run happens: the release rules, as a pure state machine over times and edges.
//
//   Timeline timeline(&schedule.actions);
//   timeline.Start(run_start);
//   for (const Decision& d : timeline.Decide(now, judged_until, holds)) ...   // release, mark, skip, abort
//   timeline.OnStarted("trigger", span);  timeline.OnEnded("trigger", span);
//
// A step whose time is known is released at once, however far ahead it lies: nothing then stands between its time and
// the agent. A step that depends on a skipped one is skipped too. Not thread-safe. Times are ns.
#ifndef HARNESS_ENGINE_TIMELINE_H_
#define HARNESS_ENGINE_TIMELINE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/fault_book.h"
#include "harness/plan/schedule.h"

namespace squall::run {

struct StepState {
  enum Phase { WAITING, RELEASED, STARTED, ENDED, SKIPPED } phase = WAITING;
  std::optional<int64_t> planned_ns;  // known ahead, or the moment its condition held
  int64_t released_ns = 0;
  std::optional<Span> start, end;
  int64_t lift_sent_ns = 0;  // 0 = not yet
  std::string failure;       // why it was skipped or failed
};

struct Decision {
  enum What {
    RELEASE,  // a fault: tell its agents, not before `at_ns`
    MARK,     // a named instant has come: it starts and ends at `at_ns`
    SKIP,
    ABORT,  // its condition did not become true in time
  } what;
  size_t index;
  int64_t at_ns = 0;
  std::string why;
};

class Timeline {
 public:
  explicit Timeline(const std::vector<Action>* actions);

  void Start(int64_t run_start_ns) { run_start_ns_ = run_start_ns; }
  // What is due. `judged_until`: up to where conditions have been evaluated; `holds(step)`: its condition holds there.
  // After an ABORT nothing more comes. Calls with the same state give nothing twice.
  std::vector<Decision> Decide(int64_t now, int64_t judged_until, const std::function<bool(const std::string&)>& holds);

  void OnStarted(size_t index, Span span);
  void OnEnded(size_t index, Span span);

  // The time of "STEP.start" or "STEP.end" (step "" or "run": the run's start), if it is known.
  std::optional<int64_t> At(const std::string& step, Release::Edge edge) const;
  bool Unreachable(const std::string& step) const;  // it was skipped
  bool AllOver() const;                             // every step has ended or was skipped
  // The next time at which Decide may have something to say without further news; nothing = none is known.
  std::optional<int64_t> NextDue(int64_t now) const;

  size_t size() const { return states_.size(); }
  StepState& state(size_t index) { return states_[index]; }
  const StepState& state(size_t index) const { return states_[index]; }
  std::optional<size_t> IndexOf(const std::string& step) const;

 private:
  struct Anchor {
    std::optional<int64_t> at_ns;
    bool never = false;
  };
  Anchor AnchorOf(const Release& release) const;
  std::optional<Decision> DecideOne(size_t index, int64_t now, int64_t judged_until,
                                    const std::function<bool(const std::string&)>& holds);
  std::optional<Decision> DecideWhen(size_t index, int64_t since, int64_t now, int64_t judged_until,
                                     const std::function<bool(const std::string&)>& holds);
  std::optional<Decision> Go(size_t index, int64_t at_ns, int64_t now);
  Decision Skip(size_t index, std::string why);

  const std::vector<Action>* actions_;
  std::vector<StepState> states_;
  std::map<std::string, size_t> by_name_;
  int64_t run_start_ns_ = 0;
};

}  // namespace squall::run

#endif  // HARNESS_ENGINE_TIMELINE_H_

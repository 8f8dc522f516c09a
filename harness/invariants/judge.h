// Everything that is judged in one run: invariants, valid_while, abort_when, the steps' `when`, measures. A pure
// function of what it was told and of the store.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<Judge> judge, Judge::Create(plan, &store));
//   judge->SetRunStart(now);                               // once
//   judge->OnStep("trigger", Judge::kRequested, t, t);     // released: its start is awaited
//   judge->OnStep("trigger", Judge::kStart, armed_first, armed_last);
//   judge->Advance(store.watermark());                     // as often as one likes; cost by what is new
//   if (judge->When("mega1") == report::v1::HOLDS) ...     // true for its `for`, at the newest instant judged
//   judge->Finish(run_end);                                // once; then all results are final
//
// Order of inputs: samples are looked at in order of their time up to the watermark. `when` conditions are judged up to
// the watermark at once. Whatever names a step waits 250 ms (kEdgeLag) beyond it for the step's edges, and as long as a
// step was requested and has neither started nor been given up. An edge told later than that counts from where the
// judge stands (late_edges). Verdicts: research of the language in docs/invariants.md. Times in ns, results in s since
// the run's start. Errors: Create fails with InvalidArgument naming the expression. Not thread-safe; the store outlives
// the judge.
#ifndef HARNESS_INVARIANTS_JUDGE_H_
#define HARNESS_INVARIANTS_JUDGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/api/plan.pb.h"
#include "harness/api/report.pb.h"
#include "harness/signals/store.h"

namespace squall {

inline constexpr int64_t kEdgeLag = 250'000'000;

class Judge {
 public:
  enum Edge {
    kRequested,  // released; the start is to come
    kStart,      // active; t_lo: first instance, t_hi: last
    kEnd,        // gone
    kGivenUp,    // requested, but will not start: skipped or failed
  };

  static absl::StatusOr<std::unique_ptr<Judge>> Create(const plan::v1::Plan& plan, const SignalStore* store);
  ~Judge();
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  void SetRunStart(int64_t t_ns);
  // Each edge of a step counts once. An unknown step is ignored.
  void OnStep(std::string_view step, Edge edge, int64_t t_lo, int64_t t_hi);
  // Never beyond the store's own watermark.
  void Advance(int64_t watermark_ns);
  // Judges up to `run_end_ns`. What lies beyond the watermark by more than 1 s is UNKNOWN.
  void Finish(int64_t run_end_ns);

  // The `when` of a step. HOLDS: true, and has been for its `for`. VIOLATED: false. UNKNOWN: not known, or no such
  // step.
  report::v1::Truth When(std::string_view step) const;

  // In the plan's order. Before Finish: as it stands; `final` ones do not change any more.
  std::vector<report::v1::InvariantResult> Results() const;
  // valid_while: HOLDS = kept so far. abort_when: HOLDS = has not come true so far.
  std::vector<report::v1::ConditionResult> Conditions() const;
  // Undefined ones carry a reason. Complete after Finish.
  std::vector<report::v1::MeasureResult> Measures() const;
  // Nothing waits any more for a time that is known: no open deadline, no scope or instant that ends later than judged.
  // What lasts until run.end, or waits for a step that has not happened, does not wait in this sense.
  bool AllDecided() const;

  uint64_t late_edges() const;
  int64_t judged_until_ns() const;

 private:
  struct State;
  explicit Judge(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_JUDGE_H_

// What the engine needs to know about signals and invariants. The real one is MakeJudging, over SignalStore and Judge;
// tests give their own. Not thread-safe. Times are ns.
#ifndef HARNESS_ENGINE_JUDGING_H_
#define HARNESS_ENGINE_JUDGING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/api/agent.pb.h"
#include "harness/api/plan.pb.h"
#include "harness/api/report.pb.h"

namespace squall {

class SignalStore;

enum class StepEdge {
  kRequested,  // its time has come: the start is awaited
  kStart,
  kEnd,
  kGivenUp,  // skipped, failed, or cut off by the end of the run
};

class Judging {
 public:
  virtual ~Judging() = default;
  virtual void AddAgent(const std::string& agent) = 0;
  virtual void LoseAgent(const std::string& agent) = 0;
  virtual void Feed(const std::string& agent, const agent::v1::Batch& batch) = 0;
  virtual void SetRunStart(int64_t t_ns) = 0;
  // The edge lies in [lo, hi].
  virtual void OnStep(const std::string& step, StepEdge edge, int64_t lo_ns, int64_t hi_ns) = 0;
  // Looks at what has come, up to `until`. Everything up to the returned time, at most `until`, is known and judged.
  virtual int64_t Advance(int64_t until_ns) = 0;
  virtual void Finish(int64_t run_end_ns) = 0;

  virtual bool WhenHolds(const std::string& step) const = 0;    // of a step with `when`, for as long as it asks
  virtual std::optional<std::string> AbortBecause() const = 0;  // name of an abort_when that came true
  virtual bool AllDecided() const = 0;                          // nothing waits for a deadline
  virtual std::vector<report::v1::InvariantResult> Results() const = 0;
  virtual std::vector<report::v1::ConditionResult> Conditions() const = 0;
  virtual std::vector<report::v1::MeasureResult> Measures() const = 0;
  virtual std::vector<std::string> Notes() const = 0;  // points that were lost, edges that came late
  virtual const SignalStore& signals() const = 0;
};

using JudgingFactory = std::function<absl::StatusOr<std::unique_ptr<Judging>>(const plan::v1::Plan& plan)>;

// `plan` must outlive it.
absl::StatusOr<std::unique_ptr<Judging>> MakeJudging(const plan::v1::Plan& plan);

}  // namespace squall

#endif  // HARNESS_ENGINE_JUDGING_H_

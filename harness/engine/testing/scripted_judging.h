// A judge that says what a test wants, at the times a test wants. Times are seconds since the run's start.
#ifndef HARNESS_ENGINE_TESTING_SCRIPTED_JUDGING_H_
#define HARNESS_ENGINE_TESTING_SCRIPTED_JUDGING_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/engine/judging.h"
#include "harness/signals/store.h"

namespace squall::testing {

struct Script {
  struct Line {
    report::v1::Truth end = report::v1::HOLDS;  // what it is after Finish
    std::optional<double> violated_s = {};      // final from then on, once judged that far
  };
  std::map<std::string, Line> invariants = {{"pool_floor", {}}};
  std::map<std::string, Line> valid_while = {};
  std::map<std::string, double> when = {};  // step -> its condition holds from then on
  std::optional<double> abort_s = {};
  double decided_s = 0;
};

// What it was told; shared with the test, the engine owns the judging.
struct Heard {
  struct Edge {
    std::string step;
    StepEdge edge;
    int64_t lo, hi;
  };
  std::vector<Edge> edges;
  int64_t run_start = 0, judged = 0, finished = 0;
  std::optional<Edge> Find(const std::string& step, StepEdge edge) const;
};

class ScriptedJudging : public Judging {
 public:
  ScriptedJudging(Script script, std::shared_ptr<Heard> heard) : script_(std::move(script)), heard_(std::move(heard)) {}

  void AddAgent(const std::string& agent) override { watermarks_[agent] = 0; }
  void LoseAgent(const std::string& agent) override { watermarks_.erase(agent); }
  void Feed(const std::string& agent, const agent::v1::Batch& batch) override;
  void SetRunStart(int64_t t_ns) override { heard_->run_start = t_ns; }
  void OnStep(const std::string& step, StepEdge edge, int64_t lo_ns, int64_t hi_ns) override;
  int64_t Advance(int64_t now) override;
  void Finish(int64_t run_end_ns) override { heard_->finished = run_end_ns; }
  bool WhenHolds(const std::string& step) const override;
  std::optional<std::string> AbortBecause() const override;
  bool AllDecided() const override { return Judged(script_.decided_s); }
  std::vector<report::v1::InvariantResult> Results() const override;
  std::vector<report::v1::ConditionResult> Conditions() const override;
  std::vector<report::v1::MeasureResult> Measures() const override { return {}; }
  std::vector<std::string> Notes() const override { return {}; }
  const SignalStore& signals() const override { return store_; }

 private:
  bool Judged(double at_s) const;
  Script script_;
  std::shared_ptr<Heard> heard_;
  std::map<std::string, int64_t> watermarks_;
  SignalStore store_;
};

}  // namespace squall::testing

#endif  // HARNESS_ENGINE_TESTING_SCRIPTED_JUDGING_H_

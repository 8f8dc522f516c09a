#include "harness/engine/judging.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "faults/core/status_macros.h"
#include "harness/engine/durations.h"
#include "harness/invariants/judge.h"
#include "harness/signals/store.h"

namespace squall {
namespace {

Judge::Edge EdgeOf(StepEdge edge) {
  switch (edge) {
    case StepEdge::kRequested:
      return Judge::kRequested;
    case StepEdge::kStart:
      return Judge::kStart;
    case StepEdge::kEnd:
      return Judge::kEnd;
    case StepEdge::kGivenUp:
      return Judge::kGivenUp;
  }
  return Judge::kGivenUp;
}

class RealJudging : public Judging {
 public:
  absl::Status Init(const plan::v1::Plan& plan) {
    ASSIGN_OR_RETURN(judge_, Judge::Create(plan, &store_));
    every_ns_ = run::NsOr(plan.run().has_every(), plan.run().every(), 100 * kMillisecond);
    return absl::OkStatus();
  }

  void AddAgent(const std::string& agent) override { store_.AddAgent(agent); }
  void LoseAgent(const std::string& agent) override { store_.AgentLost(agent); }
  void Feed(const std::string& agent, const agent::v1::Batch& batch) override { store_.Apply(agent, batch); }
  void SetRunStart(int64_t t_ns) override {
    newest_edge_ns_ = t_ns;
    judge_->SetRunStart(t_ns);
  }
  void OnStep(const std::string& step, StepEdge edge, int64_t lo_ns, int64_t hi_ns) override {
    newest_edge_ns_ = std::max(newest_edge_ns_, hi_ns);
    judge_->OnStep(step, EdgeOf(edge), lo_ns, hi_ns);
  }
  int64_t Advance(int64_t until_ns) override {
    const int64_t known = std::min(until_ns, store_.watermark());
    if (known > advanced_) {
      advanced_ = known;
      judge_->Advance(known);
    }
    return advanced_;
  }
  void Finish(int64_t run_end_ns) override { judge_->Finish(run_end_ns); }

  bool WhenHolds(const std::string& step) const override { return judge_->When(step) == report::v1::HOLDS; }
  std::optional<std::string> AbortBecause() const override {
    for (const report::v1::ConditionResult& condition : judge_->Conditions()) {
      if (condition.kind() != "abort_when" || condition.verdict() != report::v1::VIOLATED) continue;
      return condition.evidence().empty() ? condition.name()
                                          : absl::StrCat(condition.name(), ": ", condition.evidence());
    }
    return std::nullopt;
  }
  // What an edge opens is known only once the judge has come to it: a recovery that has just begun to count, say.
  bool AllDecided() const override {
    return advanced_ >= newest_edge_ns_ + kEdgeLag + every_ns_ && judge_->AllDecided();
  }
  std::vector<report::v1::InvariantResult> Results() const override { return judge_->Results(); }
  std::vector<report::v1::ConditionResult> Conditions() const override { return judge_->Conditions(); }
  std::vector<report::v1::MeasureResult> Measures() const override { return judge_->Measures(); }
  std::vector<std::string> Notes() const override {
    std::vector<std::string> notes;
    if (std::string losses = store_.losses().Describe(); !losses.empty()) notes.push_back(std::move(losses));
    if (judge_->late_edges() > 0) {
      notes.push_back(absl::StrCat(judge_->late_edges(), " step edges came later than the judge waits for them"));
    }
    return notes;
  }
  const SignalStore& signals() const override { return store_; }

 private:
  SignalStore store_;
  std::unique_ptr<Judge> judge_;
  int64_t advanced_ = 0;
  int64_t newest_edge_ns_ = 0;
  int64_t every_ns_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Judging>> MakeJudging(const plan::v1::Plan& plan) {
  auto judging = std::make_unique<RealJudging>();
  RETURN_IF_ERROR(judging->Init(plan));
  return judging;
}

}  // namespace squall

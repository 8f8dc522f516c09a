#include "harness/engine/testing/scripted_judging.h"

#include <algorithm>

#include "faults/core/clock.h"

namespace squall::testing {

std::optional<Heard::Edge> Heard::Find(const std::string& step, StepEdge edge) const {
  for (const Edge& heard : edges) {
    if (heard.step == step && heard.edge == edge) return heard;
  }
  return std::nullopt;
}

void ScriptedJudging::Feed(const std::string& agent, const agent::v1::Batch& batch) {
  watermarks_[agent] = std::max(watermarks_[agent], batch.watermark_ns());
}

void ScriptedJudging::OnStep(const std::string& step, StepEdge edge, int64_t lo_ns, int64_t hi_ns) {
  heard_->edges.push_back({step, edge, lo_ns, hi_ns});
}

int64_t ScriptedJudging::Advance(int64_t now) {
  int64_t known = now;
  for (const auto& [agent, watermark] : watermarks_) known = std::min(known, watermark);
  return heard_->judged = std::max(heard_->judged, known);
}

bool ScriptedJudging::Judged(double at_s) const {
  return heard_->run_start != 0 && heard_->judged >= heard_->run_start + static_cast<int64_t>(at_s * kSecond);
}

bool ScriptedJudging::WhenHolds(const std::string& step) const {
  auto it = script_.when.find(step);
  return it != script_.when.end() && Judged(it->second);
}

std::optional<std::string> ScriptedJudging::AbortBecause() const {
  if (!script_.abort_s || !Judged(*script_.abort_s)) return std::nullopt;
  return "too_bad: load was 9";
}

std::vector<report::v1::InvariantResult> ScriptedJudging::Results() const {
  std::vector<report::v1::InvariantResult> results;
  for (const auto& [name, line] : script_.invariants) {
    auto& result = results.emplace_back();
    result.set_name(name);
    result.set_margin(2);
    if (line.violated_s && Judged(*line.violated_s)) {
      result.set_verdict(report::v1::VIOLATED);
      result.set_first_violation_s(*line.violated_s);
      result.set_evidence("pool was 12, must be >= 20");
      result.set_margin(-8);
      result.set_final(true);
    } else {
      result.set_verdict(heard_->finished != 0 ? line.end : report::v1::UNKNOWN);
      result.set_final(heard_->finished != 0);
    }
  }
  return results;
}

std::vector<report::v1::ConditionResult> ScriptedJudging::Conditions() const {
  std::vector<report::v1::ConditionResult> results;
  for (const auto& [name, line] : script_.valid_while) {
    auto& result = results.emplace_back();
    result.set_name(name);
    result.set_kind("valid_while");
    const bool broken = line.violated_s && Judged(*line.violated_s);
    result.set_verdict(broken ? report::v1::VIOLATED : line.end);
  }
  return results;
}

}  // namespace squall::testing

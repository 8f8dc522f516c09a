// For tests: a run written down as samples and steps, judged in one go or in small portions.
//
//   Trace trace(6000);                                     // ms
//   trace.Gauge("pool", {{0, 48}, {4000, 39}}).Step("crash", 1000, 2000);
//   InvariantResult r = trace.Judge("always pool >= 40");
#ifndef HARNESS_INVARIANTS_TRACE_FOR_TEST_H_
#define HARNESS_INVARIANTS_TRACE_FOR_TEST_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "harness/api/plan.pb.h"
#include "harness/invariants/judge.h"

namespace squall {

inline constexpr int64_t kTestStart = 1'000'000'000'000;  // ns
inline constexpr double kEndMark = -12345.678;            // as a value: the series has ended

inline int64_t TestTime(double ms) { return kTestStart + std::llround(ms * 1e6); }

class Trace {
 public:
  using Samples = std::vector<std::pair<double, double>>;  // ms, value

  explicit Trace(double run_ms) : run_ms_(run_ms) {
    plan_.set_squall(1);
    auto* target = plan_.add_targets();
    target->set_name("node");
    target->mutable_metrics()->mutable_prometheus();
  }

  // stale_ms 0: never
  Trace& Gauge(const std::string& metric, const Samples& samples, double stale_ms = 0, const Labels& labels = {}) {
    return Add(agent::v1::SeriesDef::GAUGE, metric, samples, stale_ms, labels);
  }
  Trace& Counter(const std::string& metric, const Samples& samples, double stale_ms = 0, const Labels& labels = {}) {
    return Add(agent::v1::SeriesDef::COUNTER, metric, samples, stale_ms, labels);
  }
  Trace& Events(const std::string& metric, const Samples& samples, const Labels& labels = {}) {
    Declare(metric);
    if (samples.empty()) return *this;
    return Add(agent::v1::SeriesDef::EVENT, metric, samples, 0, labels);
  }
  Trace& Declare(const std::string& event) {
    for (const auto& known : plan_.targets(0).events()) {
      if (known.name() == event) return *this;
    }
    plan_.mutable_targets(0)->add_events()->set_name(event);
    return *this;
  }
  // Points were lost in (from, to].
  Trace& Hole(double from_ms, double to_ms) {
    holes_.emplace_back(from_ms, to_ms);
    return *this;
  }
  // A fault; eps_ms: each edge is known up to that. Negative times: that edge never comes.
  Trace& Step(const std::string& name, double start_ms, double end_ms, double eps_ms = 0, bool fault = true) {
    auto* step = plan_.add_steps();
    step->set_name(name);
    if (fault) step->mutable_fault()->mutable_delay();
    if (start_ms >= 0) edges_.push_back({start_ms, name, squall::Judge::kStart, eps_ms});
    if (end_ms >= 0) edges_.push_back({end_ms, name, squall::Judge::kEnd, eps_ms});
    return *this;
  }
  Trace& Signal(const std::string& name, const std::string& expr, const std::string& unit = "") {
    auto* signal = plan_.add_signals();
    signal->set_name(name);
    signal->set_expr(expr);
    signal->set_unit(unit);
    return *this;
  }
  Trace& Every(double ms) {
    plan_.mutable_run()->mutable_every()->set_nanos(static_cast<int32_t>(ms * 1e6));
    return *this;
  }
  plan::v1::Plan& plan() { return plan_; }
  const SignalStore& store() const { return *store_; }

  // With portion_ms 0 the judge sees the whole run at once.
  std::unique_ptr<squall::Judge> Play(double portion_ms = 0) {
    store_ = std::make_shared<SignalStore>();
    auto created = squall::Judge::Create(plan_, store_.get());
    EXPECT_TRUE(created.ok()) << created.status();
    if (!created.ok()) return nullptr;
    std::unique_ptr<squall::Judge> judge = *std::move(created);
    judge->SetRunStart(kTestStart);
    double done_ms = std::numeric_limits<double>::lowest();
    for (double to = portion_ms > 0 ? portion_ms : run_ms_;; to += portion_ms) {
      to = std::min(to, run_ms_);
      Feed(done_ms, to, judge.get());
      judge->Advance(TestTime(to));
      if (after_portion) after_portion(*judge, to);
      done_ms = to;
      if (to >= run_ms_) break;
    }
    judge->Finish(TestTime(run_ms_));
    return judge;
  }

  report::v1::InvariantResult Judge(const std::string& expr, double portion_ms = 0) {
    plan_.clear_invariants();
    auto* invariant = plan_.add_invariants();
    invariant->set_name("p");
    invariant->set_expr(expr);
    const auto judge = Play(portion_ms);
    return judge == nullptr ? report::v1::InvariantResult() : judge->Results()[0];
  }

  report::v1::MeasureResult Measure(const std::string& expr, double portion_ms = 0) {
    plan_.clear_measures();
    auto* measure = plan_.add_measures();
    measure->set_name("m");
    measure->set_expr(expr);
    const auto judge = Play(portion_ms);
    return judge == nullptr ? report::v1::MeasureResult() : judge->Measures()[0];
  }

  std::function<void(const squall::Judge&, double ms)> after_portion;

 private:
  struct Line {
    agent::v1::SeriesDef::Kind kind;
    std::string metric;
    Samples samples;
    double stale_ms;
    Labels labels;
  };
  struct StepEdge {
    double ms;
    std::string step;
    squall::Judge::Edge edge;
    double eps_ms;
  };

  Trace& Add(agent::v1::SeriesDef::Kind kind, const std::string& metric, Samples samples, double stale_ms,
             const Labels& labels) {
    lines_.push_back({kind, metric, std::move(samples), stale_ms, labels});
    return *this;
  }

  // One batch with what lies in (after, until].
  void Feed(double after_ms, double until_ms, squall::Judge* judge) {
    agent::v1::Batch batch;
    batch.set_watermark_ns(TestTime(until_ms));
    for (size_t i = 0; i < lines_.size(); ++i) {
      auto* def = batch.add_defs();
      def->set_id(static_cast<uint32_t>(i) + 1);
      def->set_metric(lines_[i].metric);
      def->set_kind(lines_[i].kind);
      def->set_period_ns(lines_[i].stale_ms > 0 ? std::llround(lines_[i].stale_ms * 1e6 / 3) : 1'000'000'000'000'000);
      for (const auto& [name, value] : lines_[i].labels) (*def->mutable_labels())[name] = value;
      for (const auto& [ms, value] : lines_[i].samples) {
        if (ms <= after_ms || ms > until_ms) continue;
        auto* point = batch.add_points();
        point->set_series(static_cast<uint32_t>(i) + 1);
        point->set_t_ns(TestTime(ms));
        point->set_value(value == kEndMark ? 0 : value);
        point->set_ended(value == kEndMark);
      }
    }
    FeedHoles(after_ms, until_ms);
    store_->Apply("a", batch);
    for (const StepEdge& edge : edges_) {
      if (edge.ms <= after_ms || edge.ms > until_ms) continue;
      judge->OnStep(edge.step, edge.edge, TestTime(edge.ms - edge.eps_ms), TestTime(edge.ms + edge.eps_ms));
    }
  }

  // Another agent that drops: its holes are exactly these.
  void FeedHoles(double after_ms, double until_ms) {
    for (const auto& [from, to] : holes_) {
      for (const double edge : {from, to}) {
        if (edge <= after_ms || edge > until_ms) continue;
        agent::v1::Batch batch;
        batch.set_watermark_ns(TestTime(edge));
        batch.set_dropped(edge == to ? 1 : 0);
        store_->Apply("dropper", batch);
      }
    }
    if (holes_.empty()) return;
    const bool within = std::any_of(holes_.begin(), holes_.end(),
                                    [&](const auto& hole) { return hole.first < until_ms && until_ms < hole.second; });
    agent::v1::Batch batch;
    batch.set_watermark_ns(TestTime(until_ms));
    batch.set_dropped(within ? 1 : 0);
    store_->Apply("dropper", batch);
  }

  const double run_ms_;
  plan::v1::Plan plan_;
  std::vector<Line> lines_;
  std::vector<StepEdge> edges_;
  std::vector<std::pair<double, double>> holes_;
  std::shared_ptr<SignalStore> store_;  // of the last play
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_TRACE_FOR_TEST_H_

// The time series of one run: what agents' batches become, and what invariants, measures and charts read.
//
//   SignalStore store;
//   store.Apply("agent-1", batch);                        // ids of series are the agent's own
//   store.AddEvent("fault_armed", {{"step", "trigger"}}, now, 1);   // the controller's own series
//   judge->Advance(store.watermark());
//   for (const Series* s : store.Find("in_role")) Draw(s->samples);
//
// Gauges hold their value until `stale_ns` after a sample; counters may reset; events are instants. A series of a newer
// incarnation ends the older ones of the same target. Times are ns of the run's clock.
// Bounded: beyond `Limits::series` new series are refused; beyond a series' share of `Limits::points` every second of
// its older points is dropped (charts get coarser; the judge has already seen them). Both are counted in losses().
// A point at or before its agent's watermark comes too late: it is dropped and counted, never judged.
// Not thread-safe. Pointers to Series stay valid as long as the store.
#ifndef HARNESS_SIGNALS_STORE_H_
#define HARNESS_SIGNALS_STORE_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/api/agent.pb.h"

namespace squall {

using Labels = std::map<std::string, std::string>;
inline constexpr int64_t kForever = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kDefaultStaleNs = 3'000'000'000;

enum class SeriesKind { kGauge, kCounter, kEvent };

struct Sample {
  int64_t t_ns;
  double value;        // NaN: undefined from here on
  bool ended = false;  // the series is over on purpose, until another sample comes
};

struct Series {
  std::string metric;
  Labels labels;
  SeriesKind kind = SeriesKind::kGauge;
  int64_t stale_ns = kDefaultStaleNs;
  std::vector<Sample> samples;  // rising t_ns; of equal ones the last holds
  std::string agent;
  uint64_t thinned = 0;  // points dropped from the older part
  int64_t born_ns = 0;   // of its first sample
};

class SignalStore {
 public:
  struct Limits {
    size_t series = 10'000;
    size_t points = 4'000'000;  // of all series together, about (each may keep 256)
  };
  struct Losses {
    uint64_t late = 0;            // points at or before their agent's watermark
    uint64_t refused_points = 0;  // of refused series, of unknown ids, with another kind than the metric has
    uint64_t refused_series = 0;
    uint64_t thinned = 0;
    uint64_t dropped_by_agents = 0;
    std::string Describe() const;  // "" if nothing was lost
  };
  // Points were lost after `from_ns` up to and including `to_ns`.
  struct Hole {
    int64_t from_ns;
    int64_t to_ns;
  };

  SignalStore() : SignalStore(Limits{}) {}
  explicit SignalStore(Limits limits) : limits_(limits) {}
  SignalStore(const SignalStore&) = delete;
  SignalStore& operator=(const SignalStore&) = delete;

  // The watermark waits for an agent from AddAgent, or from its first batch, until AgentLost. After AgentLost nothing
  // is known of it: its events have a hole from its last watermark on, until it sends again.
  void AddAgent(const std::string& agent);
  void Apply(const std::string& agent, const agent::v1::Batch& batch);
  void AgentLost(const std::string& agent);

  void AddGauge(std::string_view metric, const Labels& labels, int64_t t_ns, double value, int64_t period_ns = 0);
  void AddCounter(std::string_view metric, const Labels& labels, int64_t t_ns, double value, int64_t period_ns = 0);
  void AddEvent(std::string_view metric, const Labels& labels, int64_t t_ns, double value = 1);
  void AddEnd(std::string_view metric, const Labels& labels, int64_t t_ns);

  // Everything up to here has arrived from every live agent; kForever without agents.
  int64_t watermark() const;

  // All series of a metric in order of their first sample; grows, never shrinks. Null if there never was one.
  const std::vector<const Series*>* OfMetric(std::string_view metric) const;
  std::vector<const Series*> Find(std::string_view metric) const;
  std::vector<std::string> Metrics() const;  // sorted
  // Rises with each point of the metric: a cheap question whether there is news.
  uint64_t Version(std::string_view metric) const;
  // Where points of any agent were lost, in order, disjoint.
  const std::vector<Hole>& holes() const { return holes_; }
  bool HasHole(int64_t after_ns, int64_t until_ns) const;  // within (after, until]
  const Losses& losses() const { return losses_; }
  size_t series_count() const { return series_.size(); }
  size_t point_count() const { return points_; }

 private:
  struct Metric {
    SeriesKind kind;
    std::vector<const Series*> series;
    uint64_t version = 0;
  };
  struct Agent {
    int64_t watermark_ns = std::numeric_limits<int64_t>::min();
    bool live = true;
    std::vector<Hole> holes;
    std::unordered_map<uint32_t, Series*> by_id;  // null: refused
  };
  Series* Intern(std::string_view metric, Labels labels, SeriesKind kind, int64_t period_ns, const std::string& agent);
  void EndOlder(const Series& series, int64_t t_ns);
  void Add(Series* series, const Sample& sample);
  void Thin(Series* series);
  void MergeHoles();

  const Limits limits_;
  Losses losses_;
  size_t points_ = 0;
  std::map<std::string, Metric, std::less<>> metrics_;
  std::map<std::pair<std::string, Labels>, std::unique_ptr<Series>> series_;
  // The newest incarnation of each series that has the label `incarnation`, by the other labels.
  std::map<std::pair<std::string, Labels>, Series*> newest_;
  std::map<std::string, Agent> agents_;
  std::vector<Hole> holes_;
};

}  // namespace squall

#endif  // HARNESS_SIGNALS_STORE_H_

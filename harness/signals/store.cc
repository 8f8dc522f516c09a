#include "harness/signals/store.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace squall {
namespace {

using agent::v1::Batch;
using agent::v1::SeriesDef;

constexpr size_t kLeastPointsOfASeries = 256;
constexpr size_t kMostPointsOfASeries = 100'000;

SeriesKind KindOf(SeriesDef::Kind kind) {
  return kind == SeriesDef::COUNTER ? SeriesKind::kCounter
         : kind == SeriesDef::EVENT ? SeriesKind::kEvent
                                    : SeriesKind::kGauge;
}

// Counts over the incarnations of a target, so it is one series however the agent labels it.
constexpr std::string_view kOverIncarnations = "restarts_total";

}  // namespace

std::string SignalStore::Losses::Describe() const {
  std::vector<std::string> parts;
  const auto add = [&](uint64_t n, const char* what) {
    if (n > 0) parts.push_back(absl::StrCat(n, " ", what));
  };
  add(dropped_by_agents, "points dropped by agents");
  add(late, "points came too late");
  add(refused_points, "points refused");
  add(refused_series, "series refused");
  add(thinned, "older points thinned out of the charts");
  return absl::StrJoin(parts, ", ");
}

void SignalStore::AddAgent(const std::string& agent) { agents_[agent].live = true; }

void SignalStore::AgentLost(const std::string& agent) {
  const auto found = agents_.find(agent);
  if (found == agents_.end() || !found->second.live) return;
  found->second.live = false;
  found->second.holes.push_back({found->second.watermark_ns, kForever});
  MergeHoles();
}

void SignalStore::Apply(const std::string& name, const Batch& batch) {
  Agent& agent = agents_[name];
  const int64_t before = agent.watermark_ns;
  const int64_t after = std::max(before, batch.watermark_ns());
  if (!agent.live) {  // back again: what it could not send while it was away is lost up to here
    agent.live = true;
    if (!agent.holes.empty()) agent.holes.back().to_ns = after;
    MergeHoles();
  }
  for (const SeriesDef& def : batch.defs()) {
    Labels labels(def.labels().begin(), def.labels().end());
    agent.by_id[def.id()] = Intern(def.metric(), std::move(labels), KindOf(def.kind()), def.period_ns(), name);
  }
  if (batch.dropped() > 0) {
    losses_.dropped_by_agents += batch.dropped();
    agent.holes.push_back({before, after});
    MergeHoles();
  }
  for (const agent::v1::Point& point : batch.points()) {
    const auto series = agent.by_id.find(point.series());
    if (series == agent.by_id.end() || series->second == nullptr) {
      ++losses_.refused_points;
    } else if (point.t_ns() <= before) {
      ++losses_.late;
    } else {
      Add(series->second, {point.t_ns(), point.value(), point.ended()});
    }
  }
  agent.watermark_ns = after;
}

void SignalStore::AddGauge(std::string_view metric, const Labels& labels, int64_t t_ns, double value,
                           int64_t period_ns) {
  if (Series* series = Intern(metric, labels, SeriesKind::kGauge, period_ns, "")) Add(series, {t_ns, value});
}

void SignalStore::AddCounter(std::string_view metric, const Labels& labels, int64_t t_ns, double value,
                             int64_t period_ns) {
  if (Series* series = Intern(metric, labels, SeriesKind::kCounter, period_ns, "")) Add(series, {t_ns, value});
}

void SignalStore::AddEvent(std::string_view metric, const Labels& labels, int64_t t_ns, double value) {
  if (Series* series = Intern(metric, labels, SeriesKind::kEvent, 0, "")) Add(series, {t_ns, value});
}

void SignalStore::AddEnd(std::string_view metric, const Labels& labels, int64_t t_ns) {
  const auto found = series_.find({std::string(metric), labels});
  if (found != series_.end()) Add(found->second.get(), {t_ns, 0, true});
}

Series* SignalStore::Intern(std::string_view metric, Labels labels, SeriesKind kind, int64_t period_ns,
                            const std::string& agent) {
  if (metric == kOverIncarnations) labels.erase("incarnation");
  const auto known = metrics_.find(metric);
  if (known != metrics_.end() && known->second.kind != kind) {
    ++losses_.refused_series;
    return nullptr;
  }
  std::pair<std::string, Labels> key(std::string(metric), std::move(labels));
  const auto found = series_.find(key);
  if (found != series_.end()) return found->second.get();
  if (series_.size() >= limits_.series) {
    ++losses_.refused_series;
    return nullptr;
  }
  auto series = std::make_unique<Series>();
  series->metric = key.first;
  series->labels = key.second;
  series->kind = kind;
  series->stale_ns = period_ns > 0 && period_ns < kForever / 3 ? 3 * period_ns : kDefaultStaleNs;
  series->agent = agent;
  metrics_.try_emplace(key.first, Metric{kind}).first->second.kind = kind;
  return series_.emplace(std::move(key), std::move(series)).first->second.get();
}

void SignalStore::EndOlder(const Series& series, int64_t t_ns) {
  std::pair<std::string, Labels> key(series.metric, series.labels);
  if (key.second.erase("incarnation") == 0 || series.kind == SeriesKind::kEvent) return;
  Series*& newest = newest_[std::move(key)];
  Series* self = series_.at({series.metric, series.labels}).get();
  Series* older = std::exchange(newest, self);
  if (older == nullptr || older == self || older->samples.back().ended) return;
  Add(older, {std::max(t_ns, older->samples.back().t_ns), 0, true});
}

void SignalStore::Add(Series* series, const Sample& sample) {
  auto& samples = series->samples;
  if (samples.empty()) {
    series->born_ns = sample.t_ns;
    metrics_.find(series->metric)->second.series.push_back(series);
    EndOlder(*series, sample.t_ns);
  }
  if (samples.empty() || sample.t_ns >= samples.back().t_ns) {
    samples.push_back(sample);
  } else {
    const auto place = std::upper_bound(samples.begin(), samples.end(), sample.t_ns,
                                        [](int64_t t, const Sample& s) { return t < s.t_ns; });
    samples.insert(place, sample);
    series->born_ns = samples.front().t_ns;
  }
  ++points_;
  ++metrics_.find(series->metric)->second.version;
  const size_t share =
      std::clamp(limits_.points / std::max<size_t>(series_.size(), 1), kLeastPointsOfASeries, kMostPointsOfASeries);
  if (samples.size() > share) Thin(series);
}

void SignalStore::Thin(Series* series) {
  auto& samples = series->samples;
  // What lies beyond the watermark has not been judged yet, and the first and last sample before it still hold.
  const int64_t judged = watermark();
  const auto end = std::upper_bound(samples.begin(), samples.begin() + samples.size() / 2, judged,
                                    [](int64_t t, const Sample& s) { return t < s.t_ns; });
  auto out = samples.begin();
  size_t place = 0;
  for (auto in = samples.begin(); in != end; ++in, ++place) {
    if (place % 2 == 0 || in->ended) *out++ = *in;
  }
  const size_t gone = static_cast<size_t>(end - out);
  samples.erase(out, end);
  points_ -= gone;
  series->thinned += gone;
  losses_.thinned += gone;
  if (gone == 0 && samples.size() > 2 * kMostPointsOfASeries) {  // a flood within one batch
    samples.pop_back();
    --points_;
    ++losses_.refused_points;
  }
}

void SignalStore::MergeHoles() {
  std::vector<Hole> all;
  for (const auto& [name, agent] : agents_) all.insert(all.end(), agent.holes.begin(), agent.holes.end());
  std::sort(all.begin(), all.end(), [](const Hole& a, const Hole& b) { return a.from_ns < b.from_ns; });
  holes_.clear();
  for (const Hole& hole : all) {
    if (!holes_.empty() && hole.from_ns <= holes_.back().to_ns) {
      holes_.back().to_ns = std::max(holes_.back().to_ns, hole.to_ns);
    } else {
      holes_.push_back(hole);
    }
  }
}

bool SignalStore::HasHole(int64_t after_ns, int64_t until_ns) const {
  return std::any_of(holes_.begin(), holes_.end(),
                     [&](const Hole& hole) { return hole.from_ns < until_ns && hole.to_ns > after_ns; });
}

int64_t SignalStore::watermark() const {
  int64_t least = kForever;
  for (const auto& [name, agent] : agents_) {
    if (agent.live) least = std::min(least, agent.watermark_ns);
  }
  return least;
}

const std::vector<const Series*>* SignalStore::OfMetric(std::string_view metric) const {
  const auto found = metrics_.find(metric);
  return found == metrics_.end() || found->second.series.empty() ? nullptr : &found->second.series;
}

std::vector<const Series*> SignalStore::Find(std::string_view metric) const {
  const auto* series = OfMetric(metric);
  return series == nullptr ? std::vector<const Series*>() : *series;
}

std::vector<std::string> SignalStore::Metrics() const {
  std::vector<std::string> names;
  for (const auto& [name, metric] : metrics_) {
    if (!metric.series.empty()) names.push_back(name);
  }
  return names;
}

uint64_t SignalStore::Version(std::string_view metric) const {
  const auto found = metrics_.find(metric);
  return found == metrics_.end() ? 0 : found->second.version;
}

}  // namespace squall

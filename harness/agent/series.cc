#include "harness/agent/series.h"

#include <algorithm>
#include <utility>

namespace squall {

using agent::v1::Batch;
using agent::v1::Point;
using agent::v1::SeriesDef;

SeriesBook::SeriesBook(std::string agent, size_t max_points) : agent_(std::move(agent)), max_points_(max_points) {}

void SeriesBook::Gauge(std::string_view metric, const Labels& labels, int64_t t_ns, double value, int64_t period_ns) {
  Add(SeriesDef::GAUGE, metric, labels, t_ns, value, period_ns, false);
}

void SeriesBook::Counter(std::string_view metric, const Labels& labels, int64_t t_ns, double value, int64_t period_ns) {
  Add(SeriesDef::COUNTER, metric, labels, t_ns, value, period_ns, false);
}

void SeriesBook::Event(std::string_view metric, const Labels& labels, int64_t t_ns, double value) {
  Add(SeriesDef::EVENT, metric, labels, t_ns, value, 0, false);
}

void SeriesBook::Add(SeriesDef::Kind kind, std::string_view metric, const Labels& labels, int64_t t_ns, double value,
                     int64_t period_ns, bool ended) {
  const auto [place, is_new] = ids_.try_emplace({std::string(metric), labels}, ids_.size() + 1);
  Known& known = known_[place->second];
  if (is_new) {
    known.def.set_id(place->second);
    known.def.set_metric(std::string(metric));
    known.def.set_kind(kind);
    known.def.set_period_ns(period_ns);
    for (const auto& [name, text] : labels) (*known.def.mutable_labels())[name] = text;
    (*known.def.mutable_labels())["agent"] = agent_;
  }
  known.ended = ended;
  t_ns = std::max(t_ns, watermark_ns_ + 1);  // a moment late rather than lost: what was sent so far is complete
  Point point;
  point.set_series(place->second);
  point.set_t_ns(t_ns);
  point.set_value(value);
  point.set_ended(ended);
  points_.push_back(std::move(point));
  if (points_.size() > max_points_) {
    points_.pop_front();
    ++dropped_;
  }
}

void SeriesBook::End(const Labels& labels, int64_t t_ns) {
  for (const auto& [key, id] : ids_) {
    Known& known = known_[id];
    const bool covered = std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
      const auto found = key.second.find(label.first);
      return found != key.second.end() && found->second == label.second;
    });
    if (!covered || known.ended || known.def.kind() == SeriesDef::EVENT) continue;
    Add(known.def.kind(), key.first, key.second, t_ns, 0, known.def.period_ns(), true);
  }
}

Batch SeriesBook::Take(int64_t watermark_ns) {
  Batch batch;
  watermark_ns_ = std::max(watermark_ns_, watermark_ns);
  batch.set_seq(next_seq_++);
  batch.set_watermark_ns(watermark_ns);
  batch.set_dropped(std::exchange(dropped_, 0));
  std::deque<Point> later;
  for (Point& point : points_) {
    if (point.t_ns() > watermark_ns) {
      later.push_back(std::move(point));
      continue;
    }
    Known& known = known_[point.series()];
    if (!known.sent) {
      *batch.add_defs() = known.def;
      known.sent = true;
    }
    *batch.add_points() = std::move(point);
  }
  points_ = std::move(later);
  return batch;
}

void SeriesBook::ForgetDefinitions() {
  for (auto& [id, known] : known_) known.sent = false;
  next_seq_ = 1;
}

}  // namespace squall

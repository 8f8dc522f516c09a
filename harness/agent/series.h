// The agent's outbox of series: what the next batch to the controller carries.
//
//   SeriesBook book("agent-1", /*max_points=*/200'000);
//   book.Gauge("up", {{"role", "server"}}, now, 1, /*period_ns=*/0);
//   book.Event("exits", labels, now);
//   agent::v1::Batch batch = book.Take(now);   // watermark = now
//
// Bounded: beyond `max_points` the oldest points are dropped and counted in Batch.dropped. Not thread-safe (agent
// loop).
#ifndef HARNESS_AGENT_SERIES_H_
#define HARNESS_AGENT_SERIES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "harness/api/agent.pb.h"

namespace squall {

using Labels = std::map<std::string, std::string>;

class SeriesBook {
 public:
  SeriesBook(std::string agent, size_t max_points);

  void Gauge(std::string_view metric, const Labels& labels, int64_t t_ns, double value, int64_t period_ns = 0);
  void Counter(std::string_view metric, const Labels& labels, int64_t t_ns, double value, int64_t period_ns = 0);
  void Event(std::string_view metric, const Labels& labels, int64_t t_ns, double value = 1);
  // The series of `labels` are over on purpose: each gets an ended mark.
  void End(const Labels& labels, int64_t t_ns);

  // Everything up to `watermark_ns`; later points stay for the next batch. A point that is added afterwards with an
  // earlier time is put right behind the watermark.
  agent::v1::Batch Take(int64_t watermark_ns);
  // A new session knows none of the series: define them all again.
  void ForgetDefinitions();

 private:
  struct Known {
    agent::v1::SeriesDef def;
    bool sent = false;
    bool ended = false;
  };
  void Add(agent::v1::SeriesDef::Kind kind, std::string_view metric, const Labels& labels, int64_t t_ns, double value,
           int64_t period_ns, bool ended);

  const std::string agent_;
  const size_t max_points_;
  std::map<std::pair<std::string, Labels>, uint32_t> ids_;
  std::map<uint32_t, Known> known_;
  std::deque<agent::v1::Point> points_;
  uint64_t dropped_ = 0;
  uint64_t next_seq_ = 1;
  int64_t watermark_ns_ = 0;
};

}  // namespace squall

#endif  // HARNESS_AGENT_SERIES_H_

// Prometheus' text exposition format 0.0.4, read tolerantly: a bad line is counted and skipped, the others stand.
//
//   PrometheusText text = ParsePrometheus(body);
//   for (const PrometheusSample& s : text.samples) Record(s.metric, s.labels, s.value, s.cumulative);
//   if (text.bad_lines > 0) Note(text.first_error);      // "line 7: label `a` has no closing quote"
//
// https://prometheus.io/docs/instrumenting/exposition_formats/ : HELP and TYPE comments, labels with escapes, NaN and
// +Inf, timestamps in ms. Histograms and summaries come as the series they are made of (_bucket, _sum, _count).
// Bounded: at most 100,000 samples and 8 KiB a line. Pure.
#ifndef HARNESS_SIGNALS_PROMETHEUS_H_
#define HARNESS_SIGNALS_PROMETHEUS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace squall {

struct PrometheusSample {
  std::string metric;
  std::map<std::string, std::string> labels;
  double value = 0;
  std::optional<int64_t> timestamp_ms;  // since the epoch, as the target wrote it
  // A counter by its TYPE, or a part of a histogram or summary that counts; an untyped one whose name ends in _total.
  bool cumulative = false;
};

struct PrometheusText {
  std::vector<PrometheusSample> samples;
  size_t bad_lines = 0;
  std::string first_error;
};

PrometheusText ParsePrometheus(std::string_view text);

}  // namespace squall

#endif  // HARNESS_SIGNALS_PROMETHEUS_H_

#include "harness/agent/prober.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/agent/http_get.h"
#include "harness/signals/prometheus.h"
#include "re2/re2.h"

namespace squall {

namespace {
// A series goes stale after three periods; on a busy machine an answer may take longer than a short period allows.
constexpr int64_t kShortestPeriod = 500 * kMillisecond;
}  // namespace

struct Prober::Probe {
  ProbeSpec spec;
  std::unique_ptr<RE2> expect;
  std::unique_ptr<Exchange> exchange;  // the last one; replaced when the next begins
  bool asking = false;
  EventLoop::TimerId timer;
};

Prober::Prober(EventLoop* loop, const Clock* clock, SeriesBook* book, HealthChecker* health, ExecRunner* exec)
    : loop_(loop), clock_(clock), book_(book), health_(health), exec_(exec) {}

Prober::~Prober() { Clear(); }

void Prober::Clear() {
  for (const auto& probe : probes_) {
    loop_->Cancel(probe->timer);
    probe->exchange.reset();
  }
  probes_.clear();
}

absl::Status Prober::Add(ProbeSpec spec) {
  auto probe = std::make_shared<Probe>();
  probe->spec = std::move(spec);
  if (!probe->spec.expect.empty()) {
    probe->expect = std::make_unique<RE2>(probe->spec.expect, RE2::Quiet);
    if (!probe->expect->ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("probe ", probe->spec.metric, ": expect: ", probe->expect->error()));
    }
  }
  probes_.push_back(probe);
  Tick(probe);
  return absl::OkStatus();
}

void Prober::Tick(const std::shared_ptr<Probe>& probe) {
  const std::weak_ptr<Probe> weak = probe;
  probe->timer = loop_->After(probe->spec.every_ns, [this, weak] {
    if (const auto alive = weak.lock()) Tick(alive);
  });
  if (!probe->asking) Ask(probe);
}

void Prober::Ask(const std::shared_ptr<Probe>& probe) {
  const ProbeSpec& spec = probe->spec;
  const bool running = !spec.running || spec.running();
  if (!running && spec.how != ProbeSpec::TCP && spec.how != ProbeSpec::EXEC) {
    if (spec.how == ProbeSpec::GRPC_HEALTH) Record(*probe, 0);
    return;
  }
  const int64_t deadline = clock_->Now() + spec.timeout_ns;
  const std::weak_ptr<Probe> weak = probe;
  switch (spec.how) {
    case ProbeSpec::TCP:
      return AskTcp(probe, deadline);
    case ProbeSpec::SCRAPE:
    case ProbeSpec::PROMETHEUS_VALUE:
      return AskHttp(probe, deadline);
    case ProbeSpec::GRPC_HEALTH:
      probe->asking = true;
      return health_->Check(spec.address, spec.service, spec.timeout_ns, [this, weak](absl::Status status) {
        const auto alive = weak.lock();
        if (alive == nullptr) return;
        alive->asking = false;
        Record(*alive, status.ok() ? 1 : 0);
      });
    case ProbeSpec::EXEC:
      probe->asking = true;
      return exec_->Run(spec.argv, spec.timeout_ns, [this, weak](absl::StatusOr<std::pair<int, std::string>> result) {
        const auto alive = weak.lock();
        if (alive == nullptr) return;
        alive->asking = false;
        const bool succeeded = result.ok() && result->first == 0;
        double value = succeeded ? 1 : 0;
        if (alive->spec.number) {
          const std::string line = result.ok() ? result->second.substr(0, result->second.find('\n')) : "";
          if (!succeeded || !absl::SimpleAtod(line, &value)) return;  // no number is no sample
        }
        Record(*alive, value);
      });
  }
}

void Prober::AskTcp(const std::shared_ptr<Probe>& probe, int64_t deadline_ns) {
  probe->asking = true;
  const std::weak_ptr<Probe> weak = probe;
  const bool wants_answer = probe->expect != nullptr;
  probe->exchange = Exchange::Start(
      loop_, clock_, probe->spec.address, probe->spec.send, deadline_ns,
      [wants_answer](std::string_view so_far, bool eof) { return !wants_answer || !so_far.empty() || eof; },
      [this, weak](absl::StatusOr<std::string> answer) {
        const auto alive = weak.lock();
        if (alive == nullptr) return;
        alive->asking = false;
        const bool good = answer.ok() && (alive->expect == nullptr || RE2::PartialMatch(*answer, *alive->expect));
        Record(*alive, good ? 1 : 0);
      });
}

void Prober::AskHttp(const std::shared_ptr<Probe>& probe, int64_t deadline_ns) {
  probe->asking = true;
  const std::weak_ptr<Probe> weak = probe;
  probe->exchange =
      Exchange::Start(loop_, clock_, probe->spec.address, HttpGetRequest(probe->spec.address, probe->spec.path),
                      deadline_ns, HttpAnswerComplete, [this, weak](absl::StatusOr<std::string> answer) {
                        const auto alive = weak.lock();
                        if (alive == nullptr) return;
                        alive->asking = false;
                        if (!answer.ok()) return;  // no sample: the series go stale
                        const auto body = HttpBody(*answer);
                        if (body.ok()) RecordScrape(*alive, *body);
                      });
}

void Prober::RecordScrape(const Probe& probe, const std::string& body) {
  const PrometheusText text = ParsePrometheus(body);
  bad_lines_ += text.bad_lines;
  const int64_t now = clock_->Now();
  const int64_t period = std::max(probe.spec.every_ns, kShortestPeriod);
  for (const PrometheusSample& sample : text.samples) {
    if (probe.spec.how == ProbeSpec::PROMETHEUS_VALUE) {
      if (sample.metric == probe.spec.service) return Record(probe, sample.value);
      continue;
    }
    Labels labels(sample.labels.begin(), sample.labels.end());
    for (const auto& [name, value] : probe.spec.labels) labels[name] = value;  // where it comes from wins
    if (sample.cumulative) {
      book_->Counter(sample.metric, labels, now, sample.value, period);
    } else {
      book_->Gauge(sample.metric, labels, now, sample.value, period);
    }
  }
}

void Prober::Record(const Probe& probe, double value) {
  book_->Gauge(probe.spec.metric, probe.spec.labels, clock_->Now(), value, probe.spec.every_ns);
}

}  // namespace squall

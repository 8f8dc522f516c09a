// Asks targets the same questions again and again and puts the answers into the SeriesBook.
//
//   Prober prober(&loop, clock, &book, &health);
//   prober.Add({.metric = "available", .how = ProbeSpec::TCP, .address = "127.0.0.1:6379",
//               .every_ns = kSecond, .timeout_ns = kSecond, .send = "PING\r\n", .expect = "^\\+PONG", .labels = ...});
//
// A probe never overlaps itself: while one answer is awaited, ticks are skipped. A scrape of a target that does not run
// yields no points (its series go stale or are ended); every other probe yields 0.
#ifndef HARNESS_AGENT_PROBER_H_
#define HARNESS_AGENT_PROBER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "harness/agent/exchange.h"
#include "harness/agent/exec_runner.h"
#include "harness/agent/health.h"
#include "harness/agent/series.h"

namespace squall {

struct ProbeSpec {
  enum How { SCRAPE, TCP, GRPC_HEALTH, EXEC, PROMETHEUS_VALUE };
  std::string metric;  // name of the gauge; unused by SCRAPE
  How how = TCP;
  std::string address;  // HOST:PORT
  int64_t every_ns = kSecond;
  int64_t timeout_ns = kSecond;
  std::string send;               // TCP
  std::string expect;             // TCP: RE2 on the first answer; "" = connecting is enough
  std::string path;               // SCRAPE, PROMETHEUS_VALUE
  std::string service;            // GRPC_HEALTH; PROMETHEUS_VALUE: the series
  std::vector<std::string> argv;  // EXEC
  bool number = false;            // EXEC: the first line is the value
  Labels labels;                  // of the points
  std::function<bool()> running;  // does the target run at all? null = always
};

class Prober {
 public:
  Prober(EventLoop* loop, const Clock* clock, SeriesBook* book, HealthChecker* health, ExecRunner* exec);
  ~Prober();

  // Begins at once, then every `every_ns`.
  absl::Status Add(ProbeSpec spec);
  void Clear();
  uint64_t bad_lines() const { return bad_lines_; }  // of scrapes that could not be read

 private:
  struct Probe;
  void Tick(const std::shared_ptr<Probe>& probe);
  void Ask(const std::shared_ptr<Probe>& probe);
  void AskTcp(const std::shared_ptr<Probe>& probe, int64_t deadline_ns);
  void AskHttp(const std::shared_ptr<Probe>& probe, int64_t deadline_ns);
  void Record(const Probe& probe, double value);
  void RecordScrape(const Probe& probe, const std::string& body);

  EventLoop* const loop_;
  const Clock* const clock_;
  SeriesBook* const book_;
  HealthChecker* const health_;
  ExecRunner* const exec_;
  uint64_t bad_lines_ = 0;
  std::vector<std::shared_ptr<Probe>> probes_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_PROBER_H_

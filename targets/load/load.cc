#include "targets/load/load.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

constexpr uint32_t kConnectionsMost = 10'000;
constexpr double kRateMost = 1e6;
constexpr size_t kWindows = 10;  // of 100 ms

bool GoodRate(double rate) { return rate >= 0 && rate <= kRateMost; }

absl::Status CheckRequest(const host::v1::StartLoad& request) {
  if (request.name().empty()) return absl::InvalidArgumentError("name: must not be empty");
  if (request.connections() > kConnectionsMost) return absl::InvalidArgumentError("connections: over 10000");
  if (request.timeout_ns() < 0) return absl::InvalidArgumentError("timeout: is negative");
  if (!GoodRate(request.rate())) return absl::InvalidArgumentError("rate: not in [0, 1e6] per second");
  for (const auto& stage : request.stages()) {
    if (!GoodRate(stage.to())) return absl::InvalidArgumentError("stages.to: not in [0, 1e6] per second");
    if (stage.over_ns() < 0 || stage.hold_ns() < 0) return absl::InvalidArgumentError("stages: a time is negative");
  }
  return absl::OkStatus();
}

host::v1::HostSeries* AddSeries(host::v1::HostStats* stats, const char* metric, const std::string& object, double value,
                                bool counter) {
  host::v1::HostSeries* series = stats->add_series();
  series->set_metric(metric);
  series->set_object(object);
  series->set_value(value);
  series->set_counter(counter);
  return series;
}

}  // namespace

uint64_t Load::Counts::all_errors() const {
  uint64_t sum = 0;
  for (uint64_t count : errors) sum += count;
  return sum;
}

absl::StatusOr<std::unique_ptr<Load>> Load::Create(EventLoop* loop, const Clock* clock, const LeasePage* lease,
                                                   const host::v1::StartLoad& request) {
  RETURN_IF_ERROR(CheckRequest(request));
  ASSIGN_OR_RETURN(const SocketAddress address, ParseAddress(request.address()));
  return std::unique_ptr<Load>(new Load(loop, clock, lease, request, address));
}

Load::Load(EventLoop* loop, const Clock* clock, const LeasePage* lease, const host::v1::StartLoad& request,
           SocketAddress address)
    : loop_(loop),
      clock_(clock),
      lease_(lease),
      name_(request.name()),
      connection_options_{address, request.send().empty() ? "PING\r\n" : request.send(), request.expect(),
                          request.timeout_ns() == 0 ? kSecond : request.timeout_ns(), kReconnectNs} {
  const int64_t start = std::max(request.start_ns(), clock->Now());
  curve_ = RateCurve(request, start);
  last_ = start;
  for (uint32_t i = 0; i < std::max<uint32_t>(request.connections(), 1); ++i) {
    connections_.push_back(std::make_unique<Connection>(loop, clock, &connection_options_, this));
  }
  for (auto& connection : connections_) connection->Connect();
  next_ = curve_.Reach(last_, 1 - part_);
  SetTimer();
}

Load::~Load() {
  if (timer_) loop_->Cancel(*timer_);
}

void Load::SetTimer() {
  if (timer_) loop_->Cancel(*timer_);
  timer_.reset();
  if (next_ == kNever) return;
  timer_ = loop_->At(next_, [this] {
    timer_.reset();
    CatchUp(clock_->Now());
    SetTimer();
  });
}

// Handles all that was due up to now, each part by the rate that was in force then.
void Load::CatchUp(int64_t now) {
  if (spike_until_ != 0) {
    int64_t end = spike_until_;
    if (lease_ != nullptr && !lease_->Live(now)) {
      const int64_t lapsed = lease_->until() > 0 ? lease_->until() : now;
      end = std::min(end, std::max(lapsed, last_));
    }
    if (end <= now) EndSpike(end, now);
  }
  SendUntil(now, now);
}

void Load::SendUntil(int64_t until, int64_t now) {
  while (next_ <= until) {
    ++counts_.scheduled;
    One(now);
    last_ = next_;
    part_ = 0;
    next_ = curve_.Reach(last_, 1);
  }
}

// What was due by the old rate until then, and the part of the next request that has grown.
void Load::Settle(int64_t until, int64_t now) {
  SendUntil(until, now);
  if (until <= last_) return;
  part_ += curve_.Expected(last_, until);
  last_ = until;
}

void Load::One(int64_t now) {
  if (now - next_ <= kTooLateNs) {
    while (!free_.empty()) {
      Connection* const connection = free_.front();
      free_.pop_front();
      if (!connection->Send(next_)) continue;  // it was dead already; its successor is on the way
      ++counts_.sent;
      ++in_flight_;
      return;
    }
  }
  ++counts_.unsent;
}

void Load::OnAnswer(Connection* connection, int64_t due_ns) {
  --in_flight_;
  ++counts_.ok;
  if (windows_.empty()) windows_.emplace_back();
  const int64_t latency = clock_->Now() - due_ns;
  windows_.back().Add(latency);
  last_second_.Add(latency);
}

void Load::OnFailed(Connection* connection, Cause cause, bool had_request) {
  std::erase(free_, connection);
  if (!had_request) {  // what finds no connection is counted as unsent
    ++lost_connections_[static_cast<int>(cause)];
    return;
  }
  --in_flight_;
  ++counts_.errors[static_cast<int>(cause)];
}

absl::Status Load::Multiply(double multiplier, int64_t ramp_ns, int64_t deadline_ns) {
  const int64_t now = clock_->Now();
  CatchUp(now);
  if (!(multiplier > 0) || multiplier > 1000) return absl::InvalidArgumentError("multiplier: not in (0, 1000]");
  if (ramp_ns < 0) return absl::InvalidArgumentError("ramp: is negative");
  if (deadline_ns <= now) return absl::InvalidArgumentError("the deadline has passed");
  if (lease_ != nullptr && !lease_->Live(now)) return absl::FailedPreconditionError("the lease has lapsed");
  if (spike_until_ != 0) return absl::FailedPreconditionError(absl::StrCat("load ", name_, " is multiplied already"));
  Settle(now, now);
  spike_from_ = now;
  spike_until_ = deadline_ns;
  scheduled_before_spike_ = counts_.scheduled;
  curve_.Multiply({.from = now, .ramp_ns = ramp_ns, .multiplier = multiplier, .until = deadline_ns});
  next_ = curve_.Reach(last_, 1 - part_);
  SetTimer();
  return absl::OkStatus();
}

absl::Status Load::Restore() {
  const int64_t now = clock_->Now();
  CatchUp(now);
  if (spike_until_ != 0) EndSpike(now, now);
  SetTimer();
  return absl::OkStatus();
}

void Load::EndSpike(int64_t end, int64_t now) {
  Settle(end, now);
  extra_ = ExtraUntil(end);
  curve_.EndSpike(end);
  spike_until_ = 0;
  next_ = curve_.Reach(last_, 1 - part_);
}

double Load::Multiplier() const {
  const int64_t now = clock_->Now();
  const bool live = spike_until_ != 0 && (lease_ == nullptr || lease_->Live(now));
  return live ? curve_.Multiplier(now) : 1;
}

uint64_t Load::ExtraScheduled() const {
  return spike_until_ == 0 ? extra_ : ExtraUntil(std::min(clock_->Now(), spike_until_));
}

uint64_t Load::ExtraUntil(int64_t end) const {
  const double base = curve_.ExpectedBase(spike_from_, end);
  return static_cast<uint64_t>(std::max(0.0, static_cast<double>(counts_.scheduled - scheduled_before_spike_) - base));
}

void Load::AddStats(host::v1::HostStats* stats) {
  AddSeries(stats, "load_scheduled_total", name_, static_cast<double>(counts_.scheduled), true);
  AddSeries(stats, "load_sent_total", name_, static_cast<double>(counts_.sent), true);
  AddSeries(stats, "load_ok_total", name_, static_cast<double>(counts_.ok), true);
  AddSeries(stats, "load_unsent_total", name_, static_cast<double>(counts_.unsent), true);
  for (int i = 0; i < kCauses; ++i) {
    auto* series = AddSeries(stats, "load_errors_total", name_, static_cast<double>(counts_.errors[i]), true);
    (*series->mutable_labels())["why"] = CauseName(static_cast<Cause>(i));
    series = AddSeries(stats, "load_lost_connections_total", name_, static_cast<double>(lost_connections_[i]), true);
    (*series->mutable_labels())["why"] = CauseName(static_cast<Cause>(i));
  }
  AddSeries(stats, "load_in_flight", name_, static_cast<double>(in_flight_), false);
  AddSeries(stats, "load_multiplier", name_, Multiplier(), false);
  if (last_second_.count() > 0) {
    for (const auto& [q, name] : {std::pair(0.5, "0.5"), std::pair(0.99, "0.99")}) {
      const double ms = static_cast<double>(last_second_.Quantile(q)) / static_cast<double>(kMillisecond);
      (*AddSeries(stats, "load_latency_ms", name_, ms, false)->mutable_labels())["quantile"] = name;
    }
  }
  windows_.emplace_back();
  while (windows_.size() > kWindows) {
    last_second_.Subtract(windows_.front());
    windows_.pop_front();
  }
}

}  // namespace squall

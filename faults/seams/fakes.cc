#include "faults/seams/fakes.h"

#include <signal.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace squall {

absl::Status FakeProcess::Signal(int signo) {
  if (!error.ok()) return error;
  if (!state_.running) return absl::FailedPreconditionError("does not run");
  signals.push_back(signo);
  if (obeys) End(signo);
  return absl::OkStatus();
}

absl::Status FakeProcess::Stop(int64_t deadline_ns) {
  if (!error.ok()) return error;
  if (!state_.running) return absl::FailedPreconditionError("does not run");
  signals.push_back(SIGSTOP);
  state_.stopped = obeys;
  thaws_ns_ = deadline_ns;
  return absl::OkStatus();
}

absl::Status FakeProcess::Continue() {
  if (!error.ok()) return error;
  if (state_.running) signals.push_back(SIGCONT);
  state_.stopped = false;
  return absl::OkStatus();
}

ProcessSeam::State FakeProcess::Look() const {
  State now = state_;
  if (clock_ != nullptr && clock_->Now() >= thaws_ns_) now.stopped = false;
  return now;
}

void FakeProcess::End(int exit_signal) {
  state_.running = state_.stopped = false;
  state_.exit_signal = exit_signal;
}

void FakeProcess::Restart() {
  state_.running = true;
  state_.stopped = false;
  ++state_.incarnation;
}

FakeInstances::FakeInstances(std::string role, uint32_t running) : role_(std::move(role)), next_(running) {
  for (uint32_t i = 0; i < running; ++i) running_.push_back(absl::StrCat(role_, "/", i));
  ready_.insert(running_.begin(), running_.end());
}

absl::StatusOr<std::vector<std::string>> FakeInstances::StartMore(uint32_t count) {
  if (!error.ok()) return error;
  std::vector<std::string> started;
  for (uint32_t i = 0; i < count; ++i) started.push_back(absl::StrCat(role_, "/", next_++));
  running_.insert(running_.end(), started.begin(), started.end());
  return started;
}

absl::StatusOr<std::vector<std::string>> FakeInstances::DrainSome(uint32_t count, int64_t over, int64_t grace) {
  if (!error.ok()) return error;
  if (count > running_.size()) return absl::FailedPreconditionError("fewer are running");
  over_ns = over;
  grace_ns = grace;
  std::vector<std::string> drained;
  for (; drained.size() < count; running_.pop_back()) drained.push_back(running_.back());
  return drained;
}

void FakeInstances::End(const std::string& instance) {
  ready_.erase(instance);
  ended_.insert(instance);
}

absl::StatusOr<uint64_t> FakeLink::Add(std::shared_ptr<LinkFault> fault, int64_t deadline_ns) {
  if (!error.ok()) return error;
  live_.emplace(next_id_, Live{std::move(fault), deadline_ns, {}});
  return next_id_++;
}

absl::Status FakeLink::Remove(uint64_t id) {
  if (!error.ok()) return error;
  const auto found = live_.find(id);
  if (found == live_.end()) return absl::OkStatus();
  for (auto& [lane, queue] : waiting_) {
    int64_t before = clock_->Now();
    for (Waiting& waiting : queue) {
      if (const auto share = waiting.shares.find(id); share != waiting.shares.end()) share->second = 0;
      int64_t due = waiting.chunk.came;
      for (const auto& [fault, ns] : waiting.shares) due += ns;
      waiting.chunk.left = before = std::max(before, due);
    }
  }
  Deliver();
  live_.erase(id);
  return absl::OkStatus();
}

bool FakeLink::Clear(uint64_t id) const {
  const auto found = live_.find(id);
  return found == live_.end() || found->second.deadline_ns <= clock_->Now();
}

void FakeLink::EndLapsed() {
  std::vector<uint64_t> over;
  for (const auto& [id, live] : live_) {
    if (live.deadline_ns <= clock_->Now()) over.push_back(id);
  }
  for (const uint64_t id : over) {
    live_[id].deadline_ns = INT64_MAX;  // Remove delivers, and comes here again
    (void)Remove(id);
  }
}

void FakeLink::Send(uint64_t stream, faults::v1::Direction direction, uint64_t bytes) {
  EndLapsed();
  const Lane lane{stream, direction};
  const int64_t now = clock_->Now();
  Waiting waiting{{stream, direction, bytes, now, now}, {}};
  for (auto& [id, live] : live_) {
    if (!live.effects.contains(lane)) live.effects[lane] = live.fault->ForStream(direction, stream);
    StreamEffect* const effect = live.effects[lane].get();
    if (effect == nullptr) continue;
    const int64_t leaves = effect->ReleaseAt(waiting.chunk.left, bytes);
    waiting.shares[id] = leaves - waiting.chunk.left;
    waiting.chunk.left = leaves;
  }
  auto& queue = waiting_[lane];
  if (!queue.empty()) waiting.chunk.left = std::max(waiting.chunk.left, queue.back().chunk.left);
  queue.push_back(std::move(waiting));
}

const std::vector<FakeLink::Chunk>& FakeLink::Deliver() {
  EndLapsed();
  const int64_t now = clock_->Now();
  for (;;) {
    std::deque<Waiting>* next = nullptr;
    for (auto& [lane, queue] : waiting_) {
      if (queue.empty() || queue.front().chunk.left > now) continue;
      if (next == nullptr || queue.front().chunk.left < next->front().chunk.left) next = &queue;
    }
    if (next == nullptr) return left_;
    const Waiting waiting = std::move(next->front());
    next->pop_front();
    Leave(waiting, now);
  }
}

void FakeLink::Leave(const Waiting& waiting, int64_t now) {
  left_.push_back(waiting.chunk);
  for (const auto& [id, ns] : waiting.shares) {
    const auto found = live_.find(id);
    if (found == live_.end()) continue;
    const int64_t held = std::min(now, waiting.chunk.left) - waiting.chunk.came;
    found->second.fault->OnReleased(waiting.chunk.direction, waiting.chunk.bytes, held);
  }
}

absl::Status FakeLoad::Multiply(double multiplier, int64_t ramp_ns, int64_t deadline_ns) {
  if (!error.ok()) return error;
  multiplier_ = multiplier;
  from_ns_ = clock_->Now();
  ramp_ns_ = ramp_ns;
  until_ns_ = deadline_ns;
  return absl::OkStatus();
}

absl::Status FakeLoad::Restore() {
  if (!error.ok()) return error;
  ++restores;
  until_ns_ = std::min(until_ns_, clock_->Now());
  return absl::OkStatus();
}

double FakeLoad::At(int64_t now) const {
  if (now >= until_ns_) return 1;
  if (ramp_ns_ == 0 || now - from_ns_ >= ramp_ns_) return multiplier_;
  return 1 + (multiplier_ - 1) * static_cast<double>(now - from_ns_) / static_cast<double>(ramp_ns_);
}

uint64_t FakeLoad::ExtraScheduled() const {
  constexpr double kRate = 100;  // 1/s
  const int64_t end = std::min(clock_->Now(), until_ns_);
  const double in_ramp = static_cast<double>(std::clamp<int64_t>(end - from_ns_, 0, ramp_ns_)) / kSecond;
  const double after = static_cast<double>(std::max<int64_t>(end - from_ns_ - ramp_ns_, 0)) / kSecond;
  const double ramp = static_cast<double>(ramp_ns_) / kSecond;
  const double seconds = after + (ramp > 0 ? in_ramp * in_ramp / ramp / 2 : 0);
  return static_cast<uint64_t>(std::max(0.0, kRate * (multiplier_ - 1) * seconds));
}

}  // namespace squall

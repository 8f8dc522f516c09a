#include "harness/controller/run_driver.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace squall {
namespace {

double SecondsOf(const timeval& time) { return time.tv_sec + time.tv_usec / 1e6; }

AgentInfo InfoOf(const agent::v1::Register& registration) {
  AgentInfo info;
  info.name = registration.agent();
  info.role = registration.role();
  info.capabilities.assign(registration.capabilities().begin(), registration.capabilities().end());
  return info;
}

}  // namespace

void RunDriver::Push(Input input) {
  MutexLock lock(&mutex_);
  inputs_.push_back(std::move(input));
  arrived_.Notify();
}

Input RunDriver::Pop(int64_t wake_ns) {
  MutexLock lock(&mutex_);
  while (inputs_.empty()) {
    const int64_t now = clock_->Now();
    if (now >= wake_ns) return {now, Tick{}};
    arrived_.WaitFor(&mutex_, wake_ns - now);
  }
  Input input = std::move(inputs_.front());
  inputs_.pop_front();
  return input;
}

void RunDriver::Halt(const std::string& why, int exit_code) { Push({clock_->Now(), HaltRequest{why, exit_code}}); }

void RunDriver::ReportLost(const std::string& agent) { Push({clock_->Now(), AgentLost{agent}}); }

std::unique_ptr<Engine> RunDriver::Run(LoadedPlan plan, EngineOptions options,
                                       const std::function<void(const std::string&)>& status) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const auto connected = hub_->SetSink([this](AgentHub::Event event) {
    if (event.lost) return ReportLost(event.agent);
    Push({clock_->Now(), FromAgentMsg{std::move(event.agent), std::move(event.message)}});
  });
  for (const auto& registration : connected) options.agents.push_back(InfoOf(registration));
  auto engine = std::make_unique<Engine>(std::move(plan), std::move(options));
  int64_t next_status = clock_->Now() + kSecond;
  bool ticked = false;
  while (!engine->done()) {
    // A queue that never runs empty must not starve the ticks: they carry the lease.
    const int64_t now = clock_->Now();
    const bool overdue = now >= engine->next_wakeup() && !ticked;
    const Input input = overdue ? Input{now, Tick{}} : Pop(std::min(engine->next_wakeup(), next_status));
    ticked = std::holds_alternative<Tick>(input.what);
    for (Outgoing& out : engine->Step(input)) hub_->Send(out.agent, std::move(out.message));
    if (clock_->Now() >= next_status) {
      status(engine->StatusLine());
      next_status += kSecond;
    }
  }
  hub_->SetSink(nullptr);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  engine->SetControllerCost(
      SecondsOf(after.ru_utime) + SecondsOf(after.ru_stime) - SecondsOf(before.ru_utime) - SecondsOf(before.ru_stime),
      after.ru_maxrss / 1024.0);
  return engine;
}

}  // namespace squall

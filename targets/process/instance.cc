// Instance: how it is started, becomes ready, and is listened to. Its end: instance_end.cc.
#include "targets/process/instance.h"

#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/params.h"
#include "faults/core/status_macros.h"
#include "targets/process/template.h"

namespace squall {
namespace {

constexpr int64_t kAskEvery = 20 * kMillisecond;
constexpr int64_t kShortestAsk = 50 * kMillisecond;
constexpr int kLinesInErrors = 5;
constexpr char kPath[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::string LogName(const TargetSpec& spec, uint32_t index) { return absl::StrCat(spec.role, ".", index, ".log"); }

}  // namespace

Instance::Instance(const Fleet::Options* options, std::shared_ptr<const TargetSpec> spec,
                   std::shared_ptr<const RolePatterns> patterns, uint32_t index, std::function<void()> on_change)
    : options_(options),
      spec_(std::move(spec)),
      patterns_(std::move(patterns)),
      on_change_(std::move(on_change)),
      tail_(absl::StrCat(options->directory, "/", LogName(*spec_, index))) {
  info_.name = absl::StrCat(spec_->role, "/", index);
  info_.role = spec_->role;
  info_.index = index;
  info_.labels = spec_->common_labels;
  if (index < spec_->labels.size()) {
    for (const auto& [name, value] : spec_->labels[index]) info_.labels[name] = value;
  }
  info_.log = LogName(*spec_, index);
  info_.port_names = spec_->ports;
}

Instance::~Instance() {
  for (const auto& timer : {ready_timer_, kill_timer_, restart_timer_, drain_timer_, thaw_timer_}) {
    options_->loop->Cancel(timer);
  }
}

void Instance::SetTimer(EventLoop::TimerId* timer, int64_t when_ns, std::function<void()> callback) {
  options_->loop->Cancel(*timer);
  *timer = options_->loop->At(when_ns, std::move(callback));
}

absl::Status Instance::ReservePorts() {
  info_.ports = spec_->fixed_ports;
  for (const std::string& name : spec_->ports) {
    if (info_.ports.contains(name)) continue;
    ASSIGN_OR_RETURN(HeldPort port, HeldPort::Reserve());
    info_.ports[name] = port.address();
    held_.push_back(std::move(port));
  }
  return absl::OkStatus();
}

std::string Instance::directory() const { return absl::StrCat(options_->directory, "/", info_.role, ".", info_.index); }

Instance::Variables Instance::WithOwn(Variables variables) const {
  for (const auto& [name, address] : info_.ports) {
    variables["port." + name] = address.substr(address.rfind(':') + 1);
  }
  if (!info_.port_names.empty()) variables["port"] = variables["port." + info_.port_names.front()];
  for (const auto& [name, value] : info_.labels) variables["label." + name] = value;
  variables["index"] = absl::StrCat(info_.index);
  variables["role"] = info_.role;
  variables["dir"] = directory();
  return variables;
}

absl::StatusOr<SpawnRequest> Instance::MakeRequest(const Variables& given) const {
  const Variables variables = WithOwn(given);
  const auto fill = [&](const std::string& what, const std::string& text) -> absl::StatusOr<std::string> {
    auto filled = FillTemplate(text, variables);
    if (filled.ok()) return filled;
    return absl::InvalidArgumentError(absl::StrCat("target ", info_.name, ": ", what, ": ", filled.status().message()));
  };
  SpawnRequest request;
  request.key = info_.name;
  for (size_t i = 0; i < spec_->argv.size(); ++i) {
    ASSIGN_OR_RETURN(std::string argument, fill(absl::StrCat("argv[", i, "]"), spec_->argv[i]));
    request.argv.push_back(std::move(argument));
  }
  bool has_path = false;
  for (const auto& [name, value] : spec_->env) {
    ASSIGN_OR_RETURN(const std::string filled, fill(absl::StrCat("env.", name), value));
    request.env.push_back(absl::StrCat(name, "=", filled));
    has_path = has_path || name == "PATH";
  }
  if (!has_path) request.env.push_back(kPath);
  ASSIGN_OR_RETURN(request.cwd, fill("cwd", spec_->cwd.empty() ? "${dir}" : spec_->cwd));
  request.output = absl::StrCat(options_->directory, "/", info_.log);
  return request;
}

void Instance::Start(const Variables& variables) {
  variables_ = variables;
  Spawn();
}

void Instance::Spawn() {
  const auto request = MakeRequest(variables_);
  if (!request.ok()) return Fail(std::string(request.status().message()), false);
  if (mkdir(directory().c_str(), 0700) != 0 && errno != EEXIST) {
    return Fail(std::string(absl::ErrnoToStatus(errno, absl::StrCat("making ", directory())).message()), false);
  }
  tail_.Restart();
  const auto pid = options_->spawner->Spawn(*request);
  if (!pid.ok()) {
    return Fail(absl::StrCat(info_.name, " could not be started: ", pid.status().message()), false);
  }
  ++info_.incarnation;
  info_.ready = info_.stopped = late_ = false;
  info_.pid = *pid;
  const int64_t now = options_->clock->Now();
  options_->observer->OnStarted(info_, now);
  ready_deadline_ = now + spec_->ready.within_ns;
  AskReady();
  on_change_();
}

void Instance::Fail(const std::string& error, bool with_output) {
  std::string text = error;
  if (with_output) {
    const std::string lines = tail_.LastLines(kLinesInErrors);
    absl::StrAppend(&text, lines.empty() ? "; it wrote nothing" : absl::StrCat("; its last lines:\n", lines));
  }
  options_->observer->OnFailed(info_, text, options_->clock->Now());
}

std::string Instance::ReadyAddress() const {
  const bool first = spec_->ready.port.empty() && !info_.port_names.empty();
  const auto found = info_.ports.find(first ? info_.port_names.front() : spec_->ready.port);
  return found == info_.ports.end() ? "" : found->second;
}

// Asks until it is ready or has ended; that it takes too long is said once. OnLine notices a line, OnExited a job's
// end.
void Instance::AskReady() {
  if (!running() || info_.ready) return;
  if (!late_ && options_->clock->Now() >= ready_deadline_) {
    late_ = true;
    Fail(absl::StrCat(info_.name, " was not ready within ", FormatNanos(spec_->ready.within_ns)), true);
    if (!running()) return;
  }
  if (!spec_->job && spec_->ready.how == Readiness::GRPC_HEALTH) return AskHealth();
  if (ReadyNow()) return BecomeReady(options_->clock->Now());
  AskAgain();
}

bool Instance::ReadyNow() const {
  if (spec_->job) return false;
  return spec_->ready.how == Readiness::RUNNING ||
         (spec_->ready.how == Readiness::TCP_CONNECT && Answers(ReadyAddress()));
}

void Instance::AskAgain() {
  SetTimer(&ready_timer_, options_->clock->Now() + kAskEvery, [this] { AskReady(); });
}

void Instance::AskHealth() {
  const int64_t left = late_ ? kSecond : ready_deadline_ - options_->clock->Now();
  const int64_t timeout = std::clamp(left, kShortestAsk, kSecond);
  const auto on_answer = [this, asked = info_.incarnation, alive = std::weak_ptr<bool>(alive_)](absl::Status status) {
    if (alive.expired() || asked != info_.incarnation || !running()) return;
    if (status.ok()) return BecomeReady(options_->clock->Now());
    AskAgain();
  };
  options_->grpc_health(ReadyAddress(), spec_->ready.service, timeout, on_answer);
}

void Instance::BecomeReady(int64_t at_ns) {
  if (info_.ready) return;
  options_->loop->Cancel(ready_timer_);
  info_.ready = ever_ready_ = true;
  options_->observer->OnReady(info_, at_ns);
  on_change_();
}

void Instance::PollOutput() {
  if (info_.incarnation == 0) return;
  if (!patterns_->AsksForEvents() && (!patterns_->AsksForReady() || info_.ready)) return tail_.Skip();
  const bool more = tail_.Poll([this](std::string_view line) { OnLine(line); });
  if (!more && !running()) tail_.Flush([this](std::string_view line) { OnLine(line); });
}

void Instance::OnLine(std::string_view line) {
  const auto patterns = patterns_;  // an observer may set others
  if (running() && !info_.ready && !spec_->job && patterns->Ready(line)) BecomeReady(options_->clock->Now());
  patterns->ForEachEvent(line, [this](const std::string& name, double value) {
    options_->observer->OnEvent(info_, name, value, options_->clock->Now());
  });
}

}  // namespace squall

#include "targets/process/instance.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "faults/core/random.h"
#include "faults/core/status_macros.h"
#include "targets/process/proc.h"
#include "targets/process/template.h"

namespace squall {

namespace {
constexpr int64_t kAskEvery = 20 * kMillisecond;
constexpr int kTailLines = 5;

// Loopback answers a connect at once, so a blocking one does not hold the loop up.
bool Connects(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  if (colon == address.npos || !absl::SimpleAtoi(address.substr(colon + 1), &port) ||
      inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr) != 1) {
    return false;
  }
  to.sin_port = htons(port);
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to));
  int error = 0;
  socklen_t size = sizeof(error);
  sockaddr_in peer{};
  socklen_t peer_size = sizeof(peer);
  return getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0 &&
         getpeername(fd.get(), reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0;
}

}  // namespace

absl::StatusOr<std::shared_ptr<RolePatterns>> RolePatterns::Compile(const TargetSpec& spec) {
  auto patterns = std::make_shared<RolePatterns>();
  const auto compile = [&spec](const std::string& what, const std::string& text) -> absl::StatusOr<std::unique_ptr<RE2>> {
    auto regex = std::make_unique<RE2>(text, RE2::Quiet);
    if (regex->ok()) return regex;
    return absl::InvalidArgumentError(absl::StrCat("role ", spec.role, ": ", what, ": ", regex->error()));
  };
  if (spec.ready.how == Readiness::LOG_LINE) {
    ASSIGN_OR_RETURN(patterns->ready, compile("ready.log", spec.ready.regex));
  }
  for (const EventRule& rule : spec.events) {
    Rule compiled;
    compiled.name = rule.name;
    ASSIGN_OR_RETURN(compiled.regex, compile(absl::StrCat("events.", rule.name), rule.regex));
    const auto& groups = compiled.regex->NamedCapturingGroups();
    if (const auto group = groups.find("value"); group != groups.end()) compiled.value_group = group->second;
    patterns->rules.push_back(std::move(compiled));
  }
  return patterns;
}

Instance::Instance(const Fleet::Options* options, std::shared_ptr<const TargetSpec> spec,
                   std::shared_ptr<RolePatterns> patterns, uint32_t index, std::map<std::string, std::string> labels,
                   std::function<void()> on_change)
    : options_(options),
      spec_(std::move(spec)),
      patterns_(std::move(patterns)),
      on_change_(std::move(on_change)),
      tail_(absl::StrCat(options->directory, "/", spec_->role, ".", index, ".log")) {
  info_.name = absl::StrCat(spec_->role, "/", index);
  info_.role = spec_->role;
  info_.index = index;
  info_.labels = std::move(labels);
  info_.log = absl::StrCat(spec_->role, ".", index, ".log");
  info_.port_names = spec_->ports;
}

Instance::~Instance() {
  for (const auto& timer : {ready_timer_, kill_timer_, restart_timer_, drain_timer_}) options_->loop->Cancel(timer);
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

std::map<std::string, std::string> Instance::Variables() const {
  std::map<std::string, std::string> variables = variables_;
  for (const auto& [name, address] : info_.ports) {
    variables["port." + name] = address.substr(address.rfind(':') + 1);
  }
  if (!info_.port_names.empty()) variables["port"] = variables["port." + info_.port_names.front()];
  for (const auto& [name, value] : info_.labels) variables["label." + name] = value;
  variables["index"] = absl::StrCat(info_.index);
  variables["role"] = info_.role;
  variables["dir"] = absl::StrCat(options_->directory, "/", info_.role, ".", info_.index);
  return variables;
}

absl::StatusOr<SpawnRequest> Instance::MakeRequest() const {
  const std::map<std::string, std::string> variables = Variables();
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
  if (!has_path) request.env.push_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  ASSIGN_OR_RETURN(request.cwd, fill("cwd", spec_->cwd.empty() ? "${dir}" : spec_->cwd));
  request.output = absl::StrCat(options_->directory, "/", info_.log);
  return request;
}

absl::Status Instance::CheckTemplates(const std::map<std::string, std::string>& variables) const {
  Instance* self = const_cast<Instance*>(this);
  self->variables_ = variables;
  return MakeRequest().status();
}

void Instance::Start(const std::map<std::string, std::string>& variables) {
  variables_ = variables;
  Spawn();
}

void Instance::Spawn() {
  const int64_t now = options_->clock->Now();
  const auto request = MakeRequest();
  if (!request.ok()) return options_->observer->OnFailed(info_, std::string(request.status().message()), now);
  if (spec_->cwd.empty()) mkdir(request->cwd.c_str(), 0700);
  ++info_.incarnation;
  info_.ready = false;
  const auto pid = options_->spawner->Spawn(*request);
  if (!pid.ok()) {
    --info_.incarnation;
    return options_->observer->OnFailed(info_, std::string(pid.status().message()), now);
  }
  info_.pid = *pid;
  options_->observer->OnStarted(info_, options_->clock->Now());
  ready_deadline_ = now + spec_->ready.within_ns;
  AskReady();
  on_change_();
}

std::string Instance::ReadyAddress() const {
  const std::string port = spec_->ready.port.empty() && !info_.port_names.empty() ? info_.port_names.front() : spec_->ready.port;
  const auto found = info_.ports.find(port);
  return found == info_.ports.end() ? "" : found->second;
}

// Asks again and again until ready, ended or too late. A log line is noticed by PollOutput, a job by its end.
void Instance::AskReady() {
  if (!running() || info_.ready) return;
  if (options_->clock->Now() >= ready_deadline_) return NotReadyInTime();
  if (!spec_->job && spec_->ready.how == Readiness::RUNNING) return BecomeReady();
  if (!spec_->job && spec_->ready.how == Readiness::TCP_CONNECT && Connects(ReadyAddress())) return BecomeReady();
  const auto again = [this] { ready_timer_ = options_->loop->After(kAskEvery, [this] { AskReady(); }); };
  if (spec_->job || spec_->ready.how != Readiness::GRPC_HEALTH) return again();
  const uint32_t asked = info_.incarnation;
  options_->grpc_health(ReadyAddress(), spec_->ready.service, kSecond,
                        [this, asked, again, alive = std::weak_ptr<bool>(alive_)](absl::Status status) {
                          if (alive.expired() || asked != info_.incarnation) return;
                          if (status.ok() && running()) return BecomeReady();
                          again();
                        });
}

void Instance::NotReadyInTime() {
  std::string error = absl::StrCat(info_.name, " was not ready within ", spec_->ready.within_ns / kMillisecond, " ms");
  const std::string lines = tail_.LastLines(kTailLines);
  absl::StrAppend(&error, lines.empty() ? "; it wrote nothing" : absl::StrCat("; its last lines:\n", lines));
  options_->observer->OnFailed(info_, error, options_->clock->Now());
}

void Instance::BecomeReady() {
  if (info_.ready) return;
  options_->loop->Cancel(ready_timer_);
  info_.ready = true;
  options_->observer->OnReady(info_, options_->clock->Now());
  on_change_();
}

void Instance::PollOutput() {
  tail_.Poll([this](std::string_view line) {
    const re2::StringPiece text(line.data(), line.size());
    if (patterns_->ready != nullptr && running() && !info_.ready && RE2::PartialMatch(text, *patterns_->ready)) {
      BecomeReady();
    }
    for (const RolePatterns::Rule& rule : patterns_->rules) {
      std::vector<re2::StringPiece> groups(rule.value_group + 1);
      if (!rule.regex->Match(text, 0, text.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
        continue;
      }
      double value = 1;
      if (rule.value_group > 0 && !absl::SimpleAtod(absl::string_view(groups[rule.value_group].data(),
                                                                      groups[rule.value_group].size()), &value)) {
        value = 1;
      }
      options_->observer->OnEvent(info_, rule.name, value, options_->clock->Now());
    }
  });
}

void Instance::End(int64_t grace_ns) {
  ending_ = true;
  options_->loop->Cancel(restart_timer_);
  options_->loop->Cancel(drain_timer_);
  if (!running()) return;
  (void)Continue();  // a stopped process does not hear TERM
  (void)options_->spawner->Signal(info_.name, SIGTERM);
  kill_timer_ = options_->loop->After(grace_ns, [this] {
    if (running()) (void)options_->spawner->Signal(info_.name, SIGKILL);
  });
}

void Instance::DrainAt(int64_t when_ns, int64_t grace_ns) {
  info_.drained = true;
  drain_timer_ = options_->loop->At(when_ns, [this, grace_ns] { End(grace_ns); });
}

void Instance::OnExited(int pid, int wait_status, int sent_signal, int64_t at_ns, double cpu_seconds) {
  if (pid != info_.pid) return;
  PollOutput();  // what it said last comes before its end
  options_->loop->Cancel(ready_timer_);
  options_->loop->Cancel(kill_timer_);
  info_.pid = 0;
  info_.ready = false;
  info_.stopped = false;
  ended_cpu_seconds_ += cpu_seconds;
  FleetObserver::Exit exit;
  exit.cpu_seconds = cpu_seconds;
  if (WIFSIGNALED(wait_status)) exit.signal = WTERMSIG(wait_status);
  if (WIFEXITED(wait_status)) exit.code = WEXITSTATUS(wait_status);
  last_signal_ = exit.signal;
  const bool by_us = sent_signal != 0 && (exit.signal == sent_signal || ending_);
  exit.cause = by_us ? "by us" : exit.signal != 0 ? "by signal" : "by itself";
  exit.wanted = ending_ || spec_->job;
  if (spec_->job && exit.signal == 0 && exit.code == 0) {
    info_.ready = true;
    options_->observer->OnReady(info_, at_ns);
  }
  options_->observer->OnExited(info_, exit, at_ns);
  MaybeRestart(exit);
  on_change_();
}

void Instance::MaybeRestart(const FleetObserver::Exit& exit) {
  const RestartPolicy& policy = spec_->restart;
  const bool crashed = exit.signal != 0 || exit.code != 0;
  const bool wanted = policy.when == RestartPolicy::ALWAYS || (policy.when == RestartPolicy::ON_CRASH && crashed);
  if (ending_ || spec_->job || !wanted || (policy.at_most > 0 && restarts_ >= policy.at_most)) return;
  ++restarts_;
  RandomStream stream(options_->seed, absl::StrCat("restart/", info_.name, "/", info_.incarnation));
  const double factor = policy.jitter > 0 ? stream.Uniform(1 - policy.jitter, 1 + policy.jitter) : 1;
  restart_timer_ = options_->loop->After(static_cast<int64_t>(static_cast<double>(policy.after_ns) * factor),
                                         [this] { Spawn(); });
}

absl::Status Instance::Signal(int signo) {
  if (!running()) return absl::FailedPreconditionError(absl::StrCat(info_.name, " does not run"));
  return options_->spawner->Signal(info_.name, signo);
}

absl::Status Instance::Stop(int64_t deadline_ns) {
  if (!running()) return absl::FailedPreconditionError(absl::StrCat(info_.name, " does not run"));
  RETURN_IF_ERROR(options_->spawner->Stop(info_.name, deadline_ns));
  info_.stopped = true;
  return absl::OkStatus();
}

absl::Status Instance::Continue() {
  info_.stopped = false;
  if (!running()) return absl::OkStatus();
  const absl::Status continued = options_->spawner->Continue(info_.name);
  // It may have ended meanwhile; its Exited event is on the way.
  return absl::IsNotFound(continued) || absl::IsFailedPrecondition(continued) ? absl::OkStatus() : continued;
}

ProcessSeam::State Instance::Look() const {
  State state;
  state.running = running();
  state.stopped = IsStopped(info_.pid);
  state.incarnation = info_.incarnation;
  state.exit_signal = last_signal_;
  return state;
}

}  // namespace squall

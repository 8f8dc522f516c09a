#include "harness/agent/run_agent.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <utility>

#include "faults/core/lease.h"
#include "harness/agent/core.h"
#include "harness/agent/local_service.h"
#include "harness/agent/session.h"

namespace squall {
namespace {

constexpr int kToolFailed = 5;

// TERM and INT as a descriptor; blocked for all threads that start later.
int SignalDescriptor() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct Process {
  RealClock clock;
  EventLoop loop{&clock};
  int exit_code = 0;
  bool draining = false;

  void StopWith(int code) {
    exit_code = code;
    loop.Stop();
  }
  void Drain(AgentCore* core) {
    if (std::exchange(draining, true)) return StopWith(exit_code);  // asked twice: at once
    core->Drain([this] { loop.Stop(); });
  }
};

AgentCore::Options CoreOptions(const AgentOptions& options, Process* process, LeasePage* lease) {
  AgentCore::Options core;
  core.loop = &process->loop;
  core.clock = &process->clock;
  core.guardian_fd = options.guardian_fd;
  core.lease = lease;
  core.name = options.name;
  core.role = options.role;
  core.labels = options.labels;
  core.test_mode = options.test_mode;
  core.version = options.version;
  core.directory = options.directory;
  core.relay_binary = options.relay_binary;
  core.load_binary = options.load_binary;
  core.halt_file = options.halt_file;
  core.guardian_gone = [process] {
    std::cerr << "squall agent: the guardian is gone; every fault is lifted\n";
    process->StopWith(kToolFailed);
  };
  return core;
}

int Fail(const absl::Status& status) {
  std::cerr << "squall agent: " << status.message() << "\n";
  return kToolFailed;
}

}  // namespace

int RunAgent(AgentOptions options) {
  const int signals = SignalDescriptor();
  Process process;
  auto lease = LeasePage::Map(options.lease_fd);
  if (!lease.ok()) return Fail(lease.status());
  AgentCore::Options core_options = CoreOptions(options, &process, &*lease);
  if (options.own.has_value()) {
    core_options.own_ended = [&process](int code) {
      process.exit_code = code;
      process.loop.Stop();
    };
  }
  AgentCore core(std::move(core_options));
  process.loop.Watch(signals, EPOLLIN, [&](uint32_t) {
    signalfd_siginfo info;
    if (read(signals, &info, sizeof(info)) == sizeof(info)) process.Drain(&core);
  });
  if (options.own.has_value()) {
    const absl::Status started = core.StartOwn(*options.own, options.links);
    if (!started.ok()) return Fail(started);
  }
  std::unique_ptr<LocalService> local;
  std::unique_ptr<grpc::Server> server;
  if (options.local.has_value()) {
    local = std::make_unique<LocalService>(&process.loop, &core);
    auto serving = Serve(*options.local, {local.get()}, nullptr);
    if (!serving.ok()) return Fail(serving.status());
    server = *std::move(serving);
  }
  std::unique_ptr<Session> session;
  if (options.controller.has_value()) {
    session = std::make_unique<Session>(&process.loop, &core, *options.controller, [&process](const std::string& why) {
      std::cerr << "squall agent: the controller refused: " << why << "\n";
      process.StopWith(kToolFailed);
    });
  }
  process.loop.Run();
  session.reset();
  if (server != nullptr) server->Shutdown(std::chrono::system_clock::time_point());  // long past: at once
  if (options.local.has_value()) unlink(options.local->path.c_str());
  close(signals);
  return process.exit_code;
}

}  // namespace squall

#include "harness/cli/local_run.h"

#include <signal.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "faults/core/event_loop.h"
#include "faults/core/status_macros.h"
#include "harness/cli/binaries.h"
#include "harness/cli/commands.h"
#include "harness/cli/run_report.h"
#include "harness/controller/hub.h"
#include "harness/controller/run_driver.h"
#include "harness/controller/run_id.h"
#include "targets/guardian/launcher.h"

namespace squall {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kGuardianLeaves = 5 * kSecond;

uint64_t RandomNumber() {
  uint64_t number = 0;
  (void)!getrandom(&number, sizeof(number), 0);
  return number;
}

int64_t UnixMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A directory of our own for the sockets: short, private, removed with us.
class PrivateDirectory {
 public:
  static absl::StatusOr<std::unique_ptr<PrivateDirectory>> Make() {
    std::string path = "/tmp/squall-XXXXXX";  // not TMPDIR: a unix socket's path is at most 107 bytes
    if (mkdtemp(path.data()) == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("making ", path));
    return std::unique_ptr<PrivateDirectory>(new PrivateDirectory(path));
  }
  ~PrivateDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

// SIGINT, SIGTERM and the guardian's death, watched by a thread of their own while the run goes on.
class Watchman {
 public:
  Watchman(RunDriver* driver, int guardian_pidfd, int64_t halt_after_ns)
      : driver_(driver), guardian_(guardian_pidfd), halt_after_ns_(halt_after_ns) {
    thread_ = std::thread([this] { Watch(); });
  }
  ~Watchman() {
    loop_.Stop();
    thread_.join();
  }

 private:
  void Watch() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    const int signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    loop_.Watch(signals, EPOLLIN, [&](uint32_t) {
      signalfd_siginfo info;
      if (read(signals, &info, sizeof(info)) != sizeof(info)) return;
      const bool interrupt = info.ssi_signo == SIGINT;
      driver_->Halt(interrupt ? "SIGINT" : "SIGTERM", interrupt ? 130 : 143);
    });
    loop_.Watch(guardian_, EPOLLIN, [this](uint32_t) {
      loop_.Unwatch(guardian_);
      driver_->ReportLost(kLocalAgent);
    });
    if (halt_after_ns_ > 0) loop_.After(halt_after_ns_, [this] { driver_->Halt("the time for this run is over", 0); });
    loop_.Run();
    close(signals);
  }

  RunDriver* const driver_;
  const int guardian_;
  const int64_t halt_after_ns_;
  RealClock clock_;
  EventLoop loop_{&clock_};
  std::thread thread_;
};

RunOutcome Fail(const absl::Status& status) {
  return {kToolError, absl::StrCat("squall run: ", status.message(), "\n"), std::nullopt};
}

std::string Errors(const std::vector<PlanError>& errors) {
  std::string text;
  for (const PlanError& error : errors) absl::StrAppend(&text, FormatError(error), "\n");
  return text;
}

absl::StatusOr<RunningGuardian> LaunchAgent(const Binaries& binaries, const std::string& socket,
                                            const std::string& logs) {
  GuardianLaunch launch;
  launch.guardian = binaries.guardian;
  launch.agent_argv = {binaries.squall,
                       "agent",
                       "--test",
                       absl::StrCat("--name=", kLocalAgent),
                       "--socket=none",
                       absl::StrCat("--controller=unix:", socket),
                       absl::StrCat("--directory=", logs)};
  launch.output = absl::StrCat(logs, "/agent.log");
  return StartGuardian(launch);
}

EngineOptions OptionsFor(const RunOptions& run, const std::string& run_id, uint64_t seed, int64_t now_ms) {
  EngineOptions options;
  options.run_id = run_id;
  options.seed = seed;
  options.binaries = run.binaries;
  options.directory = run.report_dir + "/targets";
  options.replay_command = absl::StrCat(run.replay_command, seed);
  options.started_at = FormatWallClock(now_ms);
  options.squall_version = kVersion;
  options.mode = EngineOptions::Mode::kTest;
  return options;
}

absl::StatusOr<RunOutcome> RunWith(const RunOptions& options, LoadedPlan plan, const Binaries& binaries) {
  const int64_t now_ms = UnixMillis();
  const std::string run_id = MakeRunId(now_ms, RandomNumber(), RandomNumber());
  const uint64_t seed = options.seed.value_or(RandomNumber() >> 33);
  std::error_code error;
  fs::create_directories(options.report_dir + "/targets", error);
  if (error) return absl::UnavailableError(absl::StrCat("making ", options.report_dir, ": ", error.message()));
  ASSIGN_OR_RETURN(const std::unique_ptr<PrivateDirectory> directory, PrivateDirectory::Make());
  ASSIGN_OR_RETURN(const Address address, ParseAddress(directory->path() + "/controller.sock", ""));
  RealClock clock;
  AgentHub hub(address);
  ASSIGN_OR_RETURN(const std::unique_ptr<grpc::Server> server, Serve(address, {&hub}, nullptr));
  RETURN_IF_ERROR(BecomeSubreaper());
  ASSIGN_OR_RETURN(RunningGuardian guardian, LaunchAgent(binaries, address.path, options.report_dir + "/targets"));
  RunDriver driver(&hub, &clock);
  const plan::v1::Plan copy = plan.plan;
  std::unique_ptr<Engine> engine;
  {
    Watchman watchman(&driver, guardian.pidfd(), options.halt_after_ns);
    engine = driver.Run(std::move(plan), OptionsFor(options, run_id, seed, now_ms), options.status);
  }
  (void)guardian.Signal(SIGTERM);
  (void)guardian.Wait(kGuardianLeaves);
  guardian.CloseParentEnd();
  const absl::Status gone = KillTree(kGuardianLeaves);
  hub.Shutdown();
  server->Shutdown(std::chrono::system_clock::now());
  if (!gone.ok()) return gone;
  ASSIGN_OR_RETURN(std::string screen, WriteRunReport(*engine, copy, options.report_dir, options.style));
  return RunOutcome{engine->exit_code(), std::move(screen), engine->Report()};
}

}  // namespace

RunOutcome RunLocally(const RunOptions& options) {
  LoadResult loaded = LoadPlanFile(options.plan_path, options.sets);
  if (!loaded.ok()) return {kBadUsage, Errors(loaded.errors), std::nullopt};
  const auto binaries = FindBinaries();
  if (!binaries.ok()) return Fail(binaries.status());
  // Before any thread starts: all of them leave these to the watchman.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  auto outcome = RunWith(options, *std::move(loaded.plan), *binaries);
  return outcome.ok() ? *std::move(outcome) : Fail(outcome.status());
}

absl::StatusOr<std::map<std::string, std::string>> ParsePairs(const std::string& flag,
                                                              const std::vector<std::string>& pairs) {
  std::map<std::string, std::string> out;
  for (const std::string& pair : pairs) {
    const std::vector<std::string> parts = absl::StrSplit(pair, absl::MaxSplits('=', 1));
    if (parts.size() != 2 || parts[0].empty()) {
      return absl::InvalidArgumentError(absl::StrCat(flag, "=", pair, ": write NAME=VALUE"));
    }
    if (!out.emplace(parts[0], parts[1]).second) {
      return absl::InvalidArgumentError(absl::StrCat(flag, ": ", parts[0], " is given twice"));
    }
  }
  return out;
}

}  // namespace squall

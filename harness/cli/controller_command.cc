// squall controller: waits for agents, carries out one plan after the other.
#include <signal.h>
#include <sys/random.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/status_macros.h"
#include "harness/api/controller.grpc.pb.h"
#include "harness/cli/commands.h"
#include "harness/cli/run_report.h"
#include "harness/controller/address.h"
#include "harness/controller/hub.h"
#include "harness/controller/run_driver.h"
#include "harness/controller/run_id.h"

namespace squall {
namespace {

namespace fs = std::filesystem;
using controller::v1::RunPlanRequest;
using controller::v1::RunUpdate;

constexpr size_t kLongestPlan = 256 << 10;
constexpr size_t kChunk = 1 << 20;

uint64_t RandomNumber() {
  uint64_t number = 0;
  (void)!getrandom(&number, sizeof(number), 0);
  return number;
}

class ControllerService : public controller::v1::Controller::Service {
 public:
  ControllerService(Address address, AgentHub* hub) : address_(std::move(address)), hub_(hub) {}

  grpc::Status RunPlan(grpc::ServerContext* context, const RunPlanRequest* request,
                       grpc::ServerWriter<RunUpdate>* writer) override {
    if (const grpc::Status allowed = Authorize(address_, *context); !allowed.ok()) return allowed;
    if (request->plan_text().size() > kLongestPlan) {
      return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "a plan may have at most 256 KiB");
    }
    LoadResult loaded =
        LoadPlan(request->plan_text(), request->plan_path(), {request->params().begin(), request->params().end()});
    if (!loaded.ok()) return Finish(writer, kBadUsage, Errors(loaded.errors));
    {
      MutexLock lock(&mutex_);
      if (running_) return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "a run is going on; one at a time");
      running_ = true;
    }
    const grpc::Status status = RunLoaded(context, *request, *std::move(loaded.plan), writer);
    MutexLock lock(&mutex_);
    running_ = false;
    return status;
  }

  grpc::Status Agents(grpc::ServerContext* context, const controller::v1::AgentsRequest*,
                      controller::v1::AgentsReply* reply) override {
    if (const grpc::Status allowed = Authorize(address_, *context); !allowed.ok()) return allowed;
    for (const auto& registration : hub_->Agents()) {
      auto* agent = reply->add_agents();
      agent->set_name(registration.agent());
      agent->set_role(registration.role());
      agent->set_version(registration.version());
      *agent->mutable_capabilities() = registration.capabilities();
    }
    return grpc::Status::OK;
  }

 private:
  static std::string Errors(const std::vector<PlanError>& errors) {
    std::string text;
    for (const PlanError& error : errors) absl::StrAppend(&text, FormatError(error), "\n");
    return text;
  }

  static grpc::Status Finish(grpc::ServerWriter<RunUpdate>* writer, int exit_code, const std::string& screen) {
    RunUpdate update;
    update.mutable_done()->set_exit_code(exit_code);
    update.mutable_done()->set_last_screen(screen);
    writer->Write(update);
    return grpc::Status::OK;
  }

  grpc::Status RunLoaded(grpc::ServerContext* context, const RunPlanRequest& request, LoadedPlan plan,
                         grpc::ServerWriter<RunUpdate>* writer);
  static absl::Status SendFiles(const std::string& directory, grpc::ServerWriter<RunUpdate>* writer);

  const Address address_;
  AgentHub* const hub_;
  Mutex mutex_;
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t epoch_ = 0;  // of the one run at a time
};

grpc::Status ControllerService::RunLoaded(grpc::ServerContext* context, const RunPlanRequest& request, LoadedPlan plan,
                                          grpc::ServerWriter<RunUpdate>* writer) {
  std::string directory = "/tmp/squall-run-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return grpc::Status(grpc::StatusCode::INTERNAL, "no directory for the run");
  const int64_t now_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  EngineOptions options;
  options.run_id = MakeRunId(now_ms, RandomNumber(), RandomNumber());
  options.seed = request.has_seed() ? request.seed() : RandomNumber() >> 33;
  options.epoch = static_cast<uint64_t>(now_ms) + ++epoch_;  // grows over restarts of the controller, too
  options.binaries.insert(request.binaries().begin(), request.binaries().end());
  options.directory = directory;
  options.replay_command = absl::StrCat(request.replay_command(), options.seed);
  options.started_at = FormatWallClock(now_ms);
  options.squall_version = kVersion;
  options.mode = EngineOptions::Mode::kAttach;
  RealClock clock;
  RunDriver driver(hub_, &clock);
  const plan::v1::Plan copy = plan.plan;
  bool cancelled = false;
  const auto engine = driver.Run(std::move(plan), std::move(options), [&](const std::string& line) {
    RunUpdate update;
    update.set_status_line(line);
    writer->Write(update);
    if (context->IsCancelled() && !std::exchange(cancelled, true)) driver.Halt("the caller is gone", 0);
  });
  const auto screen = WriteRunReport(*engine, copy, directory, TerminalStyle());
  const absl::Status sent = screen.ok() ? SendFiles(directory, writer) : screen.status();
  std::error_code ignored;
  fs::remove_all(directory, ignored);
  if (!sent.ok()) return grpc::Status(grpc::StatusCode::INTERNAL, std::string(sent.message()));
  return Finish(writer, engine->exit_code(), *screen);
}

absl::Status ControllerService::SendFiles(const std::string& directory, grpc::ServerWriter<RunUpdate>* writer) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string chunk(kChunk, '\0');
    do {
      file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
      RunUpdate update;
      update.mutable_file()->set_path(entry.path().filename().string());
      update.mutable_file()->set_chunk(chunk.substr(0, file.gcount()));
      writer->Write(update);
    } while (file);
  }
  return error ? absl::UnavailableError(error.message()) : absl::OkStatus();
}

}  // namespace

int ControllerCommand(const ControllerFlags& flags) {
  const auto address = ParseAddress(flags.listen, flags.token_file);
  if (!address.ok()) {
    std::cerr << "squall controller: " << address.status().message() << "\n";
    return kBadUsage;
  }
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  AgentHub hub(*address);
  ControllerService service(*address, &hub);
  int port = 0;
  const auto server = Serve(*address, {&hub, &service}, &port);
  if (!server.ok()) {
    std::cerr << "squall controller: " << server.status().message() << "\n";
    return kToolError;
  }
  std::cout << "squall controller: listening on "
            << (address->path.empty() ? absl::StrCat("127.0.0.1:", port) : address->grpc) << std::endl;
  int signo = 0;
  sigwait(&set, &signo);
  hub.Shutdown();
  (*server)->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  return 0;
}

}  // namespace squall

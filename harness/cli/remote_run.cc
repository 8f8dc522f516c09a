#include "harness/cli/remote_run.h"

#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "harness/api/controller.grpc.pb.h"
#include "harness/cli/commands.h"
#include "harness/controller/address.h"

namespace squall {
namespace {

namespace fs = std::filesystem;
using controller::v1::Controller;
using controller::v1::RunPlanRequest;
using controller::v1::RunUpdate;

absl::StatusOr<RunPlanRequest> MakeRequest(const RunOptions& options) {
  std::ifstream file(options.plan_path, std::ios::binary);
  if (!file) return absl::InvalidArgumentError(absl::StrCat(options.plan_path, ": cannot be read"));
  std::stringstream text;
  text << file.rdbuf();
  RunPlanRequest request;
  request.set_plan_path(options.plan_path);
  request.set_plan_text(text.str());
  for (const auto& [name, value] : options.sets) (*request.mutable_params())[name] = value;
  for (const auto& [name, path] : options.binaries) (*request.mutable_binaries())[name] = path;
  request.set_seed(options.seed.value_or(0));
  request.set_has_seed(options.seed.has_value());
  request.set_replay_command(options.replay_command);
  return request;
}

// Report files by name; only plain names below the report directory are taken.
class Files {
 public:
  explicit Files(std::string directory) : directory_(std::move(directory)) {}
  absl::Status Append(const controller::v1::ReportFile& file) {
    if (file.path().empty() || file.path().find('/') != std::string::npos || file.path()[0] == '.') {
      return absl::DataLossError(absl::StrCat("the controller sent a file named ", file.path()));
    }
    std::error_code error;
    fs::create_directories(directory_, error);
    auto& stream = open_[file.path()];
    if (!stream.is_open()) stream.open(directory_ + "/" + file.path(), std::ios::binary | std::ios::trunc);
    stream.write(file.chunk().data(), static_cast<std::streamsize>(file.chunk().size()));
    return stream.good() ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("writing ", file.path(), " failed"));
  }

 private:
  const std::string directory_;
  std::map<std::string, std::ofstream> open_;
};

// Cancels the call on SIGINT or SIGTERM: the controller halts the run, and we say how we ended.
class Canceller {
 public:
  explicit Canceller(grpc::ClientContext* context) {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    thread_ = std::thread([this, context] {
      while (!stop_.load()) {
        const timespec wait{0, 100'000'000};
        const int signo = sigtimedwait(&set_, nullptr, &wait);
        if (signo <= 0) continue;
        exit_code_.store(signo == SIGINT ? 130 : 143);
        context->TryCancel();
      }
    });
  }
  ~Canceller() {
    stop_.store(true);
    thread_.join();
  }
  int exit_code() const { return exit_code_.load(); }

 private:
  sigset_t set_;
  std::atomic<bool> stop_{false};
  std::atomic<int> exit_code_{0};
  std::thread thread_;
};

absl::StatusOr<RunOutcome> Run(const RunOptions& options, const std::string& where, const std::string& token_file) {
  ASSIGN_OR_RETURN(const Address address, ParseAddress(where, token_file));
  ASSIGN_OR_RETURN(const RunPlanRequest request, MakeRequest(options));
  const auto stub = Controller::NewStub(Dial(address));
  grpc::ClientContext context;
  Authenticate(address, &context);
  RunOutcome outcome;
  Files files(options.report_dir);
  bool done = false;
  grpc::Status status;
  int interrupted = 0;
  {
    Canceller canceller(&context);
    const auto stream = stub->RunPlan(&context, request);
    RunUpdate update;
    while (stream->Read(&update)) {
      if (update.has_file()) RETURN_IF_ERROR(files.Append(update.file()));
      if (update.update_case() == RunUpdate::kStatusLine && options.status) options.status(update.status_line());
      if (update.has_done()) {
        done = true;
        outcome = {update.done().exit_code(), update.done().last_screen(), std::nullopt};
      }
    }
    status = stream->Finish();
    interrupted = canceller.exit_code();
  }
  if (interrupted != 0)
    return RunOutcome{interrupted, "squall run: interrupted; the controller was told to halt the run\n", std::nullopt};
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                        absl::StrCat("controller ", where, ": ", status.error_message()));
  }
  if (!done) return absl::UnavailableError(absl::StrCat("controller ", where, " ended the call without a verdict"));
  return outcome;
}

}  // namespace

RunOutcome RunRemotely(const RunOptions& options, const std::string& controller, const std::string& token_file) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  auto outcome = Run(options, controller, token_file);
  if (outcome.ok()) return *std::move(outcome);
  const bool usage = absl::IsInvalidArgument(outcome.status()) || absl::IsPermissionDenied(outcome.status());
  return {usage ? kBadUsage : kToolError, absl::StrCat("squall run: ", outcome.status().message(), "\n"), std::nullopt};
}

}  // namespace squall

#include "targets/host/testing/host_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "faults/core/clock.h"
#include "targets/guardian/protocol.h"
#include "targets/host/testing/sockets.h"

namespace squall::testing {
namespace {

constexpr int kControl = 200, kLease = 201, kGuardian = 202, kFirstListener = 203;  // free in any child

void Must(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::abort();
}

}  // namespace

HostProcess::HostProcess(const std::string& path, const std::vector<std::pair<std::string, int>>& listeners,
                         const std::vector<std::string>& arguments)
    : lease(*LeasePage::Create()) {
  lease.Extend(INT64_MAX);
  auto control = *MakeChannel();
  auto guardian = *MakeChannel();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, control.second.get(), kControl);
  posix_spawn_file_actions_adddup2(&actions, lease.fd(), kLease);
  posix_spawn_file_actions_adddup2(&actions, guardian.second.get(), kGuardian);
  std::vector<std::string> words = {path, "--control_fd=" + std::to_string(kControl),
                                    "--lease_fd=" + std::to_string(kLease),
                                    "--guardian_fd=" + std::to_string(kGuardian)};
  for (size_t i = 0; i < listeners.size(); ++i) {
    const int fd = kFirstListener + static_cast<int>(i);
    posix_spawn_file_actions_adddup2(&actions, listeners[i].second, fd);
    words.push_back("--listener=" + listeners[i].first + "=" + std::to_string(fd));
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  char* const environment[] = {nullptr};
  const int error = posix_spawn(&pid_, path.c_str(), &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  errno = error;
  Must(error == 0, path.c_str());
  pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  Must(pidfd_.valid(), "pidfd_open");
  guardian_ = std::move(guardian.first);
  client_ = std::make_unique<HostClient>(
      std::move(control.first),
      HostClient::Events{.stats = [this](const host::v1::HostStats& came) { stats = came; },
                         .ended = [this](const host::v1::HostFaultEnded& came) { ended.push_back(came); },
                         .gone = nullptr});
}

HostProcess::~HostProcess() {
  if (pid_ < 0) return;
  syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  Wait(10 * kSecond);
}

absl::StatusOr<host::v1::HostReply> HostProcess::ArmDelay(const std::string& instance, int64_t latency_ns,
                                                          int64_t for_ns, const std::string& object) {
  host::v1::HostRequest request;
  host::v1::ArmFault* arm = request.mutable_arm();
  arm->set_instance(instance);
  arm->set_object(object);
  arm->set_deadline_ns(Now() + for_ns);
  arm->set_seed(1);
  arm->set_site("test/" + instance);
  auto* latency = arm->mutable_fault()->mutable_delay()->mutable_latency();
  latency->set_seconds(latency_ns / kSecond);
  latency->set_nanos(static_cast<int32_t>(latency_ns % kSecond));
  return client_->Call(std::move(request));
}

absl::StatusOr<host::v1::HostReply> HostProcess::Lift(const std::string& instance) {
  host::v1::HostRequest request;
  request.mutable_lift()->set_instance(instance);
  return client_->Call(std::move(request));
}

int HostProcess::Wait(int64_t at_most_ns) {
  pollfd entry{pidfd_.get(), POLLIN, 0};
  if (poll(&entry, 1, static_cast<int>(at_most_ns / kMillisecond)) != 1) return -1000;
  siginfo_t info{};
  Must(waitid(P_PIDFD, pidfd_.get(), &info, WEXITED) == 0, "waitid");
  pid_ = -1;
  return info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
}

}  // namespace squall::testing

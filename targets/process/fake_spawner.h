// A spawner without processes, for tests: remembers what it was asked for; the test says what the processes do.
//
//   FakeSpawner spawner;
//   spawner.on_signal = [&](const std::string& key, int signo) { ... };
//   spawner.Write("server/0", "ready\n");
#ifndef TARGETS_PROCESS_FAKE_SPAWNER_H_
#define TARGETS_PROCESS_FAKE_SPAWNER_H_

#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "faults/core/unique_fd.h"
#include "targets/process/spawner.h"

namespace squall {

class FakeSpawner : public Spawner {
 public:
  absl::StatusOr<int> Spawn(const SpawnRequest& request) override {
    if (!spawn_error.ok()) return spawn_error;
    spawned.push_back(request);
    UniqueFd(open(request.output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    outputs_[request.key] = request.output;
    return pids_[request.key] = next_pid_++;
  }
  absl::Status Signal(const std::string& key, int signo) override {
    if (!pids_.contains(key)) return absl::NotFoundError(key + " does not run");
    calls.emplace_back(key, std::to_string(signo));
    if (on_signal) on_signal(key, signo);
    return absl::OkStatus();
  }
  absl::Status Stop(const std::string& key, int64_t) override {
    if (!pids_.contains(key)) return absl::NotFoundError(key + " does not run");
    calls.emplace_back(key, "stop");
    return absl::OkStatus();
  }
  absl::Status Continue(const std::string& key) override {
    calls.emplace_back(key, "continue");
    return absl::OkStatus();
  }

  int pid(const std::string& key) const { return pids_.at(key); }
  void Forget(const std::string& key) { pids_.erase(key); }  // it has ended
  // As if the target had written it.
  void Write(const std::string& key, const std::string& text) {
    UniqueFd file(open(outputs_.at(key).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    (void)!write(file.get(), text.data(), text.size());
  }

  absl::Status spawn_error;
  std::vector<SpawnRequest> spawned;
  std::vector<std::pair<std::string, std::string>> calls;  // key, signal number or "stop", "continue"
  std::function<void(const std::string& key, int signo)> on_signal;

 private:
  int next_pid_ = 1 << 28;  // beyond what the kernel gives
  std::map<std::string, int> pids_;
  std::map<std::string, std::string> outputs_;
};

}  // namespace squall

#endif  // TARGETS_PROCESS_FAKE_SPAWNER_H_

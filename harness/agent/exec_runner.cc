#include "harness/agent/exec_runner.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace squall {
namespace {
constexpr size_t kLongestOutput = 64 << 10;
}  // namespace

ExecRunner::ExecRunner(EventLoop* loop, Spawner* spawner, std::string directory)
    : loop_(loop), spawner_(spawner), directory_(std::move(directory)) {}

void ExecRunner::Run(const std::vector<std::string>& argv, int64_t timeout_ns, Done done) {
  const std::string key = absl::StrCat("probe/", next_++);
  SpawnRequest request;
  request.key = key;
  request.argv = argv;
  request.env = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  request.cwd = directory_;
  request.output = absl::StrCat(directory_, "/probe.", next_, ".out");
  const auto spawned = spawner_->Spawn(request);
  if (!spawned.ok()) {
    loop_->After(0, [done = std::move(done), status = spawned.status()] { done(status); });
    return;
  }
  Pending& pending = pending_[key];
  pending.output = request.output;
  pending.done = std::move(done);
  pending.timer = loop_->After(timeout_ns, [this, key] {
    pending_[key].timed_out = true;
    (void)spawner_->Signal(key, SIGKILL);  // its Exited event follows
  });
}

bool ExecRunner::OnExited(const std::string& key, int wait_status) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return false;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  loop_->Cancel(pending.timer);
  std::string output(kLongestOutput, '\0');
  std::ifstream file(pending.output, std::ios::binary);
  file.read(output.data(), output.size());
  output.resize(file.gcount());
  unlink(pending.output.c_str());
  if (pending.timed_out) {
    pending.done(absl::DeadlineExceededError("the program took too long"));
  } else {
    const int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
    pending.done(std::make_pair(code, std::move(output)));
  }
  return true;
}

}  // namespace squall

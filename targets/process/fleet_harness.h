// A fleet on a real loop whose observer writes down what it hears, one word a thing: "started a/0", "ready a/0",
// "exited a/0 by signal 9", "event a/0 drop 1". For tests.
#ifndef TARGETS_PROCESS_FLEET_HARNESS_H_
#define TARGETS_PROCESS_FLEET_HARNESS_H_

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "faults/core/event_loop.h"
#include "gtest/gtest.h"
#include "targets/process/fake_spawner.h"
#include "targets/process/fleet.h"

namespace squall {

class FleetHarness : public ::testing::Test, public FleetObserver {
 protected:
  FleetHarness() {
    std::string directory = ::testing::TempDir() + "/fleetXXXXXX";
    directory_ = mkdtemp(directory.data());
  }

  Fleet::Options Options(Spawner* spawner) {
    Fleet::Options options;
    options.spawner = spawner;
    options.clock = &clock_;
    options.loop = &loop_;
    options.observer = this;
    options.directory = directory_;
    options.seed = 7;
    return options;
  }

  // A fleet of these specs over the fake spawner, begun.
  void Begin(std::vector<TargetSpec> specs, const std::map<std::string, std::string>& variables = {}) {
    fleet_.emplace(Options(&spawner_));
    ASSERT_EQ(fleet_->Open(std::move(specs)), absl::OkStatus());
    ASSERT_EQ(fleet_->Begin(variables), absl::OkStatus());
  }
  static TargetSpec Spec(const std::string& role, uint32_t count = 1) {
    TargetSpec spec;
    spec.role = role;
    spec.count = count;
    spec.argv = {"/bin/" + role};
    return spec;
  }

  // Runs the loop until the condition holds; bounded for a loaded machine, waits no longer than needed.
  bool Until(const std::function<bool()>& condition, int64_t within_ns = 20 * kSecond) {
    const int64_t end = clock_.Now() + within_ns;
    while (!condition()) {
      if (clock_.Now() >= end) return false;
      loop_.RunOnce(5 * kMillisecond);
    }
    return true;
  }
  void RunFor(int64_t ns) {
    Until([] { return false; }, ns);
  }
  bool Heard(const std::string& what) const { return std::find(heard_.begin(), heard_.end(), what) != heard_.end(); }
  bool UntilHeard(const std::string& what) {
    return Until([&] { return Heard(what); });
  }
  size_t Count(const std::string& what) const { return std::count(heard_.begin(), heard_.end(), what); }
  size_t PlaceOf(const std::string& what) const {
    return std::find(heard_.begin(), heard_.end(), what) - heard_.begin();
  }

  // The process of the fake spawner ends, as waitpid would tell.
  void EndsBySignal(const std::string& key, int signo, int sent = 0) { Ends(key, signo, sent); }
  void EndsWithCode(const std::string& key, int code, int sent = 0) { Ends(key, code << 8, sent); }
  // From now on a signal ends the process, as soon as the loop runs.
  void ObeySignals() {
    spawner_.on_signal = [this](const std::string& key, int signo) {
      loop_.After(0, [this, key, signo, pid = spawner_.pid(key)] {
        if (fleet_->Find(key)->pid == pid) EndsBySignal(key, signo, signo);
      });
    };
  }

  // FleetObserver
  void OnStarted(const InstanceInfo& instance, int64_t) override { heard_.push_back("started " + instance.name); }
  void OnReady(const InstanceInfo& instance, int64_t) override { heard_.push_back("ready " + instance.name); }
  void OnExited(const InstanceInfo& instance, const Exit& exit, int64_t) override {
    heard_.push_back(absl::StrCat("exited ", instance.name, " ", exit.cause, " ",
                                  exit.signal != 0 ? exit.signal : exit.code, exit.wanted ? " wanted" : ""));
  }
  void OnFailed(const InstanceInfo& instance, const std::string& error, int64_t) override {
    heard_.push_back("failed " + instance.name);
    errors_.push_back(error);
  }
  void OnEvent(const InstanceInfo& instance, const std::string& event, double value, int64_t) override {
    heard_.push_back(absl::StrCat("event ", instance.name, " ", event, " ", value));
  }

  RealClock clock_;
  EventLoop loop_{&clock_};
  std::string directory_;
  FakeSpawner spawner_;
  std::optional<Fleet> fleet_;
  std::vector<std::string> heard_;
  std::vector<std::string> errors_;

 private:
  void Ends(const std::string& key, int wait_status, int sent) {
    const int pid = spawner_.pid(key);
    spawner_.Forget(key);
    EXPECT_TRUE(fleet_->OnExited(key, pid, wait_status, sent, clock_.Now(), 0.5));
  }
};

}  // namespace squall

#endif  // TARGETS_PROCESS_FLEET_HARNESS_H_

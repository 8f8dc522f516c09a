// The four seams in memory, for the tests of whoever uses a seam. Each does what its interface says, at the pace of a
// simulated clock, and has an `error` that makes its next calls fail.
//
//   FakeProcess process;
//   CrashFault::Create({})->get()->Arm({.process = &process}, context);
//   EXPECT_FALSE(process.Look().running);
//
// Not thread-safe.
#ifndef FAULTS_SEAMS_FAKES_H_
#define FAULTS_SEAMS_FAKES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "faults/core/clock.h"
#include "faults/seams/instances.h"
#include "faults/seams/link.h"
#include "faults/seams/load.h"
#include "faults/seams/process.h"

namespace squall {

// Runs from the start. Thaws by itself at the deadline of Stop if it has a clock.
class FakeProcess : public ProcessSeam {
 public:
  explicit FakeProcess(const Clock* clock = nullptr) : clock_(clock) {}

  absl::Status Signal(int signo) override;
  absl::Status Stop(int64_t deadline_ns) override;
  absl::Status Continue() override;
  State Look() const override;

  void End(int exit_signal);  // 0: by itself
  void Restart();             // the next incarnation

  absl::Status error;
  bool obeys = true;         // false: a signal does not end it, Stop does not stop it
  std::vector<int> signals;  // all that it was sent

 private:
  const Clock* const clock_;
  State state_{.running = true, .incarnation = 1};
  int64_t thaws_ns_ = 0;
};

// Instances "ROLE/0" ... A started one is ready, a drained one has ended, when the test says so.
class FakeInstances : public InstancesSeam {
 public:
  FakeInstances(std::string role, uint32_t running);

  absl::StatusOr<std::vector<std::string>> StartMore(uint32_t count) override;
  absl::StatusOr<std::vector<std::string>> DrainSome(uint32_t count, int64_t over_ns, int64_t grace_ns) override;
  bool Ready(const std::string& instance) const override { return ready_.contains(instance); }
  bool Ended(const std::string& instance) const override { return ended_.contains(instance); }

  void MakeReady(const std::string& instance) { ready_.insert(instance); }
  void End(const std::string& instance);

  absl::Status error;
  int64_t over_ns = -1, grace_ns = -1;  // of the last DrainSome

 private:
  const std::string role_;
  uint32_t next_;
  std::vector<std::string> running_;  // by index, not drained
  std::set<std::string> ready_, ended_;
};

// A link whose streams exist once something was sent on them.
class FakeLink : public LinkSeam {
 public:
  struct Chunk {
    uint64_t stream;
    faults::v1::Direction direction;
    uint64_t bytes;
    int64_t came;
    int64_t left;
  };
  explicit FakeLink(const Clock* clock) : clock_(clock) {}

  absl::StatusOr<uint64_t> Add(std::shared_ptr<LinkFault> fault, int64_t deadline_ns) override;
  absl::Status Remove(uint64_t id) override;
  bool Clear(uint64_t id) const override;

  // A chunk comes now.
  void Send(uint64_t stream, faults::v1::Direction direction, uint64_t bytes);
  // What is due has left; all that has left so far, in order of leaving.
  const std::vector<Chunk>& Deliver();

  absl::Status error;

 private:
  using Lane = std::pair<uint64_t, faults::v1::Direction>;
  struct Live {
    std::shared_ptr<LinkFault> fault;
    int64_t deadline_ns;
    std::map<Lane, std::unique_ptr<StreamEffect>> effects;  // null: leaves that direction alone
  };
  struct Waiting {
    Chunk chunk;
    std::map<uint64_t, int64_t> shares;  // fault -> ns
  };
  void EndLapsed();
  void Leave(const Waiting& waiting, int64_t now);

  const Clock* const clock_;
  uint64_t next_id_ = 1;
  std::map<uint64_t, Live> live_;
  std::map<Lane, std::deque<Waiting>> waiting_;
  std::vector<Chunk> left_;
};

// A load of 100 requests/s that is scheduled as the clock moves.
class FakeLoad : public LoadSeam {
 public:
  explicit FakeLoad(const Clock* clock) : clock_(clock) {}

  absl::Status Multiply(double multiplier, int64_t ramp_ns, int64_t deadline_ns) override;
  absl::Status Restore() override;
  double Multiplier() const override { return At(clock_->Now()); }
  uint64_t ExtraScheduled() const override;

  absl::Status error;
  int restores = 0;

 private:
  double At(int64_t now) const;

  const Clock* const clock_;
  double multiplier_ = 1;
  int64_t from_ns_ = 0, ramp_ns_ = 0, until_ns_ = 0;
};

}  // namespace squall

#endif  // FAULTS_SEAMS_FAKES_H_

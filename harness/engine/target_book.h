// What became of each target: readiness, incarnations, exits. Edges may come twice or late; an edge of an older
// incarnation than the last known never undoes a newer one.
#ifndef HARNESS_ENGINE_TARGET_BOOK_H_
#define HARNESS_ENGINE_TARGET_BOOK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/api/agent.pb.h"
#include "harness/api/plan.pb.h"
#include "harness/api/report.pb.h"

namespace squall::run {

// Not thread-safe.
class TargetBook {
 public:
  explicit TargetBook(const plan::v1::Plan& plan);

  // From an Opened. False: another agent has the same role/index.
  bool Add(const agent::v1::TargetInfo& info);
  void OnEdge(const agent::v1::TargetEdge& edge);

  // The run may start: everything is ready but jobs that nobody needs (those run beside it: a test's own driver).
  bool AllReady() const;
  // "server/0: exited with code 1", for those that hold the start back.
  std::vector<std::string> NotReady() const;
  // Set once a target that holds the start back has failed and will not be started again.
  std::optional<std::string> Hopeless() const;

  std::vector<agent::v1::TargetInfo> Inventory() const;  // sorted by role and index
  std::string AgentOf(const std::string& name) const;    // of "role/index"; "" = unknown
  std::vector<report::v1::TargetResult> Results(int64_t origin_ns) const;

  static std::string Name(const agent::v1::TargetInfo& info);  // "role/index"

 private:
  struct Entry {
    agent::v1::TargetInfo info;
    bool ready = false;
    bool dead = false;  // exited or failed, and no newer incarnation is known
    bool wanted = false;
    uint32_t incarnation = 0;
    std::string cause;
    std::vector<agent::v1::TargetEdge> exits;
  };
  using Key = std::pair<std::string, uint32_t>;

  bool HoldsStart(const Entry& entry) const;
  bool ComesBack(const Entry& entry) const;
  void OnExit(const agent::v1::TargetEdge& edge, Entry& entry);

  struct Role {
    bool job = false;
    bool needed = false;
    uint32_t count = UINT32_MAX;  // instances with a higher index are started by steps
    uint32_t restarts_at_most = 0;
    plan::v1::Restart::When restart = plan::v1::Restart::NEVER;
  };
  std::map<std::string, Role> roles_;
  std::map<Key, Entry> entries_;
};

}  // namespace squall::run

#endif  // HARNESS_ENGINE_TARGET_BOOK_H_

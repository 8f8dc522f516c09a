// What became of each fault instance, from the edges that agents report. Edges may come twice, out of order or not at
// all; the book keeps one truth per instance.
//
//   FaultBook book;
//   book.Plan("trigger", {instances});
//   std::vector<Finding> bad = book.OnEdge(edge);         // FAILED, lapsed by lease, host lost
//   if (book.ArmedSpan("trigger")) ...                    // every instance was confirmed
//
// Times are ns of the run's clock. Not thread-safe. An edge of an unknown action or instance is no error: it is counted
// in `strays`.
#ifndef HARNESS_ENGINE_FAULT_BOOK_H_
#define HARNESS_ENGINE_FAULT_BOOK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/api/agent.pb.h"
#include "harness/api/report.pb.h"
#include "harness/engine/verdict.h"

namespace squall::run {

struct Span {
  int64_t lo = 0;
  int64_t hi = 0;
};

class FaultBook {
 public:
  // A fault with the instances it is to have; at least one.
  void Plan(const std::string& action, const std::string& kind, const std::vector<agent::v1::FaultInstance>& instances);

  // Findings are causes why the run cannot PASS; each is told once.
  std::vector<Finding> OnEdge(const agent::v1::FaultEdge& edge);

  // Its agent refused it before it could be armed; told once for each action.
  std::vector<Finding> Refuse(const std::string& action, const std::string& why);

  // First and last time at which its instances took hold; nothing until all have been confirmed.
  std::optional<Span> ArmedSpan(const std::string& action) const;
  // First and last time at which they went; nothing until all have.
  std::optional<Span> LiftedSpan(const std::string& action) const;
  bool AnyArmed(const std::string& action) const;   // at least one is live now
  bool EverArmed(const std::string& action) const;  // at least one was
  // "im/0", "server/2": those that were not confirmed armed, or lifted.
  std::vector<std::string> NotArmed(const std::string& action) const;
  std::vector<std::string> NotLifted(const std::string& action) const;
  std::vector<std::string> Live() const;  // names of actions with a live instance

  // What its end leaves open: a witness that did not see an effect, a lift that was not seen to be gone.
  std::vector<Finding> Review() const;
  // Times relative to `origin_ns`.
  report::v1::FaultResult Result(const std::string& action, int64_t origin_ns) const;

  uint64_t strays() const { return strays_; }

 private:
  struct Instance {
    std::string id, target;
    int64_t armed_ns = 0, lifted_ns = 0, planned_ns = 0;
    bool live = false, failed = false;
    uint32_t incarnation = 0;
    std::string why, error;
    faults::v1::Witness witness;
    bool has_witness = false;
  };
  struct Entry {
    std::string kind;
    std::string refused;
    std::vector<Instance> instances;
  };
  const Entry* Find(const std::string& action) const;
  void OnArmed(const agent::v1::FaultEdge& edge, Instance& instance);
  std::vector<Finding> OnLifted(const agent::v1::FaultEdge& edge, Instance& instance);
  std::vector<Finding> OnFailed(const agent::v1::FaultEdge& edge, Instance& instance);

  std::map<std::string, Entry> entries_;
  std::vector<std::string> order_;
  uint64_t strays_ = 0;
};

}  // namespace squall::run

#endif  // HARNESS_ENGINE_FAULT_BOOK_H_

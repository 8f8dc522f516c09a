// When the steps of a run started and ended, and which stretches of time scopes and anchors mean by that.
//
//   StepBook book(&names);
//   book.SetRunStart(t0);
//   book.OnStep("trigger", StepBook::kStart, t1, t1 + 3 * kMillisecond);
//   for (const Span& s : book.Spans(scope)) ...
//
// An edge is an interval [lo, hi]: it happened somewhere in there. Not thread-safe.
#ifndef HARNESS_INVARIANTS_STEP_BOOK_H_
#define HARNESS_INVARIANTS_STEP_BOOK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/invariants/ast.h"
#include "harness/invariants/names.h"

namespace squall {

// An instant that is known up to an uncertainty.
struct Instant {
  int64_t lo = 0;
  int64_t hi = 0;
  int64_t nominal = 0;  // of a start its first, of an end its last
};

// [begin, end). `end` is absent while it is not known.
struct Span {
  Instant begin;
  std::optional<Instant> end;
  // It counts only once its end has come: [a.start, b.start), before step b.
  bool needs_end = false;
};

class StepBook {
 public:
  enum Edge { kRequested, kStart, kEnd, kGivenUp };
  explicit StepBook(const Names* names);

  void SetRunStart(int64_t t_ns);
  void SetRunEnd(int64_t t_ns);
  // False: unknown step, or this edge has been told before.
  bool OnStep(std::string_view step, Edge edge, int64_t lo_ns, int64_t hi_ns);

  // In order of their begin; what can be known by now.
  std::vector<Span> Spans(const ast::Scope& scope) const;
  // Every instance of an anchor that has come, in order.
  std::vector<Instant> Instants(const ast::Point& point) const;
  // No further span or instant can come of it, and the last has its end.
  bool Complete(const ast::Scope& scope) const;
  bool Complete(const ast::Point& point) const;
  // The start of the first fault at or after t_ns.
  std::optional<int64_t> NextFault(int64_t t_ns) const;
  // "`mega1.start` never came"
  std::string Missing(const ast::Scope& scope) const;

  // The earliest time at which one of `steps` was requested that has neither started nor been given up.
  int64_t AwaitedSince(const std::set<std::string>& steps) const;
  // The step of a fault that started last before t_ns; "" if none did.
  std::string LastFaultBefore(int64_t t_ns) const;

  int64_t run_start_ns() const { return run_start_ns_; }
  std::optional<int64_t> run_end_ns() const { return run_end_ns_; }
  uint64_t version() const { return version_; }
  // Steps that a scope or point names; "fault" stands for all faults. "run" is left out.
  void Mentioned(const ast::Scope& scope, std::set<std::string>* steps) const;
  void Mentioned(const ast::Point& point, std::set<std::string>* steps) const;

 private:
  struct Step {
    std::optional<int64_t> requested;
    std::optional<Instant> start, end;
    bool given_up = false;
  };
  std::vector<const Step*> Of(const std::string& name) const;
  std::vector<Span> StepSpans(const std::string& name) const;
  void ClipToRun(std::vector<Span>* spans) const;

  const Names* const names_;
  int64_t run_start_ns_ = 0;
  std::optional<int64_t> run_end_ns_;
  std::map<std::string, Step, std::less<>> steps_;
  uint64_t version_ = 1;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_STEP_BOOK_H_

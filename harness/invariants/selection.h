// The series that a selector names, each with its present state: the only node that reads the store.
//
//   SelectionNode* s = ...;                    // in_role{role="supernode"}
//   s->live(); s->known();                     // how many series there are now, and have a value
//   for (size_t i : s->changed()) s->Of(i);    // what this step changed, as intervals
//   for (const Fresh& f : s->fresh()) ...      // the points this step took in: windows count them
//
// Gauges: the value, unknown once stale. Counters: the total, corrected for resets, that goes on to count after the
// series has ended; its upper end is unknown while it is stale. Events: their number since the run's start. A counter
// that appears during the run, later than its first samples could, began at 0.
#ifndef HARNESS_INVARIANTS_SELECTION_H_
#define HARNESS_INVARIANTS_SELECTION_H_

#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "harness/invariants/ast.h"
#include "harness/invariants/graph.h"
#include "re2/re2.h"

namespace squall {

// Label matchers, with their regular expressions compiled once. RE2 matches the whole value.
class MatcherSet {
 public:
  explicit MatcherSet(const std::vector<ast::Matcher>& matchers);
  bool Matches(const Labels& labels) const;  // an absent label counts as ""

 private:
  struct Entry {
    ast::Matcher matcher;
    std::unique_ptr<RE2> regex;
  };
  std::vector<Entry> entries_;
};

class SelectionNode : public Node {
 public:
  struct Fresh {
    int64_t t_ns;
    double value;  // gauge: the value; counter: its increase; event: its number
  };
  struct State {
    bool in = false;     // takes part: seen, not ended (an ended counter stays in)
    bool known = false;  // has a value now
    Interval value;
  };

  // `kind`: of the metric, if it is known before its first point.
  SelectionNode(const Graph* graph, const ast::Selector& selector, std::optional<SeriesKind> kind);

  void Start(int64_t t_ns) override;
  void Refresh() override;
  bool Step(int64_t t_ns) override;

  // Of an undeclared metric: known from the first sample of a matching series on, whenever that came into the store.
  std::optional<SeriesKind> kind() const { return kind_; }
  size_t size() const { return slots_.size(); }
  const State& Of(size_t slot) const { return slots_[slot].state; }
  size_t live() const { return live_; }
  size_t known() const { return known_; }
  const std::vector<size_t>& changed() const { return changed_; }
  const std::vector<Fresh>& fresh() const { return fresh_; }
  uint64_t round() const { return round_; }         // rises with each step: fresh() and changed() are new
  int64_t newest_ns() const { return newest_ns_; }  // of all samples so far; least possible if none
  // Of some counter the past before its first sample, in the last `window_ns`, is not known; or it is stale.
  bool CounterUnsure(int64_t t_ns, int64_t window_ns) const;
  // "no series of `pool` ever came", "2 series match", "silent"
  std::string WhyUnknown() const;
  const std::string& text() const { return text_; }

 private:
  struct Slot {
    const Series* series;
    size_t next = 0;  // first sample not taken in
    uint64_t thinned = 0;
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    int64_t due_ns = kForever;
    double last_value = 0;  // of a counter
    double total = 0;
    int64_t known_since_ns = kForever;  // of a counter: it counts from here on; least possible if it began at 0
    bool ended = false;
    bool undefined = false;
    State state;
  };
  void FindNew();
  void Schedule(size_t index);
  void TakeIn(size_t index, int64_t t_ns);
  void TakeSample(Slot* slot, const Sample& sample);
  void Conclude(size_t index, int64_t t_ns);

  const Graph* const graph_;
  const ast::Selector selector_;
  const std::string text_;
  const MatcherSet matchers_;
  std::optional<SeriesKind> kind_;
  uint64_t version_ = 0;
  size_t looked_at_ = 0;  // series of the metric
  std::vector<Slot> slots_;
  using Due = std::pair<int64_t, size_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;  // may hold outdated entries
  std::vector<size_t> changed_;
  std::vector<Fresh> fresh_;
  uint64_t round_ = 0;
  size_t live_ = 0, known_ = 0;
  bool ambiguous_ = false;
  bool learned_ = false;  // this step showed the kind
  int64_t newest_ns_ = std::numeric_limits<int64_t>::min();
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_SELECTION_H_

#include "harness/invariants/selection.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace squall {

MatcherSet::MatcherSet(const std::vector<ast::Matcher>& matchers) {
  for (const ast::Matcher& matcher : matchers) {
    Entry entry{.matcher = matcher};
    if (matcher.op == ast::Matcher::kMatch || matcher.op == ast::Matcher::kNoMatch) {
      entry.regex = std::make_unique<RE2>(matcher.value, RE2::Quiet);
    }
    entries_.push_back(std::move(entry));
  }
}

bool MatcherSet::Matches(const Labels& labels) const {
  return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const auto found = labels.find(entry.matcher.label);
    const std::string& value = found == labels.end() ? std::string() : found->second;
    const bool same = entry.regex == nullptr ? value == entry.matcher.value : RE2::FullMatch(value, *entry.regex);
    return same == (entry.matcher.op == ast::Matcher::kEqual || entry.matcher.op == ast::Matcher::kMatch);
  });
}

SelectionNode::SelectionNode(const Graph* graph, const ast::Selector& selector, std::optional<SeriesKind> kind)
    : graph_(graph), selector_(selector), text_(ast::Print(selector)), matchers_(selector.matchers), kind_(kind) {}

void SelectionNode::Start(int64_t t_ns) {
  Refresh();
  Step(t_ns);
}

void SelectionNode::Refresh() {
  const uint64_t version = graph_->store().Version(selector_.name);
  if (version == version_) return;
  version_ = version;
  FindNew();
  for (size_t i = 0; i < slots_.size(); ++i) Schedule(i);
}

void SelectionNode::FindNew() {
  const auto* all = graph_->store().OfMetric(selector_.name);
  if (all == nullptr) return;
  for (; looked_at_ < all->size(); ++looked_at_) {
    const Series* series = (*all)[looked_at_];
    if (matchers_.Matches(series->labels)) slots_.push_back({.series = series});
  }
}

void SelectionNode::Schedule(size_t index) {
  Slot& slot = slots_[index];
  const auto& samples = slot.series->samples;
  if (slot.thinned != slot.series->thinned) {  // places have moved
    slot.thinned = slot.series->thinned;
    slot.next = static_cast<size_t>(std::upper_bound(samples.begin(), samples.end(), slot.last_ns,
                                                     [](int64_t t, const Sample& s) { return t < s.t_ns; }) -
                                    samples.begin());
  }
  int64_t due = slot.next < samples.size() ? samples[slot.next].t_ns : kForever;
  if (slot.series->kind != SeriesKind::kEvent && slot.state.known && !slot.ended) {
    due = std::min(due, slot.last_ns + slot.series->stale_ns);
  }
  if (due == slot.due_ns) return;
  slot.due_ns = due;
  if (due == kForever) return;
  queue_.push({due, index});
  due_ = std::min(due_, due);
}

bool SelectionNode::Step(int64_t t_ns) {
  changed_.clear();
  fresh_.clear();
  learned_ = false;
  ++round_;
  while (!queue_.empty() && queue_.top().first <= t_ns) {
    const auto [due, index] = queue_.top();
    queue_.pop();
    if (slots_[index].due_ns != due) continue;  // scheduled anew since
    slots_[index].due_ns = kForever;
    TakeIn(index, t_ns);
    Schedule(index);
  }
  while (!queue_.empty() && slots_[queue_.top().second].due_ns != queue_.top().first) queue_.pop();
  due_ = queue_.empty() ? kForever : queue_.top().first;
  return !changed_.empty() || !fresh_.empty() || learned_;
}

void SelectionNode::TakeIn(size_t index, int64_t t_ns) {
  Slot& slot = slots_[index];
  const auto& samples = slot.series->samples;
  while (slot.next < samples.size() && samples[slot.next].t_ns <= t_ns) TakeSample(&slot, samples[slot.next++]);
  Conclude(index, t_ns);
}

void SelectionNode::TakeSample(Slot* slot, const Sample& sample) {
  const bool first = slot->last_ns == std::numeric_limits<int64_t>::min();
  const int64_t run_start = graph_->run_start_ns();
  slot->last_ns = sample.t_ns;
  newest_ns_ = std::max(newest_ns_, sample.t_ns);
  slot->ended = sample.ended;
  if (!kind_) {
    kind_ = slot->series->kind;
    learned_ = true;
  }
  if (sample.ended) return;
  slot->undefined = std::isnan(sample.value);
  switch (slot->series->kind) {
    case SeriesKind::kGauge:
      slot->last_value = sample.value;
      if (!slot->undefined && sample.t_ns >= run_start) fresh_.push_back({sample.t_ns, sample.value});
      break;
    case SeriesKind::kCounter: {
      if (slot->undefined) break;
      const bool born = first && sample.t_ns > run_start + slot->series->stale_ns;
      const double increase = first                              ? (born ? sample.value : 0)
                              : sample.value >= slot->last_value ? sample.value - slot->last_value
                                                                 : sample.value;
      if (first) slot->known_since_ns = born ? std::numeric_limits<int64_t>::min() : sample.t_ns;
      slot->total = first ? sample.value : slot->total + increase;
      slot->last_value = sample.value;
      if (increase != 0) fresh_.push_back({sample.t_ns, increase});
      break;
    }
    case SeriesKind::kEvent:
      if (sample.t_ns < run_start) break;
      ++slot->total;
      fresh_.push_back({sample.t_ns, sample.value});
      break;
  }
}

void SelectionNode::Conclude(size_t index, int64_t t_ns) {
  Slot& slot = slots_[index];
  const bool stale = !slot.ended && t_ns - slot.last_ns >= slot.series->stale_ns;
  State state;
  switch (slot.series->kind) {
    case SeriesKind::kGauge:
      state.in = !slot.ended;
      state.known = state.in && !stale && !slot.undefined;
      if (state.known) state.value = {slot.last_value, slot.last_value};
      break;
    case SeriesKind::kCounter:
      state.in = true;
      state.known = !stale;
      state.value = {slot.total, stale ? kInf : slot.total};
      break;
    case SeriesKind::kEvent:
      state = {true, true, {slot.total, slot.total}};
      break;
  }
  if (state.in == slot.state.in && state.known == slot.state.known && state.value == slot.state.value) return;
  live_ += static_cast<size_t>(state.in) - static_cast<size_t>(slot.state.in);
  known_ += static_cast<size_t>(state.known) - static_cast<size_t>(slot.state.known);
  ambiguous_ = ambiguous_ || live_ > 1;
  slot.state = state;
  changed_.push_back(index);
}

bool SelectionNode::CounterUnsure(int64_t t_ns, int64_t window_ns) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    const bool came = slot.known_since_ns != kForever;
    return came && (slot.known_since_ns > t_ns - window_ns || !slot.state.known);
  });
}

std::string SelectionNode::WhyUnknown() const {
  if (slots_.empty()) return absl::StrCat("no series of `", text_, "` ever came");
  if (ambiguous_) return absl::StrCat("`", text_, "` matches several series; use sum(), min() or max()");
  return absl::StrCat("`", text_, "` was silent");
}

}  // namespace squall

#include "harness/invariants/graph.h"

#include <algorithm>
#include <functional>

namespace squall {

void Graph::AddSink(Node* node, Sink* sink) {
  auto place = std::find(sinks_.begin(), sinks_.end(), sink);
  if (place == sinks_.end()) {
    place = sinks_.insert(place, sink);
    told_.push_back(0);
  }
  node->sinks_.push_back(static_cast<size_t>(place - sinks_.begin()));
}

void Graph::Start(int64_t run_start_ns) {
  run_start_ns_ = now_ns_ = run_start_ns;
  started_ = true;
  for (const auto& node : nodes_) node->Start(run_start_ns);
  for (Sink* sink : sinks_) sink->OnChange(run_start_ns);
}

void Graph::Advance(int64_t to_ns) {
  if (!started_) return;
  for (const auto& node : nodes_) node->Refresh();
  while (true) {
    int64_t next = kForever;
    for (const auto& node : nodes_) next = std::min(next, node->due_);
    if (next > to_ns || next == kForever) break;
    StepAt(std::max(next, now_ns_));
  }
  now_ns_ = std::max(now_ns_, to_ns);
}

void Graph::Mark(Node* node) {
  if (node->dirty_) return;
  node->dirty_ = true;
  dirty_.push_back(node->place_);
  std::push_heap(dirty_.begin(), dirty_.end(), std::greater<>());
}

void Graph::StepAt(int64_t t_ns) {
  now_ns_ = t_ns;
  ++round_;
  for (const auto& node : nodes_) {
    if (node->due_ <= t_ns) Mark(node.get());
  }
  to_tell_.clear();
  while (!dirty_.empty()) {
    std::pop_heap(dirty_.begin(), dirty_.end(), std::greater<>());
    Node* node = nodes_[dirty_.back()].get();
    dirty_.pop_back();
    node->dirty_ = false;
    ++steps_;
    if (!node->Step(t_ns)) continue;
    for (Node* parent : node->parents_) Mark(parent);
    for (const size_t sink : node->sinks_) {
      if (told_[sink] == round_) continue;
      told_[sink] = round_;
      to_tell_.push_back(sink);
    }
  }
  for (const size_t sink : to_tell_) sinks_[sink]->OnChange(t_ns);
}

}  // namespace squall

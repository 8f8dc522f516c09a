// The evaluator: a graph of nodes that the judge moves forward in time, from change to change.
//
//   Graph graph(&store, every_ns);
//   NumNode* pool = graph.Own(std::make_unique<SpatialNode>(...));      // children first
//   graph.AddSink(pool, &sink);
//   graph.Start(run_start);            // all values at the run's start; every sink is told
//   graph.Advance(watermark);          // each instant at which something may change, in order
//
// A node is stepped at an instant if it is due then (a sample, a staleness, the grid) or a child has changed. Values
// hold from there until the next step. Not thread-safe. Nodes live as long as the graph.
#ifndef HARNESS_INVARIANTS_GRAPH_H_
#define HARNESS_INVARIANTS_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/invariants/value.h"
#include "harness/signals/store.h"

namespace squall {

class Node {
 public:
  virtual ~Node() = default;
  // Once, with the children started.
  virtual void Start(int64_t t_ns) = 0;
  // Now is t_ns; children are up to date. True: something that a parent reads has changed.
  virtual bool Step(int64_t t_ns) = 0;
  // Points have come into the store, or steps' edges: look whether due() changes.
  virtual void Refresh() {}
  // The next instant at which it may change by itself; kForever if none is known.
  int64_t due() const { return due_; }

 protected:
  int64_t due_ = kForever;

 private:
  friend class Graph;
  std::vector<Node*> parents_;
  std::vector<size_t> sinks_;
  size_t place_ = 0;
  bool dirty_ = false;
};

class NumNode : public Node {
 public:
  const Interval& value() const { return value_; }

 protected:
  bool Set(Interval value) {
    if (value == value_) return false;
    value_ = value;
    return true;
  }
  Interval value_;
};

class BoolNode : public Node {
 public:
  const BoolValue& value() const { return value_; }

 protected:
  bool Set(const BoolValue& value) {
    if (value.Same(value_)) return false;
    value_ = value;
    return true;
  }
  BoolValue value_;
};

class Sink {
 public:
  virtual ~Sink() = default;
  // Some node it listens to has changed at t_ns; all nodes are up to date. Once an instant.
  virtual void OnChange(int64_t t_ns) = 0;
};

class Graph {
 public:
  Graph(const SignalStore* store, int64_t every_ns) : store_(store), every_ns_(every_ns) {}

  template <typename T>
  T* Own(std::unique_ptr<T> node, const std::vector<Node*>& children) {
    T* raw = node.get();
    raw->place_ = nodes_.size();
    for (Node* child : children) child->parents_.push_back(raw);
    nodes_.push_back(std::move(node));
    return raw;
  }
  void AddSink(Node* node, Sink* sink);

  void Start(int64_t run_start_ns);
  void Advance(int64_t to_ns);

  const SignalStore& store() const { return *store_; }
  int64_t every_ns() const { return every_ns_; }
  int64_t run_start_ns() const { return run_start_ns_; }
  bool started() const { return started_; }
  int64_t now_ns() const { return now_ns_; }
  // The first instant of the grid after t_ns, and the last one at or before it.
  int64_t NextGrid(int64_t t_ns) const { return LastGrid(t_ns) + every_ns_; }
  int64_t LastGrid(int64_t t_ns) const { return run_start_ns_ + (t_ns - run_start_ns_) / every_ns_ * every_ns_; }
  uint64_t steps() const { return steps_; }  // nodes stepped, for benchmarks

  // The nodes of expressions that were compiled before, by their text.
  std::map<std::string, Node*> shared;

 private:
  void Mark(Node* node);
  void StepAt(int64_t t_ns);

  const SignalStore* const store_;
  const int64_t every_ns_;
  int64_t run_start_ns_ = 0;
  int64_t now_ns_ = 0;
  bool started_ = false;
  uint64_t steps_ = 0;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<size_t> dirty_;  // a heap of places, the least first
  std::vector<Sink*> sinks_;
  std::vector<uint64_t> told_;  // by sink: the round in which it was told last
  std::vector<size_t> to_tell_;
  uint64_t round_ = 0;
};

}  // namespace squall

#endif  // HARNESS_INVARIANTS_GRAPH_H_

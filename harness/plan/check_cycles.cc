#include <functional>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/plan/after_rule.h"
#include "harness/plan/plan_check.h"

namespace squall {
namespace {

// Node -> the nodes it waits for.
using Graph = std::vector<std::vector<size_t>>;

// The nodes of every cycle that a walk in order comes upon first, each starting at its first node.
std::vector<std::vector<size_t>> FindCycles(const Graph& graph) {
  enum State : char { kNew, kOpen, kDone };
  std::vector<State> states(graph.size(), kNew);
  std::vector<std::vector<size_t>> cycles;
  struct Frame {
    size_t node;
    size_t next = 0;
  };
  for (size_t root = 0; root < graph.size(); ++root) {
    if (states[root] != kNew) continue;
    std::vector<Frame> stack = {{root}};
    states[root] = kOpen;
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == graph[top.node].size()) {
        states[top.node] = kDone;
        stack.pop_back();
        continue;
      }
      const size_t next = graph[top.node][top.next++];
      if (states[next] == kNew) {
        states[next] = kOpen;
        stack.push_back({next});
      } else if (states[next] == kOpen) {
        std::vector<size_t> cycle;
        size_t i = 0;
        while (stack[i].node != next) ++i;
        for (; i < stack.size(); ++i) cycle.push_back(stack[i].node);
        cycles.push_back(std::move(cycle));
      }
    }
  }
  return cycles;
}

std::string Chain(const std::vector<size_t>& cycle, const std::vector<std::string>& names) {
  std::vector<std::string> chain;
  for (size_t node : cycle) chain.push_back(absl::StrCat("`", names[node], "`"));
  chain.push_back(chain.front());
  return absl::StrJoin(chain, " -> ");
}

std::map<std::string, size_t> Places(const std::vector<std::string>& names) {
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  return places;
}

void CheckNeeds(PlanCheck* check) {
  const std::map<std::string, size_t> places = Places(check->roles());
  Graph graph(check->roles().size());
  for (int i = 0; i < check->plan().targets_size(); ++i) {
    for (const std::string& need : check->plan().targets(i).needs()) {
      auto it = places.find(need);
      if (it != places.end() && it->second != static_cast<size_t>(i)) graph[i].push_back(it->second);
    }
  }
  for (const auto& cycle : FindCycles(graph)) {
    check->Add(absl::StrCat("targets[", check->roles()[cycle.front()], "].needs"),
               absl::StrCat("a circle of `needs`: ", Chain(cycle, check->roles())));
  }
}

void CheckReleaseOrder(PlanCheck* check) {
  const std::map<std::string, size_t> places = Places(check->steps());
  Graph graph(check->steps().size());
  for (int i = 0; i < check->plan().steps_size(); ++i) {
    const plan::v1::Step& step = check->plan().steps(i);
    if (step.has_at()) continue;
    if (step.after().empty()) {
      if (i > 0) graph[i].push_back(i - 1);
      continue;
    }
    const absl::StatusOr<AfterRule> rule = ParseAfter(step.after());
    if (!rule.ok()) continue;
    auto it = places.find(rule->step);
    if (it != places.end() && it->second != static_cast<size_t>(i)) graph[i].push_back(it->second);
  }
  for (const auto& cycle : FindCycles(graph)) {
    check->Add(absl::StrCat("steps[", cycle.front(), "]"),
               absl::StrCat("steps that wait for each other: ", Chain(cycle, check->steps()),
                            " (a step without `at` or `after` waits for the one above)"));
  }
}

}  // namespace

void CheckCycles(PlanCheck* check) {
  CheckNeeds(check);
  CheckReleaseOrder(check);
}

}  // namespace squall

#include "harness/engine/fault_book.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/engine/durations.h"
#include "harness/engine/reasons.h"

namespace squall::run {
namespace {

using agent::v1::FaultEdge;

// How it ended, in the words of the report.
std::string EndedBy(const std::string& why) {
  if (why == "lease") return "lapsed";
  if (why == "target_exited" || why == "halted" || why == "host_lost") return why;
  return "lifted";
}

std::string Name(const std::string& action, const std::string& target) { return absl::StrCat(action, " on ", target); }

}  // namespace

void FaultBook::Plan(const std::string& action, const std::string& kind,
                     const std::vector<agent::v1::FaultInstance>& instances) {
  Entry entry;
  entry.kind = kind;
  for (const agent::v1::FaultInstance& instance : instances) {
    entry.instances.push_back({.id = instance.id(), .target = instance.target()});
  }
  if (entries_.insert_or_assign(action, std::move(entry)).second) order_.push_back(action);
}

const FaultBook::Entry* FaultBook::Find(const std::string& action) const {
  auto it = entries_.find(action);
  return it == entries_.end() ? nullptr : &it->second;
}

std::vector<Finding> FaultBook::OnEdge(const FaultEdge& edge) {
  auto it = entries_.find(edge.action());
  if (it == entries_.end()) {
    ++strays_;
    return {};
  }
  auto& instances = it->second.instances;
  auto instance =
      std::find_if(instances.begin(), instances.end(), [&](const Instance& i) { return i.id == edge.instance(); });
  if (instance == instances.end()) {
    ++strays_;
    return {};
  }
  switch (edge.edge()) {
    case FaultEdge::ARMED:
      OnArmed(edge, *instance);
      return {};
    case FaultEdge::LIFTED:
      return OnLifted(edge, *instance);
    case FaultEdge::FAILED:
      return OnFailed(edge, *instance);
    default:
      ++strays_;
      return {};
  }
}

void FaultBook::OnArmed(const FaultEdge& edge, Instance& instance) {
  if (instance.armed_ns == 0) {
    instance.armed_ns = edge.at_ns();
    instance.planned_ns = edge.planned_ns();
    instance.incarnation = edge.incarnation();
    // A LIFTED that overtook this edge stands.
    instance.live = instance.lifted_ns == 0;
    if (!instance.has_witness) instance.witness = edge.witness();
    return;
  }
  // The same edge again, or the fault has followed its target into a new incarnation.
  if (edge.incarnation() <= instance.incarnation) return;
  instance.incarnation = edge.incarnation();
  if (edge.at_ns() >= instance.lifted_ns) instance.live = true;
}

std::vector<Finding> FaultBook::OnLifted(const FaultEdge& edge, Instance& instance) {
  const bool repeated = instance.lifted_ns != 0 && !instance.live;
  if (repeated || edge.at_ns() < instance.lifted_ns) return {};
  instance.lifted_ns = edge.at_ns();
  instance.live = false;
  instance.why = edge.why();
  const uint64_t before = instance.has_witness ? instance.witness.count() : 0;
  const bool effective = instance.has_witness && instance.witness.effective();
  instance.witness = edge.witness();
  instance.witness.set_effective(instance.witness.effective() || effective);
  instance.witness.set_count(instance.witness.count() + before);
  instance.has_witness = true;
  const std::string name = Name(edge.action(), instance.target);
  if (edge.why() == "lease") return {{std::string(reason::kFaultLapsed), name}};
  if (edge.why() == "host_lost") return {{std::string(reason::kFaultHostLost), name}};
  return {};
}

std::vector<Finding> FaultBook::OnFailed(const FaultEdge& edge, Instance& instance) {
  if (instance.failed) return {};
  instance.failed = true;
  instance.error = edge.why().empty() ? "no cause given" : edge.why();
  const absl::string_view code = instance.armed_ns != 0 ? reason::kFaultNotLifted : reason::kFaultNotArmed;
  return {{std::string(code), absl::StrCat(Name(edge.action(), instance.target), ": ", instance.error)}};
}

std::vector<Finding> FaultBook::Refuse(const std::string& action, const std::string& why) {
  auto it = entries_.find(action);
  if (it == entries_.end() || !it->second.refused.empty()) return {};
  it->second.refused = why.empty() ? "no cause given" : why;
  return {{std::string(reason::kFaultNotArmed), absl::StrCat(action, ": ", it->second.refused)}};
}

std::optional<Span> FaultBook::ArmedSpan(const std::string& action) const {
  const Entry* entry = Find(action);
  if (entry == nullptr || entry->instances.empty()) return std::nullopt;
  Span span{INT64_MAX, 0};
  for (const Instance& instance : entry->instances) {
    if (instance.armed_ns == 0) return std::nullopt;
    span.lo = std::min(span.lo, instance.armed_ns);
    span.hi = std::max(span.hi, instance.armed_ns);
  }
  return span;
}

std::optional<Span> FaultBook::LiftedSpan(const std::string& action) const {
  const Entry* entry = Find(action);
  if (entry == nullptr || entry->instances.empty()) return std::nullopt;
  Span span{INT64_MAX, 0};
  for (const Instance& instance : entry->instances) {
    if (instance.live || instance.lifted_ns == 0) return std::nullopt;
    span.lo = std::min(span.lo, instance.lifted_ns);
    span.hi = std::max(span.hi, instance.lifted_ns);
  }
  return span;
}

bool FaultBook::AnyArmed(const std::string& action) const {
  const Entry* entry = Find(action);
  return entry != nullptr &&
         std::any_of(entry->instances.begin(), entry->instances.end(), [](const Instance& i) { return i.live; });
}

bool FaultBook::EverArmed(const std::string& action) const {
  const Entry* entry = Find(action);
  return entry != nullptr && std::any_of(entry->instances.begin(), entry->instances.end(),
                                         [](const Instance& i) { return i.armed_ns != 0; });
}

std::vector<std::string> FaultBook::NotArmed(const std::string& action) const {
  std::vector<std::string> targets;
  if (const Entry* entry = Find(action)) {
    for (const Instance& instance : entry->instances) {
      if (instance.armed_ns == 0) targets.push_back(instance.target);
    }
  }
  return targets;
}

std::vector<std::string> FaultBook::NotLifted(const std::string& action) const {
  std::vector<std::string> targets;
  if (const Entry* entry = Find(action)) {
    for (const Instance& instance : entry->instances) {
      if (instance.live) targets.push_back(instance.target);
    }
  }
  return targets;
}

std::vector<std::string> FaultBook::Live() const {
  std::vector<std::string> live;
  for (const std::string& action : order_) {
    if (AnyArmed(action)) live.push_back(action);
  }
  return live;
}

std::vector<Finding> FaultBook::Review() const {
  std::vector<Finding> findings;
  for (const std::string& action : order_) {
    std::vector<std::string> without, stuck;
    for (const Instance& instance : Find(action)->instances) {
      if (instance.armed_ns == 0) continue;
      // A target that went away took its fault with it.
      const bool gone = !instance.live && (instance.witness.gone() || instance.why == "target_exited");
      if (!gone) stuck.push_back(instance.target);
      if (!instance.witness.effective()) without.push_back(instance.target);
    }
    if (!stuck.empty()) {
      findings.push_back({std::string(reason::kFaultNotLifted), Name(action, absl::StrJoin(stuck, ", "))});
    }
    if (!without.empty()) {
      findings.push_back({std::string(reason::kFaultWithoutWitness), Name(action, absl::StrJoin(without, ", "))});
    }
  }
  return findings;
}

report::v1::FaultResult FaultBook::Result(const std::string& action, int64_t origin_ns) const {
  report::v1::FaultResult result;
  result.set_name(action);
  const Entry* entry = Find(action);
  if (entry == nullptr) return result;
  result.set_kind(entry->kind);
  bool effective = !entry->instances.empty(), gone = effective;
  std::vector<std::string> details, errors;
  if (!entry->refused.empty()) errors.push_back(entry->refused);
  uint64_t count = 0;
  int64_t skew = 0;
  for (const Instance& instance : entry->instances) {
    result.add_targets(instance.target);
    effective = effective && instance.witness.effective();
    gone = gone && !instance.live && (instance.witness.gone() || instance.why == "target_exited");
    count += instance.witness.count();
    if (!instance.witness.detail().empty() && details.size() < 8) {
      details.push_back(absl::StrCat(instance.target, ": ", instance.witness.detail()));
    }
    if (!instance.error.empty()) errors.push_back(absl::StrCat(instance.target, ": ", instance.error));
    if (instance.armed_ns != 0 && instance.planned_ns != 0) {
      skew = std::max(skew, instance.armed_ns - instance.planned_ns);
    }
    // The worst ending names the fault's.
    const std::string ended = instance.why.empty() ? "" : EndedBy(instance.why);
    if (result.ended_by().empty() || result.ended_by() == "lifted") {
      if (!ended.empty()) result.set_ended_by(ended);
    }
  }
  if (auto armed = ArmedSpan(action)) result.set_armed_s(Seconds(armed->hi - origin_ns));
  if (auto lifted = LiftedSpan(action)) result.set_lifted_s(Seconds(lifted->hi - origin_ns));
  faults::v1::Witness* witness = result.mutable_witness();
  witness->set_effective(effective);
  witness->set_gone(gone);
  witness->set_count(count);
  witness->set_detail(absl::StrJoin(details, "; "));
  result.set_error(absl::StrJoin(errors, "; "));
  result.set_arm_skew_ms(static_cast<double>(skew) / 1e6);
  return result;
}

}  // namespace squall::run

#include "harness/engine/target_book.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "harness/engine/durations.h"

namespace squall::run {

using agent::v1::TargetEdge;
using agent::v1::TargetInfo;

TargetBook::TargetBook(const plan::v1::Plan& plan) {
  for (const plan::v1::Target& target : plan.targets()) {
    Role& role = roles_[target.name()];
    role.job = target.job();
    if (!target.has_attach()) role.count = target.has_count() ? target.count() : 1;
    role.restart = target.restart().when();
    role.restarts_at_most = target.restart().at_most();
    for (const std::string& need : target.needs()) roles_[need].needed = true;
  }
  for (const plan::v1::Load& load : plan.loads()) {
    for (const std::string& need : load.needs()) roles_[need].needed = true;
  }
}

std::string TargetBook::Name(const TargetInfo& info) { return absl::StrCat(info.role(), "/", info.index()); }

bool TargetBook::Add(const TargetInfo& info) {
  auto [it, added] = entries_.try_emplace({info.role(), info.index()});
  if (!added) return it->second.info.agent() == info.agent();
  it->second.info = info;
  it->second.incarnation = info.incarnation();
  return true;
}

void TargetBook::OnEdge(const TargetEdge& edge) {
  Entry& entry = entries_[{edge.target().role(), edge.target().index()}];
  if (entry.info.role().empty()) entry.info = edge.target();  // one that a step has started
  const uint32_t incarnation = edge.target().incarnation();
  if (edge.edge() == TargetEdge::EXITED) {
    OnExit(edge, entry);
    return;
  }
  if (incarnation < entry.incarnation || (entry.dead && incarnation <= entry.incarnation && !entry.exits.empty()))
    return;
  entry.incarnation = incarnation;
  switch (edge.edge()) {
    case TargetEdge::STARTED:
      if (entry.dead) entry.ready = false;
      entry.dead = false;
      break;
    case TargetEdge::READY:
      entry.ready = true;
      entry.dead = false;
      break;
    case TargetEdge::FAILED:
      entry.ready = false;
      entry.dead = true;
      entry.cause = edge.cause().empty() ? "failed" : edge.cause();
      break;
    default:
      break;
  }
}

void TargetBook::OnExit(const TargetEdge& edge, Entry& entry) {
  const uint32_t incarnation = edge.target().incarnation();
  for (const TargetEdge& seen : entry.exits) {
    if (seen.target().incarnation() == incarnation) return;
  }
  entry.exits.push_back(edge);
  if (incarnation < entry.incarnation) return;
  entry.incarnation = incarnation;
  entry.dead = true;
  entry.wanted = edge.wanted();
  const bool job_done = roles_[entry.info.role()].job && edge.code() == 0 && edge.signal() == 0;
  entry.ready = job_done;
  entry.cause = edge.signal() != 0 ? absl::StrCat("ended by signal ", edge.signal())
                                   : absl::StrCat("exited with code ", edge.code());
  if (!edge.cause().empty()) absl::StrAppend(&entry.cause, " (", edge.cause(), ")");
}

bool TargetBook::HoldsStart(const Entry& entry) const {
  auto role = roles_.find(entry.info.role());
  if (role == roles_.end()) return true;
  return entry.info.index() < role->second.count && (!role->second.job || role->second.needed);
}

bool TargetBook::ComesBack(const Entry& entry) const {
  auto role = roles_.find(entry.info.role());
  if (role == roles_.end() || role->second.job || entry.exits.empty()) return false;
  const TargetEdge& exit = entry.exits.back();
  if (role->second.restarts_at_most != 0 && entry.exits.size() > role->second.restarts_at_most) return false;
  switch (role->second.restart) {
    case plan::v1::Restart::ALWAYS:
      return true;
    case plan::v1::Restart::ON_CRASH:
      return exit.signal() != 0 || exit.code() != 0;
    default:
      return false;
  }
}

bool TargetBook::AllReady() const {
  return std::all_of(entries_.begin(), entries_.end(),
                     [&](const auto& item) { return item.second.ready || !HoldsStart(item.second); });
}

std::vector<std::string> TargetBook::NotReady() const {
  std::vector<std::string> names;
  for (const auto& [key, entry] : entries_) {
    if (entry.ready || !HoldsStart(entry)) continue;
    const std::string cause = !entry.cause.empty()     ? entry.cause
                              : entry.incarnation == 0 ? "not started"
                                                       : "started, but not ready";
    names.push_back(absl::StrCat(Name(entry.info), ": ", cause));
  }
  return names;
}

std::optional<std::string> TargetBook::Hopeless() const {
  for (const auto& [key, entry] : entries_) {
    if (entry.ready || !entry.dead || !HoldsStart(entry) || ComesBack(entry)) continue;
    return absl::StrCat(Name(entry.info), ": ", entry.cause);
  }
  return std::nullopt;
}

std::vector<TargetInfo> TargetBook::Inventory() const {
  std::vector<TargetInfo> inventory;
  for (const auto& [key, entry] : entries_) inventory.push_back(entry.info);
  return inventory;
}

std::string TargetBook::AgentOf(const std::string& name) const {
  for (const auto& [key, entry] : entries_) {
    if (Name(entry.info) == name) return entry.info.agent();
  }
  return "";
}

std::vector<report::v1::TargetResult> TargetBook::Results(int64_t origin_ns) const {
  std::vector<report::v1::TargetResult> results;
  for (const auto& [key, entry] : entries_) {
    report::v1::TargetResult result;
    result.set_name(Name(entry.info));
    *result.mutable_labels() = entry.info.labels();
    result.set_incarnations(entry.incarnation);
    result.set_log(entry.info.log());
    for (const TargetEdge& edge : entry.exits) {
      report::v1::Exit* exit = result.add_exits();
      exit->set_at_s(Seconds(edge.at_ns() - origin_ns));
      exit->set_incarnation(edge.target().incarnation());
      exit->set_cause(edge.cause());
      exit->set_signal(edge.signal());
      exit->set_code(edge.code());
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace squall::run

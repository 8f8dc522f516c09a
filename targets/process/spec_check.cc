#include "targets/process/spec_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/status_macros.h"
#include "targets/process/ports.h"

namespace squall {
namespace {

absl::Status Wrong(const TargetSpec& spec, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("role ", spec.role, ": ", what));
}

// Roles name files.
bool IsName(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-'; });
}

absl::Status CheckPorts(const TargetSpec& spec) {
  std::set<std::string> names;
  for (const std::string& port : spec.ports) {
    if (port.empty()) return Wrong(spec, "ports: a port needs a name");
    if (!names.insert(port).second) return Wrong(spec, absl::StrCat("ports: ", port, " stands there twice"));
  }
  for (const auto& [name, address] : spec.fixed_ports) {
    if (!IsAddress(address)) {
      return Wrong(spec, absl::StrCat("port ", name, ": not a numeric HOST:PORT: \"", address, "\""));
    }
  }
  if (spec.ready.how != Readiness::TCP_CONNECT && spec.ready.how != Readiness::GRPC_HEALTH) return absl::OkStatus();
  if (spec.ready.port.empty() && spec.ports.empty()) return Wrong(spec, "ready: it has no port to ask");
  if (!spec.ready.port.empty() && !names.contains(spec.ready.port) && !spec.fixed_ports.contains(spec.ready.port)) {
    return Wrong(spec, absl::StrCat("ready: it has no port named ", spec.ready.port));
  }
  return absl::OkStatus();
}

// Follows needs from `role`; what is on the way already closes a cycle.
absl::Status Follow(const std::string& role, const std::map<std::string, const TargetSpec*>& specs,
                    std::vector<std::string>* way, std::set<std::string>* done) {
  const auto found = specs.find(role);
  if (found == specs.end() || done->contains(role)) return absl::OkStatus();
  const bool seen = std::find(way->begin(), way->end(), role) != way->end();
  way->push_back(role);
  if (seen) {
    return absl::InvalidArgumentError(
        absl::StrCat("role ", role, ": needs: a cycle: ", absl::StrJoin(*way, " needs ")));
  }
  for (const std::string& need : found->second->needs) RETURN_IF_ERROR(Follow(need, specs, way, done));
  way->pop_back();
  done->insert(role);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSpec(const TargetSpec& spec) {
  if (!IsName(spec.role)) {
    return absl::InvalidArgumentError(
        absl::StrCat("role \"", spec.role, "\": a name has 1 to 64 letters, digits, _ and -"));
  }
  if (spec.argv.empty() || spec.argv.front().empty()) return Wrong(spec, "argv is empty");
  RETURN_IF_ERROR(CheckPorts(spec));
  if (spec.ready.within_ns <= 0) return Wrong(spec, "ready: within: must be more than 0");
  if (spec.restart.after_ns < 0) return Wrong(spec, "restart: after: must not be negative");
  if (!(spec.restart.jitter >= 0 && spec.restart.jitter <= 1)) {
    return Wrong(spec,
                 absl::StrCat("restart: jitter: must be from 0 % to 100 %, is ", spec.restart.jitter * 100, " %"));
  }
  for (const EventRule& rule : spec.events) {
    if (rule.name.empty()) return Wrong(spec, "events: an event needs a name");
  }
  return absl::OkStatus();
}

absl::Status CheckRoles(const std::vector<const TargetSpec*>& specs) {
  std::map<std::string, const TargetSpec*> by_role;
  for (const TargetSpec* spec : specs) {
    if (!by_role.emplace(spec->role, spec).second) return Wrong(*spec, "is given twice");
  }
  std::vector<std::string> way;
  std::set<std::string> done;
  for (const TargetSpec* spec : specs) RETURN_IF_ERROR(Follow(spec->role, by_role, &way, &done));
  return absl::OkStatus();
}

}  // namespace squall

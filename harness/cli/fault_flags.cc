#include "harness/cli/fault_flags.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "faults/catalog.h"
#include "faults/core/status_macros.h"
#include "faults/selection.h"
#include "harness/cli/local_run.h"
#include "harness/plan/descriptor_mapper.h"
#include "harness/plan/params.h"
#include "harness/plan/position.h"
#include "harness/plan/scalars.h"
#include "harness/plan/yaml_reader.h"

namespace squall {
namespace {

std::string Quoted(const std::string& text) {  // as a YAML double-quoted scalar
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string Mapping(const std::map<std::string, std::string>& pairs) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : pairs) entries.push_back(absl::StrCat(Quoted(name), ": ", Quoted(value)));
  return absl::StrCat("{", absl::StrJoin(entries, ", "), "}");
}

// "role=server,label.version=1" -> {role: "server", labels: {version: "1"}}
absl::StatusOr<std::string> SelectionYaml(const std::string& on) {
  ASSIGN_OR_RETURN(const auto pairs, ParsePairs("--on", absl::StrSplit(on, ',')));
  std::map<std::string, std::string> labels;
  std::vector<std::string> entries;
  for (const auto& [name, value] : pairs) {
    if (absl::StartsWith(name, "label.")) {
      labels[std::string(absl::StripPrefix(name, "label."))] = value;
    } else {
      entries.push_back(absl::StrCat(name, ": ", Quoted(value)));
    }
  }
  if (!labels.empty()) entries.push_back(absl::StrCat("labels: ", Mapping(labels)));
  return absl::StrCat("{", absl::StrJoin(entries, ", "), "}");
}

}  // namespace

absl::StatusOr<agent::v1::ArmRequest> ParseArm(const ByHandFlags& flags) {
  agent::v1::ArmRequest request;
  ASSIGN_OR_RETURN(const std::string on, SelectionYaml(flags.on));
  ASSIGN_OR_RETURN(const auto parameters, ParsePairs("parameter", flags.parameters));
  const std::string yaml = absl::StrCat("{on: ", on, ", ", Quoted(flags.kind), ": ", Mapping(parameters), "}");
  PlanErrors errors("");
  PlanParams params;
  PositionIndex positions;
  const YamlNodePtr root = ReadYaml(yaml, &errors);
  if (root != nullptr) DescriptorMapper(&params, &positions, &errors).Map(*root, request.mutable_fault());
  std::vector<std::string> messages;
  for (const PlanError& error : errors.Take()) {
    messages.push_back(error.path.empty() ? error.message : absl::StrCat(error.path, ": ", error.message));
  }
  if (!messages.empty()) return absl::InvalidArgumentError(absl::StrJoin(messages, "; "));
  RETURN_IF_ERROR(MakeFault(request.fault()).status());
  RETURN_IF_ERROR(CheckSelection(request.fault().on()));
  ASSIGN_OR_RETURN(const int64_t duration, ParseDuration(flags.for_));
  request.set_duration_ns(duration);
  request.set_name(flags.name);
  request.set_seed(flags.seed);
  return request;
}

}  // namespace squall

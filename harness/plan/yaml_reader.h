// YAML text to a tree with places, safely: no input makes it throw, use much memory or run long.
//
//   PlanErrors errors("f.yaml");
//   YamlNodePtr root = ReadYaml(text, &errors);   // null after errors that leave nothing to go on with
//
// Refused, each with its place: a syntax error, an empty file, a second document, tabs as indentation, tags, keys that
// are not plain text, duplicate keys, an anchor inside itself, more than 20,000 nodes once aliases are expanded, depth
// over 16. The text has passed CheckText.
#ifndef HARNESS_PLAN_YAML_READER_H_
#define HARNESS_PLAN_YAML_READER_H_

#include "absl/strings/string_view.h"
#include "harness/plan/position.h"
#include "harness/plan/yaml_node.h"

namespace squall {

inline constexpr size_t kMostYamlNodes = 20'000;
inline constexpr int kDeepestYaml = 16;

YamlNodePtr ReadYaml(absl::string_view text, PlanErrors* errors);

}  // namespace squall

#endif  // HARNESS_PLAN_YAML_READER_H_

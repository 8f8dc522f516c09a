// A parsed YAML value with the place of each part. Immutable once read; aliases share subtrees.
#ifndef HARNESS_PLAN_YAML_NODE_H_
#define HARNESS_PLAN_YAML_NODE_H_

#include <memory>
#include <string>
#include <vector>

#include "harness/plan/position.h"

namespace squall {

struct YamlNode;
using YamlNodePtr = std::shared_ptr<const YamlNode>;

// Keys are scalars, unique within a mapping. Merged entries ("<<") come last and keep their own places.
struct YamlEntry {
  std::string key;
  Position at;
  YamlNodePtr value;
};

struct YamlNode {
  enum Kind { kNull, kScalar, kSequence, kMapping };
  Kind kind = kNull;
  Position at;
  std::string scalar;
  Position text_at;       // of a scalar's first character, behind the quote
  bool verbatim = false;  // the scalar stands in the source from text_at on, unchanged and on one line
  std::vector<YamlNodePtr> items;
  std::vector<YamlEntry> entries;
  size_t size = 1;  // nodes in it, aliases counted at each use
  int depth = 1;
};

// "a mapping", "a list", "text `abc`", "nothing": what stands there, for messages.
std::string Describe(const YamlNode& node);

}  // namespace squall

#endif  // HARNESS_PLAN_YAML_NODE_H_

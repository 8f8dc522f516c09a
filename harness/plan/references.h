// ${...} references in a plan's text. Params are replaced when the plan is read; the others ("late") name things that
// exist only once instances start, and whoever starts them replaces them.
//
//   ASSIGN_OR_RETURN(std::string arg, ExpandLate("--port=${port}", [&](const std::string& name) { return Lookup(name);
//   }));
//
// Late names: bin.NAME  port  port.NAME  label.NAME  link.NAME.address  target.ROLE.address (first port of instance 0)
// target.ROLE.addresses (of all instances, comma-separated)  index  role  dir  seed. "$${" stands for a plain "${".
#ifndef HARNESS_PLAN_REFERENCES_H_
#define HARNESS_PLAN_REFERENCES_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace squall {

// A piece of a text: plain text (escapes undone), or the name inside ${}.
struct TextPiece {
  bool reference = false;
  std::string text;
  size_t offset = 0;  // of the piece in the text
};

// InvalidArgument for a "${" without its "}" and for an empty name.
absl::StatusOr<std::vector<TextPiece>> SplitReferences(absl::string_view text);

// A late reference, taken apart: {"link", "im", "address"}; {"port", "", ""}.
struct LateName {
  std::string kind, name, part;
};
std::optional<LateName> ParseLateName(absl::string_view name);

// The forms above, for messages: "bin.NAME", "port", ...
const std::vector<std::string>& LateForms();

// Replaces every reference by what `lookup` gives; its nullopt is InvalidArgument that names the reference.
absl::StatusOr<std::string> ExpandLate(
    absl::string_view text, const std::function<std::optional<std::string>(const std::string& name)>& lookup);

}  // namespace squall

#endif  // HARNESS_PLAN_REFERENCES_H_

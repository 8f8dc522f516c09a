#include "targets/process/template.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "faults/core/params.h"

namespace squall {
namespace {

absl::Status Unknown(const std::string& name, const std::map<std::string, std::string>& variables) {
  std::vector<std::string> known;
  for (const auto& [variable, value] : variables) known.push_back(variable);
  const std::string near = NearMatch(name, known);
  return absl::InvalidArgumentError(absl::StrCat("nothing is known as ${", name, "}",
                                                 near.empty() ? "" : absl::StrCat("; did you mean ${", near, "}?")));
}

}  // namespace

absl::StatusOr<std::string> FillTemplate(std::string_view text, const std::map<std::string, std::string>& variables) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find("${", at);
    if (open == text.npos) {
      out += text.substr(at);
      break;
    }
    if (open > at && text[open - 1] == '$') {  // "$${"
      out += text.substr(at, open - 1 - at);
      out += "${";
      at = open + 2;
      continue;
    }
    out += text.substr(at, open - at);
    const size_t close = text.find('}', open);
    if (close == text.npos)
      return absl::InvalidArgumentError(absl::StrCat("\"", std::string(text), "\": ${ without }"));
    const std::string name(text.substr(open + 2, close - open - 2));
    const auto found = variables.find(name);
    if (found == variables.end()) return Unknown(name, variables);
    out += found->second;
    at = close + 1;
  }
  return out;
}

}  // namespace squall

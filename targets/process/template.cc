#include "targets/process/template.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace squall {

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
    if (close == text.npos) return absl::InvalidArgumentError(absl::StrCat("\"", std::string(text), "\": ${ without }"));
    const std::string name(text.substr(open + 2, close - open - 2));
    const auto found = variables.find(name);
    if (found == variables.end()) return absl::InvalidArgumentError(absl::StrCat("nothing is known as ${", name, "}"));
    out += found->second;
    at = close + 1;
  }
  return out;
}

}  // namespace squall

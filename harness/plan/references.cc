#include "harness/plan/references.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"

namespace squall {

absl::StatusOr<std::vector<TextPiece>> SplitReferences(absl::string_view text) {
  std::vector<TextPiece> pieces;
  std::string plain;
  size_t plain_at = 0;
  auto flush = [&] {
    if (!plain.empty()) pieces.push_back({false, plain, plain_at});
    plain.clear();
  };
  for (size_t i = 0; i < text.size();) {
    if (plain.empty()) plain_at = i;
    if (absl::StartsWith(text.substr(i), "$${")) {
      plain += "${";
      i += 3;
    } else if (absl::StartsWith(text.substr(i), "${")) {
      flush();
      const size_t end = text.find('}', i);
      if (end == absl::string_view::npos) {
        return absl::InvalidArgumentError("`${` without its `}`; write `$${` for a plain `${`");
      }
      const absl::string_view name = text.substr(i + 2, end - i - 2);
      if (name.empty()) return absl::InvalidArgumentError("`${}` names nothing");
      pieces.push_back({true, std::string(name), i});
      i = end + 1;
    } else {
      plain += text[i++];
    }
  }
  flush();
  return pieces;
}

std::optional<LateName> ParseLateName(absl::string_view name) {
  for (absl::string_view alone : {"port", "index", "role", "dir", "seed"}) {
    if (name == alone) return LateName{std::string(alone), "", ""};
  }
  const size_t dot = name.find('.');
  if (dot == absl::string_view::npos) return std::nullopt;
  const absl::string_view kind = name.substr(0, dot);
  const absl::string_view rest = name.substr(dot + 1);
  if (rest.empty()) return std::nullopt;
  if (kind == "bin" || kind == "port" || kind == "label") return LateName{std::string(kind), std::string(rest), ""};
  const size_t last = rest.rfind('.');
  if (last == absl::string_view::npos || last == 0) return std::nullopt;
  const absl::string_view part = rest.substr(last + 1);
  const bool known =
      (kind == "link" && part == "address") || (kind == "target" && (part == "address" || part == "addresses"));
  if (!known) return std::nullopt;
  return LateName{std::string(kind), std::string(rest.substr(0, last)), std::string(part)};
}

const std::vector<std::string>& LateForms() {
  static const auto* forms = new std::vector<std::string>{"bin.NAME",
                                                          "port",
                                                          "port.NAME",
                                                          "label.NAME",
                                                          "link.NAME.address",
                                                          "target.ROLE.address",
                                                          "target.ROLE.addresses",
                                                          "index",
                                                          "role",
                                                          "dir",
                                                          "seed"};
  return *forms;
}

absl::StatusOr<std::string> ExpandLate(
    absl::string_view text, const std::function<std::optional<std::string>(const std::string& name)>& lookup) {
  ASSIGN_OR_RETURN(const std::vector<TextPiece> pieces, SplitReferences(text));
  std::string out;
  for (const TextPiece& piece : pieces) {
    if (!piece.reference) {
      out += piece.text;
      continue;
    }
    std::optional<std::string> value = lookup(piece.text);
    if (!value) return absl::InvalidArgumentError(absl::StrCat("nothing is known as `${", piece.text, "}`"));
    out += *value;
  }
  return out;
}

}  // namespace squall

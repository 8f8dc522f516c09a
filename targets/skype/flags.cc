#include "targets/skype/flags.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace skype {

Flags::Flags(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (argument.substr(0, 2) != "--" || equals == std::string::npos) {
      complaints_.push_back(absl::StrCat("not --name=value: ", argument));
    } else if (!given_.emplace(argument.substr(2, equals - 2), argument.substr(equals + 1)).second) {
      complaints_.push_back(absl::StrCat("given twice: ", argument.substr(0, equals)));
    }
  }
}

const std::string* Flags::Take(std::string_view name) {
  read_.emplace(name, true);
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &found->second;
}

void Flags::Complain(std::string_view name, std::string_view wanted) {
  complaints_.push_back(absl::StrCat("--", std::string(name), ": ", std::string(wanted)));
}

std::string Flags::Text(std::string_view name, std::string_view otherwise) {
  const std::string* value = Take(name);
  return value != nullptr ? *value : std::string(otherwise);
}

int64_t Flags::Int(std::string_view name, int64_t otherwise, int64_t low, int64_t high) {
  const std::string* value = Take(name);
  if (value == nullptr) return otherwise;
  int64_t number = 0;
  if (absl::SimpleAtoi(*value, &number) && number >= low && number <= high) return number;
  Complain(name, absl::StrCat("a whole number in [", low, ", ", high, "]"));
  return otherwise;
}

double Flags::Number(std::string_view name, double otherwise, double low, double high) {
  const std::string* value = Take(name);
  if (value == nullptr) return otherwise;
  double number = 0;
  if (absl::SimpleAtod(*value, &number) && number >= low && number <= high) return number;
  Complain(name, absl::StrCat("a number in [", low, ", ", high, "]"));
  return otherwise;
}

bool Flags::YesNo(std::string_view name, bool otherwise) {
  return OneOf(name, otherwise ? "yes" : "no", {"yes", "no"}) == "yes";
}

std::string Flags::OneOf(std::string_view name, std::string_view otherwise, const std::vector<std::string>& allowed) {
  const std::string value = Text(name, otherwise);
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
  Complain(name, absl::StrCat("one of ", absl::StrJoin(allowed, ", ")));
  return std::string(otherwise);
}

absl::Status Flags::Check() const {
  std::vector<std::string> all = complaints_;
  for (const auto& [name, value] : given_) {
    if (!read_.contains(name)) all.push_back(absl::StrCat("no such flag: --", name));
  }
  return all.empty() ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrJoin(all, "\n"));
}

void CheckOrExit(const Flags& flags) {
  const absl::Status status = flags.Check();
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::exit(2);
}

}  // namespace skype

#include "harness/plan/scalars.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

struct UnitSize {
  absl::string_view name;
  double size;
};

std::string Quote(absl::string_view text) {
  return absl::StrCat("`", text.substr(0, 40), text.size() > 40 ? "..." : "", "`");
}

absl::Status Wrong(absl::string_view text, absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat(Quote(text), " ", wanted));
}

// The decimal number at the start of `text`, which loses it. Only digits and one point: no sign, no exponent.
bool TakeDecimal(absl::string_view* text, double* value) {
  size_t length = 0;
  int points = 0;
  while (length < text->size() && (absl::ascii_isdigit((*text)[length]) || (*text)[length] == '.')) {
    points += (*text)[length] == '.';
    ++length;
  }
  if (points > 1 || length == static_cast<size_t>(points)) return false;
  if (!absl::SimpleAtod(text->substr(0, length), value)) return false;
  text->remove_prefix(length);
  return true;
}

absl::string_view TakeLetters(absl::string_view* text) {
  size_t length = 0;
  while (length < text->size() && absl::ascii_isalpha((*text)[length])) ++length;
  const absl::string_view letters = text->substr(0, length);
  text->remove_prefix(length);
  return letters;
}

bool Negative(absl::string_view text) { return absl::StartsWith(text, "-"); }

}  // namespace

absl::StatusOr<int64_t> ParseDuration(absl::string_view text) {
  static constexpr UnitSize kUnits[] = {{"h", 3600e9}, {"m", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
  constexpr absl::string_view kWanted = "is no duration; write one like 500ms, 1m30s or 2h";
  if (Negative(text)) return Wrong(text, "is negative; a duration is not");
  if (text == "0") return 0;
  if (text.empty()) return Wrong(text, kWanted);
  absl::string_view rest = text;
  double total = 0;
  size_t next_unit = 0;  // units come from large to small, each once
  while (!rest.empty()) {
    double number = 0;
    if (!TakeDecimal(&rest, &number)) return Wrong(text, kWanted);
    const absl::string_view letters = TakeLetters(&rest);
    if (letters.empty()) return Wrong(text, "lacks a unit; write a duration like 500ms, 1m30s or 2h");
    size_t unit = next_unit;
    while (unit < std::size(kUnits) && kUnits[unit].name != letters) ++unit;
    if (unit == std::size(kUnits)) return Wrong(text, kWanted);
    total += number * kUnits[unit].size;
    next_unit = unit + 1;
  }
  if (!(total <= static_cast<double>(kLongestDurationNs))) return Wrong(text, "is longer than a year");
  return std::llround(total);
}

absl::StatusOr<double> ParseRatio(absl::string_view text) {
  constexpr absl::string_view kWanted = "is no share; write one like 40% or 0.4";
  if (Negative(text)) return Wrong(text, "is negative; a share lies between 0% and 100%");
  absl::string_view rest = text;
  double value = 0;
  if (!TakeDecimal(&rest, &value)) return Wrong(text, kWanted);
  if (rest == "%") {
    value /= 100;
  } else if (!rest.empty()) {
    return Wrong(text, kWanted);
  } else if (value > 1) {
    return Wrong(text, "is over 1; did you mean a percentage, such as 40%?");
  }
  if (!(value <= 1)) return Wrong(text, "is over 100%");
  return value;
}

absl::StatusOr<uint64_t> ParseBytes(absl::string_view text) {
  static constexpr UnitSize kUnits[] = {{"", 1},        {"B", 1},          {"kB", 1e3},
                                        {"KB", 1e3},    {"MB", 1e6},       {"GB", 1e9},
                                        {"KiB", 1024.}, {"MiB", 1048576.}, {"GiB", 1073741824.}};
  constexpr absl::string_view kWanted = "is no size; write one like 512, 64KiB or 1MB";
  if (Negative(text)) return Wrong(text, "is negative; a size is not");
  absl::string_view rest = text;
  double value = 0;
  if (!TakeDecimal(&rest, &value)) return Wrong(text, kWanted);
  rest = absl::StripLeadingAsciiWhitespace(rest);
  for (const UnitSize& unit : kUnits) {
    if (rest != unit.name) continue;
    value *= unit.size;
    if (!(value <= 9e15)) return Wrong(text, "is too large");
    if (value != std::floor(value)) return Wrong(text, "is no whole number of bytes");
    return static_cast<uint64_t>(value);
  }
  return Wrong(text, kWanted);
}

absl::StatusOr<double> ParseRate(absl::string_view text) {
  constexpr absl::string_view kWanted = "is no rate; write one like 100/s or 6000/m";
  if (Negative(text)) return Wrong(text, "is negative; a rate is not");
  absl::string_view rest = text;
  double value = 0;
  if (!TakeDecimal(&rest, &value)) return Wrong(text, kWanted);
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (rest == "/m") {
    value /= 60;
  } else if (rest == "/h") {
    value /= 3600;
  } else if (!rest.empty() && rest != "/s") {
    return Wrong(text, kWanted);
  }
  if (!(value <= 1e9)) return Wrong(text, "is over 1000000000/s");
  return value;
}

absl::StatusOr<uint64_t> ParseUnsigned(absl::string_view text, uint64_t most) {
  if (Negative(text)) return Wrong(text, "is negative");
  const std::string digits = absl::StrReplaceAll(text, {{"_", ""}});
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
      !absl::ascii_isdigit(text.front())) {
    return Wrong(text, "is no whole number");
  }
  uint64_t value = 0;
  if (!absl::SimpleAtoi(digits, &value) || value > most) return Wrong(text, absl::StrCat("is over ", most));
  return value;
}

absl::StatusOr<int64_t> ParseSigned(absl::string_view text, int64_t least, int64_t most) {
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value)) return Wrong(text, "is no whole number in range");
  if (value < least || value > most) return Wrong(text, absl::StrCat("is not in ", least, " .. ", most));
  return value;
}

absl::StatusOr<double> ParseNumber(absl::string_view text) {
  const bool starts = !text.empty() && (absl::ascii_isdigit(text[0]) || text[0] == '.' || text[0] == '-');
  double value = 0;
  if (!starts || absl::StrContains(text, "x") || absl::StrContains(text, "X") || !absl::SimpleAtod(text, &value)) {
    return Wrong(text, "is no number");
  }
  if (!std::isfinite(value)) return Wrong(text, "is too large");
  return value;
}

absl::StatusOr<bool> ParseBool(absl::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return Wrong(text, "is neither true nor false");
}

}  // namespace squall

#include "harness/report/words/text.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace squall {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(unsigned char c) { return (c & 0xC0) == 0x80; }

// Length of the valid sequence at the start of `text`, 0 if there is none.
size_t SequenceLength(absl::string_view text) {
  auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(at(i))) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  if (first == 0xE0 && at(1) < 0xA0) return 0;
  if (first == 0xED && at(1) > 0x9F) return 0;
  if (first == 0xF0 && at(1) < 0x90) return 0;
  if (first == 0xF4 && at(1) > 0x8F) return 0;
  return length;
}

// Calls `add` with each code point's bytes; an invalid byte counts as U+FFFD.
template <typename Add>
void ForEachCodePoint(absl::string_view text, Add add) {
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    add(length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

bool IsControl(absl::string_view code_point) {
  const auto first = static_cast<unsigned char>(code_point[0]);
  if (first < 0x20 || first == 0x7F) return true;
  return code_point.size() == 2 && first == 0xC2 && static_cast<unsigned char>(code_point[1]) < 0xA0;  // C1
}

// Length of the escape sequence (CSI) at the start of `text`, 0 if there is none.
size_t EscapeLength(absl::string_view text) {
  if (text.size() < 2 || text[0] != '\x1b' || text[1] != '[') return 0;
  size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return end < text.size() ? end + 1 : text.size();
}

}  // namespace

std::string Number(double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == std::floor(value) && std::abs(value) < 1e15) return absl::StrFormat("%.0f", value == 0 ? 0.0 : value);
  if (std::abs(value) >= 1e4 && std::abs(value) < 1e15) return absl::StrFormat("%.0f", value);
  return absl::StrFormat("%.4g", value);
}

std::string Seconds(double seconds) {
  if (!std::isfinite(seconds)) return Number(seconds);
  const double rounded = std::round(std::abs(seconds) * 10) / 10;
  if (rounded < 60 || rounded >= 1e9) return absl::StrFormat("%.1f s", seconds);
  const auto minutes = static_cast<int64_t>(rounded / 60);
  return absl::StrFormat("%s%d min %.1f s", seconds < 0 ? "-" : "", minutes,
                         rounded - static_cast<double>(minutes) * 60);
}

std::string WithUnit(double number, absl::string_view unit) {
  if (unit.empty()) return Number(number);
  return absl::StrCat(Number(number), unit == "%" ? "" : " ", unit);
}

std::string CleanUtf8(absl::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  ForEachCodePoint(text, [&](absl::string_view c) { absl::StrAppend(&clean, c); });
  return clean;
}

std::string Printable(absl::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  ForEachCodePoint(text, [&](absl::string_view c) { absl::StrAppend(&clean, IsControl(c) ? " " : c); });
  return clean;
}

std::string HtmlEscape(absl::string_view text) {
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 8);
  ForEachCodePoint(text, [&](absl::string_view c) {
    if (c == "&") {
      escaped += "&amp;";
    } else if (c == "<") {
      escaped += "&lt;";
    } else if (c == ">") {
      escaped += "&gt;";
    } else if (c == "\"") {
      escaped += "&quot;";
    } else if (c == "'") {
      escaped += "&#39;";
    } else if (IsControl(c) && c != "\n" && c != "\t") {
      absl::StrAppend(&escaped, kReplacement);
    } else {
      absl::StrAppend(&escaped, c);
    }
  });
  return escaped;
}

std::string ScriptJson(absl::string_view json) {
  return absl::StrReplaceAll(
      json,
      {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}});
}

size_t Columns(absl::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    if (const size_t escape = EscapeLength(text); escape > 0) {
      text.remove_prefix(escape);
      continue;
    }
    const size_t length = SequenceLength(text);
    text.remove_prefix(length == 0 ? 1 : length);
    ++columns;
  }
  return columns;
}

std::string Shorten(absl::string_view text, size_t columns) {
  if (Columns(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  std::string out;
  size_t used = 0;
  ForEachCodePoint(text, [&](absl::string_view c) {
    if (used++ < columns - 1) absl::StrAppend(&out, c);
  });
  return out + "…";
}

std::string Wrap(absl::string_view text, size_t columns, size_t indent) {
  std::string out;
  size_t used = 0;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t width = Columns(word);
    if (used > 0 && used + 1 + width > columns) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      used = indent;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    absl::StrAppend(&out, word);
    used += width;
  }
  return out;
}

}  // namespace squall

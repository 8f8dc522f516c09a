// Text for people and pages: numbers as they are read, and strings from outside made safe.
//
//   Number(12.3400001) == "12.34"      Seconds(17.25) == "17.3 s"      HtmlEscape("<a>") == "&lt;a&gt;"
//
// Pure functions. Strings from a plan or a target may hold anything, also invalid UTF-8 and control characters: what
// goes to a page passes HtmlEscape or ScriptJson, what goes to a terminal passes Printable.
#ifndef HARNESS_REPORT_WORDS_TEXT_H_
#define HARNESS_REPORT_WORDS_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace squall {

// Four significant digits, no trailing zeros; large whole numbers in full ("20000"); "-" for NaN, "inf", "-inf".
std::string Number(double value);
// "17.3 s", "2 min 5.0 s".
std::string Seconds(double seconds);
// `number` and `unit` with a space between, without one before "%"; only the number when there is no unit.
std::string WithUnit(double number, absl::string_view unit);

// Valid UTF-8: each invalid sequence becomes U+FFFD.
std::string CleanUtf8(absl::string_view text);
// CleanUtf8, and control characters (also ESC and line ends) become spaces: one line that cannot move a cursor.
std::string Printable(absl::string_view text);
// CleanUtf8, with & < > " ' as entities: safe in element content and in quoted attributes.
std::string HtmlEscape(absl::string_view text);
// JSON text made safe inside <script>: < > & and the two line separators of Unicode become \uXXXX.
std::string ScriptJson(absl::string_view json);

// Columns on a terminal: one per code point, which is right for all that we print ourselves. Escape sequences do not
// count.
size_t Columns(absl::string_view text);
// At most `columns` columns, the last one "…" if something was cut. Text without escape sequences only.
std::string Shorten(absl::string_view text, size_t columns);
// Words on lines of at most `columns`; a longer word stands alone. Each line but the first starts with `indent` spaces.
std::string Wrap(absl::string_view text, size_t columns, size_t indent);

}  // namespace squall

#endif  // HARNESS_REPORT_WORDS_TEXT_H_

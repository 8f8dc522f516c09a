#include "harness/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "harness/report/words/problems.h"
#include "harness/report/words/text.h"

namespace squall {
namespace {

using report::v1::RunReport;

constexpr size_t kLeastColumns = 40;
constexpr char kRed[] = "\x1b[1;31m";
constexpr char kGreen[] = "\x1b[1;32m";
constexpr char kYellow[] = "\x1b[1;33m";
constexpr char kBold[] = "\x1b[1m";
constexpr char kReset[] = "\x1b[0m";

std::string Paint(absl::string_view text, const char* color, const TerminalStyle& style) {
  return style.color ? absl::StrCat(color, text, kReset) : std::string(text);
}

const char* ColorOf(report::v1::Verdict verdict) {
  switch (verdict) {
    case report::v1::PASS:
      return kGreen;
    case report::v1::INCONCLUSIVE:
    case report::v1::ABORTED:
      return kYellow;
    default:
      return kRed;
  }
}

// A part of the live line: the state that it names gives its colour.
std::string PaintPart(absl::string_view part, const TerminalStyle& style) {
  if (absl::StrContains(part, "VIOLATED")) return Paint(part, kRed, style);
  if (absl::StrContains(part, "HOLDS")) return Paint(part, kGreen, style);
  if (absl::StrContains(part, "UNKNOWN") || absl::StrContains(part, "VACUOUS")) return Paint(part, kYellow, style);
  return std::string(part);
}

class Screen {
 public:
  explicit Screen(const TerminalStyle& style) : style_(style), columns_(std::max(style.columns, kLeastColumns)) {}

  void Line(absl::string_view text, const char* color = nullptr) {
    const std::string wrapped = Wrap(Printable(text), columns_, 0);
    absl::StrAppend(&out_, color == nullptr ? wrapped : Paint(wrapped, color, style_), "\n");
  }
  // "    when        17.3 s"; nothing when there is no value.
  void Row(absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    constexpr size_t kIndent = 16;
    std::string head = absl::StrCat("    ", name);
    head.append(kIndent - std::min(kIndent - 1, Columns(head)), ' ');
    absl::StrAppend(&out_, head, Wrapped(Printable(value), kIndent), "\n");
  }
  // "  pool_share    0.05": names of up to `width` columns in front.
  void Pair(absl::string_view name, size_t width, absl::string_view value) {
    width = std::min(width, columns_ / 2);
    std::string head = absl::StrCat("  ", Shorten(Printable(name), width));
    head.append(width + 4 - Columns(head), ' ');
    absl::StrAppend(&out_, head, Wrapped(Printable(value), width + 4), "\n");
  }
  // Commands and paths: never broken, so that they can be copied.
  void Verbatim(absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    absl::StrAppend(&out_, name, std::string(name.size() < 8 ? 8 - name.size() : 1, ' '), Printable(value), "\n");
  }
  void Blank() { out_ += "\n"; }
  std::string Take() { return std::move(out_); }

 private:
  std::string Wrapped(const std::string& text, size_t indent) const {
    // The first line starts after the name, so it has as much room as the others.
    std::vector<std::string> lines = absl::StrSplit(Wrap(text, columns_ - indent, 0), '\n');
    return absl::StrJoin(lines, absl::StrCat("\n", std::string(indent, ' ')));
  }

  const TerminalStyle& style_;
  size_t columns_;
  std::string out_;
};

const char* Sign(const RunReport& report, const Problem& problem) {
  return report.verdict() == report::v1::ERROR ? "!" : absl::EndsWith(problem.what, "was violated") ? "✗" : "?";
}

void AddMeasures(const RunReport& report, Screen& screen) {
  size_t width = 0;
  for (const auto& measure : report.measures()) width = std::max(width, Columns(Printable(measure.name())));
  for (const auto& measure : report.measures()) {
    std::string value = "undefined";
    if (measure.has_value() && std::isfinite(measure.value())) {
      value = WithUnit(measure.value(), measure.unit());
    } else if (!measure.undefined_because().empty()) {
      absl::StrAppend(&value, ": ", measure.undefined_because());
    }
    screen.Pair(measure.name(), width, value);
  }
}

}  // namespace

TerminalStyle StyleOf(int fd, bool no_color) {
  TerminalStyle style;
  if (isatty(fd) == 0) return style;
  style.in_place = true;
  style.color = !no_color;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.columns = size.ws_col;
  return style;
}

std::string StatusUpdate(absl::string_view line, const TerminalStyle& style) {
  const std::string clean = Printable(line);
  // In place, the last column stays free: a full line would wrap on some terminals.
  const size_t columns = std::max(style.columns, kLeastColumns) - 1;
  const std::vector<std::string> parts = absl::StrSplit(clean, " | ");
  std::string out;
  size_t used = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t left = parts.size() - i - 1;
    const std::string more = absl::StrCat(" | +", left + 1, " more");
    const size_t separator = i == 0 ? 0 : 3;
    const size_t reserve = left == 0 ? 0 : Columns(absl::StrCat(" | +", left, " more"));
    if (i > 0 && used + separator + Columns(parts[i]) + reserve > columns) {
      absl::StrAppend(&out, more);
      break;
    }
    const std::string part = Shorten(parts[i], columns - used - separator - reserve);
    absl::StrAppend(&out, i == 0 ? "" : " | ", PaintPart(part, style));
    used += separator + Columns(part);
  }
  return style.in_place ? absl::StrCat("\r\x1b[K", out) : absl::StrCat(out, "\n");
}

std::string ClearStatus(const TerminalStyle& style) { return style.in_place ? "\r\x1b[K" : ""; }

std::string LastScreen(const RunReport& report, absl::string_view report_dir, const TerminalStyle& style) {
  Screen screen(style);
  screen.Blank();
  screen.Line(Headline(report), style.color ? ColorOf(report.verdict()) : nullptr);
  if (const std::string reason = Reason(report); !reason.empty()) screen.Line(reason);
  for (const Problem& problem : Problems(report)) {
    screen.Blank();
    screen.Line(absl::StrCat(Sign(report, problem), " ", problem.what), style.color ? kBold : nullptr);
    screen.Row("when", problem.when_s ? Seconds(*problem.when_s) : "");
    screen.Row("by", problem.by_how_much);
    screen.Row("seen", problem.evidence);
    screen.Row("after", problem.preceded_by);
    screen.Row("rule", problem.expression);
  }
  if (report.measures_size() > 0) {
    screen.Blank();
    screen.Line("Measures", style.color ? kBold : nullptr);
    AddMeasures(report, screen);
  }
  if (report.notes_size() > 0) screen.Blank();
  for (const std::string& note : report.notes()) screen.Line(absl::StrCat("note: ", note));
  screen.Blank();
  screen.Verbatim("repeat", report.replay().command());
  if (!report_dir.empty()) screen.Verbatim("report", absl::StrCat(report_dir, "/report.html"));
  return screen.Take();
}

}  // namespace squall

// A table of report.html that scrolls by itself on a narrow screen.
//
//   Table table("Measures", {{"name"}, {"value", Table::kNumber}});
//   table.Row({"pool", "12"});
//   std::string html = table.Html();
//
// Cells are HTML: escape what goes into them (HtmlEscape). The first cell of a row is its header.
#ifndef HARNESS_REPORT_HTML_TABLE_H_
#define HARNESS_REPORT_HTML_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace squall::html {

class Table {
 public:
  enum Kind { kText, kNumber, kWide };
  struct Column {
    std::string title;
    Kind kind = kText;
  };

  Table(std::string label, std::vector<Column> columns) : columns_(std::move(columns)) {
    absl::StrAppend(&html_, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", label,
                    "\"><table><thead><tr>");
    for (const Column& column : columns_) {
      absl::StrAppend(&html_, "<th scope=\"col\"", Class(column.kind), ">", column.title, "</th>");
    }
    html_ += "</tr></thead><tbody>\n";
  }

  void Row(const std::vector<std::string>& cells) {
    html_ += "<tr>";
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i == 0) {
        absl::StrAppend(&html_, "<th scope=\"row\">", cells[i], "</th>");
      } else {
        absl::StrAppend(&html_, "<td", Class(columns_[i].kind), ">", cells[i], "</td>");
      }
    }
    html_ += "</tr>\n";
  }

  std::string Html() const { return html_ + "</tbody></table></div>\n"; }

 private:
  static const char* Class(Kind kind) {
    return kind == kNumber ? " class=\"num\"" : kind == kWide ? " class=\"wide\"" : "";
  }

  std::vector<Column> columns_;
  std::string html_;
};

}  // namespace squall::html

#endif  // HARNESS_REPORT_HTML_TABLE_H_

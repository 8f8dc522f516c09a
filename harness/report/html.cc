#include "harness/report/html.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "harness/report/html_parts.h"
#include "harness/report/page/assets.h"
#include "harness/report/words/problems.h"
#include "harness/report/words/text.h"
#include "nlohmann/json.hpp"

namespace squall {
namespace {

using Json = nlohmann::ordered_json;
using report::v1::RunReport;

constexpr size_t kMostPoints = 4000;

// Milliseconds are enough for a chart and keep the page small.
double RoundedTime(double t) { return std::round(t * 1000) / 1000; }

Json RoundedValue(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double scale = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) && scale > 0 ? Json(std::round(value * scale) / scale) : Json(value);
}

Json ChartJson(const ChartData& chart) {
  Json times = Json::array(), values = Json::array();
  for (const auto& [t, value] : Thin(chart.points, kMostPoints)) {
    if (!std::isfinite(t)) continue;
    times.push_back(RoundedTime(t));
    values.push_back(RoundedValue(value));
  }
  return {{"name", CleanUtf8(chart.name)}, {"unit", CleanUtf8(chart.unit)}, {"t", times}, {"v", values}};
}

// What page.js reads.
std::string PageData(const RunReport& report, const std::vector<ChartData>& charts) {
  double from = 0, to = std::isfinite(report.duration_s()) ? report.duration_s() : 0;
  Json all = Json::array();
  for (const ChartData& chart : charts) {
    if (!chart.points.empty()) {
      from = std::fmin(from, chart.points.front().first);
      to = std::fmax(to, chart.points.back().first);
    }
    all.push_back(ChartJson(chart));
  }
  if (to <= from) to = from + 1;
  Json bands = Json::array(), steps = Json::array(), violations = Json::array();
  for (const auto& fault : report.faults()) {
    if (!fault.has_armed_s()) continue;
    bands.push_back({{"name", CleanUtf8(fault.name())},
                     {"from", RoundedTime(fault.armed_s())},
                     {"to", RoundedTime(fault.has_lifted_s() ? fault.lifted_s() : to)}});
  }
  for (const auto& step : report.steps()) {
    if (step.has_start_s()) steps.push_back({{"name", CleanUtf8(step.name())}, {"t", RoundedTime(step.start_s())}});
  }
  for (const auto& invariant : report.invariants()) {
    if (invariant.verdict() != report::v1::VIOLATED || !invariant.has_first_violation_s()) continue;
    violations.push_back({{"name", CleanUtf8(invariant.name())}, {"t", RoundedTime(invariant.first_violation_s())}});
  }
  const Json data = {{"from", RoundedTime(from)}, {"to", RoundedTime(to)}, {"bands", bands}, {"steps", steps},
                     {"violations", violations},  {"charts", all}};
  return ScriptJson(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::vector<std::pair<double, double>> Thin(const std::vector<std::pair<double, double>>& points, size_t most) {
  most = std::max<size_t>(most, 4);
  if (points.size() <= most) return points;
  // First and last stay; the stretches between give two points each. A gap counts as a stretch's lowest point.
  const size_t stretches = (most - 2) / 2;
  const size_t inner = points.size() - 2;
  std::vector<std::pair<double, double>> thin = {points.front()};
  for (size_t i = 0; i < stretches; ++i) {
    const auto begin = points.begin() + 1 + static_cast<ptrdiff_t>(inner * i / stretches);
    const auto end = points.begin() + 1 + static_cast<ptrdiff_t>(inner * (i + 1) / stretches);
    auto below = [](const auto& a, const auto& b) {
      if (std::isnan(a.second)) return !std::isnan(b.second);
      return a.second < b.second;
    };
    auto [low, high] = std::minmax_element(begin, end, below);
    if (low > high) std::swap(low, high);
    thin.push_back(*low);
    if (high != low) thin.push_back(*high);
  }
  thin.push_back(points.back());
  return thin;
}

std::string ReportHtml(const RunReport& report, const std::vector<ChartData>& charts) {
  const std::string title =
      HtmlEscape(absl::StrCat(VerdictName(report.verdict()), " – ", report.plan().name(), " – Squall"));
  std::string page = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<title>",
      title, "</title>\n<style>\n", page_assets::kUplotCss, "\n", page_assets::kPageCss,
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the result</a>\n<div class=\"page\">\n");
  absl::StrAppend(&page, html::Hero(report), "<main id=\"main\">\n", html::ProblemList(report), html::Repeat(report),
                  html::Charts(report, charts), html::Invariants(report), html::Measures(report));
  absl::StrAppend(&page, html::Conditions(report), html::Faults(report), html::Steps(report), html::Targets(report),
                  html::OverheadAndNotes(report));
  absl::StrAppend(&page, html::Draws(report), "</main>\n<footer>Squall ", HtmlEscape(report.squall_version()), ", run ",
                  HtmlEscape(report.run_id()), ", plan sha256 ", HtmlEscape(report.plan().sha256()),
                  ". Beside this page: report.json, events.jsonl and the output of the targets.</footer>\n</div>\n");
  if (!charts.empty()) {
    absl::StrAppend(&page, "<script id=\"run-data\" type=\"application/json\">", PageData(report, charts),
                    "</script>\n");
    absl::StrAppend(&page, "<script>", page_assets::kUplotJs, "</script>\n<script>\n", page_assets::kPageJs,
                    "</script>\n");
  }
  page += "</body>\n</html>\n";
  return page;
}

}  // namespace squall

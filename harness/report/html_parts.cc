#include "harness/report/html_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/report/html_table.h"
#include "harness/report/words/problems.h"
#include "harness/report/words/text.h"

namespace squall::html {
namespace {

using report::v1::RunReport;

std::string Esc(absl::string_view text) { return HtmlEscape(text); }
std::string Code(absl::string_view text) { return text.empty() ? "" : absl::StrCat("<code>", Esc(text), "</code>"); }
std::string Sub(absl::string_view html) {
  return html.empty() ? "" : absl::StrCat("<span class=\"sub\">", html, "</span>");
}

std::string Section(absl::string_view id, absl::string_view title, absl::string_view body) {
  return absl::StrCat("<section aria-labelledby=\"", id, "\"><h2 id=\"", id, "\">", title, "</h2>\n", body,
                      "</section>\n");
}

// A state is told by word, sign and colour.
std::string Badge(absl::string_view tone, absl::string_view sign, absl::string_view word) {
  return absl::StrCat("<span class=\"badge ", tone, "\"><span aria-hidden=\"true\">", sign, "</span> ", word,
                      "</span>");
}

struct Look {
  const char* tone;
  const char* sign;
};

Look LookOf(report::v1::Verdict verdict) {
  switch (verdict) {
    case report::v1::PASS:
      return {"good", "✓"};
    case report::v1::FAIL:
      return {"bad", "✗"};
    case report::v1::INCONCLUSIVE:
      return {"open", "?"};
    case report::v1::ABORTED:
      return {"open", "■"};
    default:
      return {"bad", "!"};
  }
}

std::string TruthBadge(report::v1::Truth truth) {
  switch (truth) {
    case report::v1::HOLDS:
      return Badge("good", "✓", "HOLDS");
    case report::v1::VIOLATED:
      return Badge("bad", "✗", "VIOLATED");
    case report::v1::VACUOUS:
      return Badge("open", "∅", "VACUOUS");
    default:
      return Badge("open", "?", "UNKNOWN");
  }
}

std::string Definition(absl::string_view term, absl::string_view html) {
  return html.empty() ? "" : absl::StrCat("<dt>", term, "</dt><dd>", html, "</dd>\n");
}

std::string Fact(absl::string_view term, absl::string_view html) {
  return html.empty() ? "" : absl::StrCat("<div><dt>", term, "</dt><dd>", html, "</dd></div>\n");
}

std::string MarginRange(const report::v1::InvariantResult& invariant) {
  const bool known = std::isfinite(invariant.margin_lo()) || std::isfinite(invariant.margin_hi());
  if (invariant.margin_lo() == invariant.margin_hi() || !known) return "";
  return absl::StrCat("between ", Number(invariant.margin_lo()), " and ", Number(invariant.margin_hi()));
}

std::string LabelList(const google::protobuf::Map<std::string, std::string>& labels) {
  const std::map<std::string, std::string> sorted(labels.begin(), labels.end());
  return absl::StrJoin(sorted, ", ", [](std::string* out, const auto& label) {
    absl::StrAppend(out, Esc(label.first), "=", Esc(label.second));
  });
}

std::string DescribeExit(const report::v1::Exit& exit) {
  std::string text = absl::StrCat(Seconds(exit.at_s()), ": ", Esc(exit.cause()));
  if (exit.signal() != 0) {
    absl::StrAppend(&text, ", signal ", exit.signal());
  } else {
    absl::StrAppend(&text, ", exit code ", exit.code());
  }
  return text;
}

}  // namespace

std::string Hero(const RunReport& report) {
  const Look look = LookOf(report.verdict());
  const std::string headline = Headline(report);
  const size_t colon = headline.find(": ");
  std::string params;
  if (!report.plan().params().empty()) params = LabelList(report.plan().params());
  return absl::StrCat(
      "<header class=\"hero ", look.tone, "\">\n<p class=\"kicker\">Squall report",
      report.plan().name().empty() ? "" : " · ", Esc(report.plan().name()), "</p>\n<h1>",
      Badge(look.tone, look.sign, headline.substr(0, colon)), " ", Esc(headline.substr(colon + 2)),
      "</h1>\n<p class=\"reason\">", Esc(Reason(report)), " <span class=\"muted small\">(", Code(report.reason()),
      ")</span></p>\n",
      report.plan().about().empty() ? "" : absl::StrCat("<p class=\"muted\">", Esc(report.plan().about()), "</p>\n"),
      "<dl class=\"facts\">\n", Fact("Plan", Code(report.plan().path())), Fact("Parameters", params),
      Fact("Seed", absl::StrCat(report.seed())), Fact("Started", Esc(report.started_at())),
      Fact("Duration", Seconds(report.duration_s())), Fact("Run", Code(report.run_id())), "</dl>\n</header>\n");
}

std::string ProblemList(const RunReport& report) {
  std::string items;
  for (const Problem& problem : Problems(report)) {
    const bool violated = problem.what.find("was violated") != std::string::npos;
    absl::StrAppend(&items, "<li class=\"problem ", violated || report.verdict() == report::v1::ERROR ? "bad" : "open",
                    "\"><h3>", Esc(problem.what), "</h3>\n<dl class=\"rows\">\n",
                    Definition("When", problem.when_s ? Seconds(*problem.when_s) : ""),
                    Definition("By how much", Esc(problem.by_how_much)), Definition("Seen", Esc(problem.evidence)),
                    Definition("Fault before it", Esc(problem.preceded_by)),
                    Definition("Rule", Code(problem.expression)), Definition("Why it matters", Esc(problem.about)),
                    "</dl></li>\n");
  }
  if (items.empty()) return "";
  const char* title = report.verdict() == report::v1::FAIL ? "What failed" : "What stands against it";
  return Section("problems", title, absl::StrCat("<ol class=\"problems\">\n", items, "</ol>\n"));
}

std::string Repeat(const RunReport& report) {
  if (report.replay().command().empty()) return "";
  return Section("repeat", "How to repeat it",
                 absl::StrCat("<div class=\"command\"><pre><code id=\"command\">", Esc(report.replay().command()),
                              "</code></pre><button id=\"copy\" type=\"button\" hidden>Copy</button></div>\n"));
}

std::string Charts(const RunReport& report, const std::vector<ChartData>& charts) {
  if (charts.empty()) return "";
  std::string body = "<ul class=\"marks\" aria-label=\"Marks in the charts\">\n";
  int band = 0;
  for (const auto& fault : report.faults()) {
    if (!fault.has_armed_s()) continue;
    absl::StrAppend(&body, "<li class=\"band-", band++ % 4, "\"><span class=\"swatch\" aria-hidden=\"true\"></span>",
                    Esc(DescribeFault(fault)), ", ", Seconds(fault.armed_s()), " to ",
                    fault.has_lifted_s() ? Seconds(fault.lifted_s()) : "the end", "</li>\n");
  }
  for (const auto& invariant : report.invariants()) {
    if (invariant.verdict() != report::v1::VIOLATED || !invariant.has_first_violation_s()) continue;
    absl::StrAppend(&body, "<li class=\"violation\"><span class=\"swatch line\" aria-hidden=\"true\"></span>",
                    Esc(invariant.name()), " violated first at ", Seconds(invariant.first_violation_s()), "</li>\n");
  }
  if (report.steps_size() > 0) {
    body += "<li class=\"step\"><span class=\"swatch line step\" aria-hidden=\"true\"></span>start of a step</li>\n";
  }
  body += "</ul>\n";
  for (size_t i = 0; i < charts.size(); ++i) {
    const ChartData& chart = charts[i];
    std::string summary = "No data.";
    std::vector<std::pair<double, double>> known;
    std::copy_if(chart.points.begin(), chart.points.end(), std::back_inserter(known),
                 [](const auto& point) { return std::isfinite(point.second); });
    if (!known.empty()) {
      auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
      const auto low = std::min_element(known.begin(), known.end(), by_value);
      const auto high = std::max_element(known.begin(), known.end(), by_value);
      summary = absl::StrCat("Starts at ", Number(known.front().second), "; lowest ", Number(low->second), " at ",
                             Seconds(low->first), "; highest ", Number(high->second), " at ", Seconds(high->first),
                             "; ends at ", Number(known.back().second), ".");
    }
    const std::string unit =
        chart.unit.empty() ? "" : absl::StrCat(" <span class=\"unit\">in ", Esc(chart.unit), "</span>");
    absl::StrAppend(&body, "<figure><figcaption><span id=\"readout-", i,
                    "\" class=\"readout\"></span><span id=\"chart-", i, "\">", Esc(chart.name), unit,
                    "</span></figcaption>\n<div class=\"plot\" data-chart=\"", i,
                    "\" role=\"img\" aria-labelledby=\"chart-", i, "\" aria-describedby=\"summary-", i,
                    "\"></div>\n<p class=\"summary\" id=\"summary-", i, "\">", summary, "</p></figure>\n");
  }
  return Section("charts", "Signals over time", body);
}

std::string Invariants(const RunReport& report) {
  if (report.invariants_size() == 0) return "";
  Table table("Invariants", {{"Invariant"},
                             {"State"},
                             {"Margin", Table::kNumber},
                             {"First violated", Table::kNumber},
                             {"Rule and what was seen", Table::kWide}});
  for (const auto& invariant : report.invariants()) {
    std::string details = Code(invariant.expression());
    absl::StrAppend(&details, Sub(Esc(invariant.evidence())), Sub(Esc(invariant.reason())));
    if (invariant.has_recovery_s()) {
      absl::StrAppend(&details, Sub(absl::StrCat("recovered after ", Seconds(invariant.recovery_s()))));
    }
    table.Row({Esc(invariant.name()), TruthBadge(invariant.verdict()),
               absl::StrCat(
                   Esc(WithUnit(invariant.margin(), std::isfinite(invariant.margin()) ? invariant.margin_unit() : "")),
                   Sub(MarginRange(invariant))),
               invariant.has_first_violation_s() ? Seconds(invariant.first_violation_s()) : "–", details});
  }
  return Section(
      "invariants", "Invariants",
      "<p class=\"muted small\">The margin is the distance to the limit at the worst moment; negative = broken by "
      "that much.</p>\n" +
          table.Html());
}

std::string Measures(const RunReport& report) {
  if (report.measures_size() == 0) return "";
  Table table("Measures", {{"Measure"}, {"Value", Table::kNumber}, {"How it is taken", Table::kWide}});
  for (const auto& measure : report.measures()) {
    const bool defined = measure.has_value() && std::isfinite(measure.value());
    table.Row({Esc(measure.name()), defined ? Esc(WithUnit(measure.value(), measure.unit())) : "undefined",
               absl::StrCat(Code(measure.expression()), Sub(Esc(measure.undefined_because())))});
  }
  return Section("measures", "Measures", table.Html());
}

std::string Conditions(const RunReport& report) {
  if (report.conditions_size() == 0) return "";
  Table table("Conditions of the run", {{"Condition"}, {"Kind"}, {"State"}, {"Rule and what was seen", Table::kWide}});
  for (const auto& condition : report.conditions()) {
    // An abort condition that never became true is what one wishes for.
    const bool abort = condition.kind() == "abort_when";
    std::string state = TruthBadge(condition.verdict());
    if (abort && condition.verdict() == report::v1::HOLDS) state = Badge("good", "✓", "never true");
    if (abort && condition.verdict() == report::v1::VIOLATED) state = Badge("bad", "✗", "became true");
    std::string details = absl::StrCat(Code(condition.expression()), Sub(Esc(condition.evidence())));
    if (condition.has_first_violation_s()) {
      absl::StrAppend(&details, Sub(absl::StrCat("first at ", Seconds(condition.first_violation_s()))));
    }
    table.Row({Esc(condition.name()), Code(condition.kind()), state, details});
  }
  return Section("conditions", "Was it a fair trial?", table.Html());
}

std::string Faults(const RunReport& report) {
  if (report.faults_size() == 0) return "";
  Table table("Faults", {{"Fault"},
                         {"Kind"},
                         {"Armed", Table::kNumber},
                         {"Gone", Table::kNumber},
                         {"Targets and witness", Table::kWide}});
  for (const auto& fault : report.faults()) {
    const auto& witness = fault.witness();
    std::string proof = witness.effective() ? Badge("good", "✓", "took effect") : Badge("open", "?", "no witness");
    if (fault.has_lifted_s() && !witness.gone())
      absl::StrAppend(&proof, " ", Badge("open", "?", "not seen to be gone"));
    const std::string all = fault.targets_size() > 3
                                ? absl::StrCat("<details><summary>all ", fault.targets_size(), " targets</summary>",
                                               Esc(DescribeTargets(fault, 0)), "</details>")
                                : "";
    table.Row({Esc(fault.name()), Code(fault.kind()),
               fault.has_armed_s()
                   ? absl::StrCat(Seconds(fault.armed_s()), Sub(absl::StrCat(Number(fault.arm_skew_ms()), " ms late")))
                   : "never",
               fault.has_lifted_s() ? absl::StrCat(Seconds(fault.lifted_s()), Sub(Esc(fault.ended_by()))) : "–",
               absl::StrCat(Esc(DescribeTargets(fault, 3)), all, "<br>", proof, Sub(Esc(witness.detail())),
                            fault.error().empty() ? "" : Sub("error: " + Esc(fault.error())))});
  }
  return Section("faults", "Faults", table.Html());
}

std::string Steps(const RunReport& report) {
  if (report.steps_size() == 0) return "";
  Table table("Steps",
              {{"Step"}, {"Planned", Table::kNumber}, {"Start", Table::kNumber}, {"End", Table::kNumber}, {"Outcome"}});
  for (const auto& step : report.steps()) {
    table.Row({Esc(step.name()), step.has_planned_s() ? Seconds(step.planned_s()) : "–",
               step.has_start_s() ? Seconds(step.start_s()) : "–", step.has_end_s() ? Seconds(step.end_s()) : "–",
               Esc(step.outcome())});
  }
  return Section("steps", "Steps", table.Html());
}

std::string Targets(const RunReport& report) {
  if (report.targets_size() == 0) return "";
  int exited = 0, exits = 0, by_signal = 0;
  Table table("Targets",
              {{"Target"}, {"Labels"}, {"Incarnations", Table::kNumber}, {"Exits", Table::kWide}, {"Output"}});
  for (const auto& target : report.targets()) {
    exited += target.exits_size() > 0;
    exits += target.exits_size();
    std::string list;
    for (const auto& exit : target.exits()) {
      by_signal += exit.signal() != 0;
      absl::StrAppend(&list, list.empty() ? "" : "<br>", DescribeExit(exit));
    }
    table.Row({Esc(target.name()), LabelList(target.labels()), absl::StrCat(target.incarnations()),
               list.empty() ? "–" : list, Code(target.log())});
  }
  return Section(
      "targets", "Targets",
      absl::StrCat("<p>", report.targets_size(), " targets; ", exited, " of them exited, ", exits, " times in all (",
                   by_signal, " by a signal).</p>\n<details", report.targets_size() <= 12 ? " open" : "",
                   "><summary>All targets</summary>\n", table.Html(), "</details>\n"));
}

std::string OverheadAndNotes(const RunReport& report) {
  const auto& cost = report.overhead();
  std::string body = absl::StrCat(
      "<dl class=\"facts\">\n", Fact("CPU of the tool", Seconds(cost.tool_cpu_s())),
      Fact("CPU of the relay", Seconds(cost.relay_cpu_s())), Fact("CPU of the targets", Seconds(cost.targets_cpu_s())),
      Fact("Share of tool and relay", absl::StrCat(Number(cost.cpu_share() * 100), "%")),
      Fact("Memory of the tool", absl::StrCat(Number(cost.max_rss_mib()), " MiB")),
      Fact("Latency added by the relay", cost.relay_added_latency_us() > 0
                                             ? absl::StrCat(Number(cost.relay_added_latency_us()), " µs (median)")
                                             : "no relay"),
      Fact("Engine late at most", absl::StrCat(Number(cost.engine_tick_late_ms_max()), " ms")), "</dl>\n");
  std::string html = Section("overhead", "What the tool itself cost", body);
  if (report.notes_size() > 0) {
    std::string notes;
    for (const std::string& note : report.notes()) absl::StrAppend(&notes, "<li>", Esc(note), "</li>\n");
    absl::StrAppend(&html, Section("notes", "Notes", absl::StrCat("<ul class=\"notes\">\n", notes, "</ul>\n")));
  }
  return html;
}

std::string Draws(const RunReport& report) {
  constexpr int kMost = 1000;
  if (report.draws_size() == 0) return "";
  Table table("Random draws", {{"Site"}, {"Ordinal", Table::kNumber}, {"Value", Table::kNumber}});
  for (int i = 0; i < std::min(report.draws_size(), kMost); ++i) {
    const auto& draw = report.draws(i);
    table.Row({Code(draw.site()), absl::StrCat(draw.ordinal()), Number(draw.value())});
  }
  const std::string rest = report.draws_size() > kMost ? absl::StrCat("<p>The other ", report.draws_size() - kMost,
                                                                      " stand in report.json.</p>\n")
                                                       : "";
  return Section(
      "draws", "Random draws",
      absl::StrCat("<p class=\"muted small\">The same seed, site and ordinal give the same value again.</p>\n"
                   "<details><summary>All ",
                   report.draws_size(), " draws</summary>\n", table.Html(), rest, "</details>\n"));
}

}  // namespace squall::html

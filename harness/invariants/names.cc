#include "harness/invariants/names.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/invariants/parser.h"
#include "harness/plan/near_match.h"
#include "re2/re2.h"

namespace squall {
namespace {

constexpr SeriesKind kG = SeriesKind::kGauge, kC = SeriesKind::kCounter, kE = SeriesKind::kEvent;

const std::map<std::string, SeriesKind, std::less<>>& BuiltIn() {
  static const auto* kMetrics = new std::map<std::string, SeriesKind, std::less<>>{
      {"up", kG},
      {"ready", kG},
      {"healthy", kG},
      {"rss_bytes", kG},
      {"cpu_seconds_total", kC},
      {"fds", kG},
      {"restarts_total", kC},
      {"exit_code", kG},
      {"exits", kE},
      {"started", kE},
      {"became_ready", kE},
      {"link_bytes_total", kC},
      {"link_connections", kG},
      {"link_connections_total", kC},
      {"link_held_bytes", kG},
      {"link_added_latency_us", kG},
      {"link_connect_failures_total", kC},
      {"link_shed_total", kC},
      {"load_scheduled_total", kC},
      {"load_sent_total", kC},
      {"load_ok_total", kC},
      {"load_errors_total", kC},
      {"load_unsent_total", kC},
      {"load_lost_connections_total", kC},
      {"load_latency_ms", kG},
      {"load_in_flight", kG},
      {"load_multiplier", kG},
      {"host_tcp_active_opens_total", kC},
  };
  return *kMetrics;
}

std::string At(int column, std::string message) { return absl::StrCat("column ", column, ": ", message); }

std::vector<std::string> Sorted(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

}  // namespace

Names::Names(const plan::v1::Plan& plan) : metrics_(BuiltIn()) {
  labels_ = {"role", "index", "target", "incarnation", "agent",     "cause",    "signal",
             "code", "link",  "load",   "why",         "direction", "quantile", "step"};
  values_["cause"] = {"by us", "by signal", "by itself"};
  for (const auto& target : plan.targets()) {
    values_["role"].push_back(target.name());
    for (const auto& label : target.labels()) labels_.insert(label.name());
    for (const auto& variant : target.variants()) labels_.insert(variant.name());
    for (const auto& event : target.events()) metrics_.try_emplace(event.name(), kE);
    for (const auto& probe : target.probes()) metrics_.try_emplace(probe.name(), kG);
    open_ = open_ || target.has_metrics();
  }
  for (const auto& link : plan.links()) values_["link"].push_back(link.name());
  for (const auto& load : plan.loads()) values_["load"].push_back(load.name());
  for (const auto& signal : plan.signals()) {
    signal_names_.push_back(signal.name());
    units_[signal.name()] = signal.unit();
    if (auto num = ParseNum(signal.expr()); num.ok()) signals_.emplace(signal.name(), *std::move(num));
  }
  for (const auto& step : plan.steps()) {
    steps_.insert(step.name());
    const auto kind = step.fault().kind_case();
    const bool fault = step.has_fault() && kind != faults::v1::Fault::kStart && kind != faults::v1::Fault::kDrain &&
                       kind != faults::v1::Fault::KIND_NOT_SET;
    if (fault) faults_.insert(step.name());
  }
}

std::optional<SeriesKind> Names::KindOf(std::string_view metric) const {
  const auto found = metrics_.find(metric);
  if (found == metrics_.end()) return std::nullopt;
  return found->second;
}

const ast::Num* Names::Signal(std::string_view name) const {
  const auto found = signals_.find(name);
  return found == signals_.end() ? nullptr : &found->second;
}

std::string Names::UnitOf(const ast::Num& num) const {
  using ast::Num;
  switch (num.kind) {
    case Num::kNumber:
      return num.unit == Num::kSeconds ? "s" : "";
    case Num::kAge:
      return "s";
    case Num::kSelect:
      if (const auto signal = units_.find(num.selector.name); signal != units_.end()) return signal->second;
      break;
    case Num::kSpatial:
      if (num.spatial == ast::Spatial::kCount) return "";
      break;
    case Num::kWindow:
      if (num.window == ast::Window::kCount) return "";
      if (num.window == ast::Window::kRate) return "1/s";
      break;
    case Num::kNegate:
    case Num::kBaseline:
      return UnitOf(num.children[0]);
    case Num::kAdd:
    case Num::kSubtract:
    case Num::kMin:
    case Num::kMax: {
      const std::string unit = UnitOf(num.children[0]);
      return unit.empty() ? UnitOf(num.children[1]) : unit;
    }
    default:
      return "";
  }
  static constexpr std::pair<const char*, const char*> kEndings[] = {
      {"_ms", "ms"}, {"_us", "us"}, {"_seconds", "s"}, {"_seconds_total", "s"}, {"_bytes", "B"}, {"_bytes_total", "B"}};
  for (const auto& [ending, unit] : kEndings) {
    if (absl::EndsWith(num.selector.name, ending)) return unit;
  }
  return "";
}

absl::Status Names::CheckMetric(const ast::Selector& selector) const {
  const bool signal = std::find(signal_names_.begin(), signal_names_.end(), selector.name) != signal_names_.end();
  if (signal) {
    if (selector.matchers.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        At(selector.column, absl::StrCat("`", selector.name, "` is a signal of this plan and has no labels")));
  }
  if (metrics_.find(selector.name) == metrics_.end() && !open_) {
    std::vector<std::string> all = signal_names_;
    for (const auto& [name, kind] : metrics_) all.push_back(name);
    return absl::InvalidArgumentError(
        At(selector.column, absl::StrCat("unknown metric `", selector.name, "`", DidYouMean(selector.name, all))));
  }
  for (const ast::Matcher& matcher : selector.matchers) {
    if (absl::Status status = CheckMatcher(selector, matcher); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Names::CheckMatcher(const ast::Selector& selector, const ast::Matcher& matcher) const {
  const bool regex = matcher.op == ast::Matcher::kMatch || matcher.op == ast::Matcher::kNoMatch;
  if (regex) {
    const RE2 re(matcher.value, RE2::Quiet);
    if (!re.ok()) {
      return absl::InvalidArgumentError(
          At(selector.column, absl::StrCat("`", matcher.value, "` is no regular expression: ", re.error())));
    }
  }
  if (metrics_.find(selector.name) == metrics_.end()) return absl::OkStatus();  // a scrape's labels are its own
  if (labels_.count(matcher.label) == 0) {
    return absl::InvalidArgumentError(
        At(selector.column, absl::StrCat("`", selector.name, "` has no label `", matcher.label, "`",
                                         DidYouMean(matcher.label, Sorted(labels_)))));
  }
  const auto values = values_.find(matcher.label);
  if (regex || values == values_.end() || matcher.value.empty()) return absl::OkStatus();
  if (std::find(values->second.begin(), values->second.end(), matcher.value) != values->second.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      At(selector.column, absl::StrCat("no `", matcher.label, "` is called `", matcher.value, "`",
                                       DidYouMean(matcher.value, values->second))));
}

absl::Status Names::CheckStep(const std::string& step, int column) const {
  if (step == "run" || step == "fault" || IsStep(step)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      At(column, absl::StrCat("unknown step `", step, "`", DidYouMean(step, Sorted(steps_)))));
}

}  // namespace squall

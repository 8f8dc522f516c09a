#include "harness/invariants/check.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"
#include "harness/invariants/names.h"
#include "harness/invariants/parser.h"
#include "harness/invariants/parser_core.h"
#include "harness/plan/near_match.h"

namespace squall {
namespace {

using ast::Num;

absl::Status Problem(int column, std::string message) {
  return absl::InvalidArgumentError(absl::StrCat("column ", column, ": ", message));
}

// Looks at one expression; the first problem ends it.
class Checker {
 public:
  explicit Checker(const Names& names) : names_(names) {}

  absl::Status Check(const ast::Selector& selector, bool signal_allowed = false) const {
    RETURN_IF_ERROR(names_.CheckMetric(selector));
    const auto& signals = names_.signals();
    const bool signal = std::find(signals.begin(), signals.end(), selector.name) != signals.end();
    if (signal && !signal_allowed) {
      return Problem(selector.column,
                     absl::StrCat("`", selector.name, "` is a signal, a single number: aggregates need a metric"));
    }
    return absl::OkStatus();
  }

  absl::Status Check(const ast::Point& point) const {
    RETURN_IF_ERROR(names_.CheckStep(point.step, point.column));
    if (point.step == "run" && point.edge == ast::Point::kRequested) {
      return Problem(point.column, "a run has a start and an end, and is not requested");
    }
    return absl::OkStatus();
  }

  absl::Status Check(const ast::Scope& scope) const {
    if (scope.kind == ast::Scope::kRun) return absl::OkStatus();
    if (scope.kind != ast::Scope::kBetween) return names_.CheckStep(scope.step, scope.column);
    RETURN_IF_ERROR(Check(scope.from));
    return Check(scope.to);
  }

  absl::Status Check(const Num& num) const {
    switch (num.kind) {
      case Num::kSelect:
        return Check(num.selector, true);
      case Num::kWindow:
        RETURN_IF_ERROR(Check(num.selector));
        return CheckWindow(num);
      case Num::kSpatial:
        RETURN_IF_ERROR(Check(num.selector));
        if (names_.KindOf(num.selector.name) == SeriesKind::kEvent && num.spatial != ast::Spatial::kSum &&
            num.spatial != ast::Spatial::kCount) {
          return Problem(num.column, absl::StrCat("`", num.selector.name, "` are events: they can be counted only"));
        }
        break;
      case Num::kAge:
        return Check(num.selector);
      case Num::kCountIf:
        RETURN_IF_ERROR(Check(num.selector));
        break;
      case Num::kBaseline:
        RETURN_IF_ERROR(Check(num.scope));
        if (num.scope.kind == ast::Scope::kRun)
          return Problem(num.column, "a baseline over the whole run is never known");
        break;
      default:
        break;
    }
    for (const Num& child : num.children) RETURN_IF_ERROR(Check(child));
    return absl::OkStatus();
  }

  absl::Status Check(const ast::Formula& formula) const {
    if (formula.kind == ast::Formula::kAbsent) return Check(formula.selector);
    for (const Num& side : formula.sides) RETURN_IF_ERROR(Check(side));
    for (const ast::Formula& child : formula.children) RETURN_IF_ERROR(Check(child));
    return absl::OkStatus();
  }

  absl::Status Check(const ast::Body& body) const {
    for (const ast::Formula& formula : body.formulas) RETURN_IF_ERROR(Check(formula));
    if (body.kind == ast::Body::kFraction && !IsConstant(body.bound[0])) {
      return Problem(body.bound[0].column, "a fraction is compared with a constant");
    }
    if (body.kind == ast::Body::kAt || body.kind == ast::Body::kWithin) return Check(body.anchor);
    return Check(body.scope);
  }

  absl::Status Check(const ast::Condition& condition) const {
    RETURN_IF_ERROR(Check(condition.formula));
    return Check(condition.scope);
  }

 private:
  static bool IsConstant(const Num& num) {
    return (num.kind == Num::kNumber || !num.children.empty()) && num.kind != Num::kCountIf &&
           num.kind != Num::kBaseline && std::all_of(num.children.begin(), num.children.end(), IsConstant);
  }

  absl::Status CheckWindow(const Num& num) const {
    using ast::Window;
    const auto kind = names_.KindOf(num.selector.name);
    const bool growth = num.window == Window::kRate || num.window == Window::kIncrease;
    if (kind == SeriesKind::kGauge && growth) {
      return Problem(num.column, absl::StrCat("`", num.selector.name, "` is a gauge: only counters and events grow"));
    }
    if (kind == SeriesKind::kCounter && !growth) {
      return Problem(num.column, absl::StrCat("`", num.selector.name, "` is a counter: use rate() or increase()"));
    }
    return absl::OkStatus();
  }

  const Names& names_;
};

class PlanChecker {
 public:
  PlanChecker(const plan::v1::Plan& plan, const ExpressionProblem& problem)
      : plan_(plan), problem_(problem), names_(plan), checker_(names_) {}

  absl::Status Run() {
    CheckSignals();
    for (int i = 0; i < plan_.steps_size(); ++i) {
      if (plan_.steps(i).has_when()) Look("steps", i, ".when.expr", ParseFormula(plan_.steps(i).when().expr()));
    }
    for (int i = 0; i < plan_.valid_while_size(); ++i) {
      Look("valid_while", i, ".expr", ParseCondition(plan_.valid_while(i).expr()));
    }
    for (int i = 0; i < plan_.abort_when_size(); ++i) {
      Look("abort_when", i, ".expr", ParseCondition(plan_.abort_when(i).expr()));
    }
    for (int i = 0; i < plan_.invariants_size(); ++i) {
      Look("invariants", i, ".expr", ParseInvariant(plan_.invariants(i).expr()));
    }
    CheckMeasures();
    CheckCharts();
    return first_;
  }

 private:
  void Tell(const std::string& path, const absl::Status& status) {
    if (status.ok()) return;
    if (first_.ok()) first_ = absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
    if (problem_) problem_(path, std::string(status.message()));
  }

  template <typename T>
  void Look(const char* list, int i, const char* field, const absl::StatusOr<T>& parsed) {
    Tell(absl::StrCat(list, "[", i, "]", field), parsed.ok() ? checker_.Check(*parsed) : parsed.status());
  }

  void CheckSignals() {
    for (int i = 0; i < plan_.signals_size(); ++i) {
      const std::string& name = plan_.signals(i).name();
      const auto itself = ParseNum(name);
      if (IsReserved(name) || !itself.ok() || itself->kind != Num::kSelect) {
        Tell(absl::StrCat("signals[", i, "].name"),
             absl::InvalidArgumentError(absl::StrCat("`", name,
                                                     "` cannot be used in expressions: take letters, digits and _,"
                                                     " and none of the language's own words")));
      }
      if (names_.KindOf(name).has_value()) {
        Tell(absl::StrCat("signals[", i, "].name"),
             absl::InvalidArgumentError(absl::StrCat("`", name, "` is already the name of a metric")));
      }
      Look("signals", i, ".expr", ParseNum(plan_.signals(i).expr()));
    }
    CheckCycles();
  }

  // The signals that `num` reads directly.
  void Reads(const Num& num, std::set<std::string>* out) const {
    if (num.kind == Num::kSelect && names_.Signal(num.selector.name) != nullptr) out->insert(num.selector.name);
    for (const Num& child : num.children) Reads(child, out);
  }

  bool Reaches(const std::string& from, const std::string& to, std::set<std::string>* seen) const {
    std::set<std::string> next;
    if (const Num* num = names_.Signal(from)) Reads(*num, &next);
    return std::any_of(next.begin(), next.end(), [&](const std::string& name) {
      return name == to || (seen->insert(name).second && Reaches(name, to, seen));
    });
  }

  void CheckCycles() {
    for (int i = 0; i < plan_.signals_size(); ++i) {
      std::set<std::string> seen;
      const std::string& name = plan_.signals(i).name();
      if (!Reaches(name, name, &seen)) continue;
      Tell(absl::StrCat("signals[", i, "].expr"),
           absl::InvalidArgumentError(absl::StrCat("column 1: the signal `", name, "` is defined by itself")));
    }
  }

  absl::Status Check(const ast::Measure& measure, int index) const {
    using ast::Measure;
    for (const Num& num : measure.num) RETURN_IF_ERROR(checker_.Check(num));
    for (const ast::Formula& formula : measure.formula) RETURN_IF_ERROR(checker_.Check(formula));
    for (const Measure& child : measure.children) RETURN_IF_ERROR(Check(child, index));
    RETURN_IF_ERROR(checker_.Check(measure.scope));
    switch (measure.kind) {
      case Measure::kCountBefore:
        RETURN_IF_ERROR(CheckEvents(measure.until));
        [[fallthrough]];
      case Measure::kCountEvents:
        return CheckEvents(measure.events);
      case Measure::kValueAt:
      case Measure::kTimeOfFirst:
        return checker_.Check(measure.point);
      case Measure::kRecovery:
        return CheckRecovery(measure);
      case Measure::kReference: {
        std::vector<std::string> above;
        for (int i = 0; i < index; ++i) above.push_back(plan_.measures(i).name());
        if (std::find(above.begin(), above.end(), measure.name) != above.end()) return absl::OkStatus();
        return Problem(measure.column, absl::StrCat("no measure `", measure.name, "` stands above this one",
                                                    DidYouMean(measure.name, above)));
      }
      default:
        return absl::OkStatus();
    }
  }

  absl::Status CheckEvents(const ast::Selector& events) const {
    RETURN_IF_ERROR(checker_.Check(events));
    const auto kind = names_.KindOf(events.name);
    if (!kind || *kind == SeriesKind::kEvent) return absl::OkStatus();
    return Problem(events.column, absl::StrCat("`", events.name, "` are no events",
                                               *kind == SeriesKind::kCounter ? ": use `increase of`" : ""));
  }

  absl::Status CheckRecovery(const ast::Measure& measure) const {
    std::vector<std::string> names;
    for (const auto& invariant : plan_.invariants()) {
      names.push_back(invariant.name());
      if (invariant.name() != measure.name) continue;
      const auto body = ParseInvariant(invariant.expr());
      if (!body.ok() || body->kind == ast::Body::kWithin) return absl::OkStatus();
      return Problem(measure.column,
                     absl::StrCat("`", measure.name, "` is no `within` invariant, so nothing recovers"));
    }
    return Problem(measure.column,
                   absl::StrCat("no invariant is called `", measure.name, "`", DidYouMean(measure.name, names)));
  }

  void CheckMeasures() {
    for (int i = 0; i < plan_.measures_size(); ++i) {
      const auto measure = ParseMeasure(plan_.measures(i).expr());
      Tell(absl::StrCat("measures[", i, "].expr"), measure.ok() ? Check(*measure, i) : measure.status());
    }
  }

  void CheckCharts() {
    const auto& signals = names_.signals();
    for (int i = 0; i < plan_.charts_size(); ++i) {
      if (std::find(signals.begin(), signals.end(), plan_.charts(i)) != signals.end()) continue;
      Tell(absl::StrCat("charts[", i, "]"),
           absl::InvalidArgumentError(
               absl::StrCat("no signal is called `", plan_.charts(i), "`", DidYouMean(plan_.charts(i), signals))));
    }
  }

  const plan::v1::Plan& plan_;
  const ExpressionProblem& problem_;
  const Names names_;
  const Checker checker_;
  absl::Status first_;
};

}  // namespace

absl::Status CheckExpressions(const plan::v1::Plan& plan, const ExpressionProblem& problem) {
  return PlanChecker(plan, problem).Run();
}

}  // namespace squall

#include "harness/invariants/step_book.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "harness/signals/store.h"

namespace squall {
namespace {

bool Earlier(const Instant& a, const Instant& b) { return a.nominal < b.nominal; }

Instant Shift(Instant instant, int64_t by) { return {instant.lo + by, instant.hi + by, instant.nominal + by}; }

Instant Exactly(int64_t t_ns) { return {t_ns, t_ns, t_ns}; }

}  // namespace

StepBook::StepBook(const Names* names) : names_(names) {
  for (const std::string& step : names->steps()) steps_[step];
}

void StepBook::SetRunStart(int64_t t_ns) {
  run_start_ns_ = t_ns;
  ++version_;
}

void StepBook::SetRunEnd(int64_t t_ns) {
  run_end_ns_ = t_ns;
  ++version_;
}

bool StepBook::OnStep(std::string_view name, Edge edge, int64_t lo_ns, int64_t hi_ns) {
  const auto found = steps_.find(name);
  if (found == steps_.end()) return false;
  Step& step = found->second;
  hi_ns = std::max(lo_ns, hi_ns);
  switch (edge) {
    case kRequested:
      if (step.requested) return false;
      step.requested = lo_ns;
      break;
    case kStart:
      if (step.start) return false;
      step.start = {lo_ns, hi_ns, lo_ns};
      break;
    case kEnd:
      if (step.end) return false;
      step.end = {lo_ns, hi_ns, hi_ns};
      if (!step.start) step.start = {lo_ns, lo_ns, lo_ns};  // it has been, if only for an instant
      break;
    case kGivenUp:
      if (step.given_up) return false;
      step.given_up = true;
      break;
  }
  ++version_;
  return true;
}

std::vector<const StepBook::Step*> StepBook::Of(const std::string& name) const {
  std::vector<const Step*> steps;
  for (const auto& [step_name, step] : steps_) {
    if (step_name == name || (name == "fault" && names_->IsFault(step_name))) steps.push_back(&step);
  }
  return steps;
}

std::vector<Instant> StepBook::Instants(const ast::Point& point) const {
  std::vector<Instant> instants;
  if (point.step == "run") {
    if (point.edge == ast::Point::kStart) instants.push_back(Exactly(run_start_ns_));
    if (point.edge == ast::Point::kEnd && run_end_ns_) instants.push_back(Exactly(*run_end_ns_));
  }
  for (const Step* step : Of(point.step)) {
    if (point.edge == ast::Point::kRequested && step->requested) instants.push_back(Exactly(*step->requested));
    if (point.edge == ast::Point::kStart && step->start) instants.push_back(*step->start);
    if (point.edge == ast::Point::kEnd && step->end) instants.push_back(*step->end);
  }
  for (Instant& instant : instants) instant = Shift(instant, point.offset_ns);
  std::sort(instants.begin(), instants.end(), Earlier);
  return instants;
}

// [start, end) of each, those that overlap merged.
std::vector<Span> StepBook::StepSpans(const std::string& name) const {
  std::vector<Span> spans;
  for (const Step* step : Of(name)) {
    if (step->start) spans.push_back({*step->start, step->end});
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return Earlier(a.begin, b.begin); });
  std::vector<Span> merged;
  for (const Span& span : spans) {
    if (merged.empty() || (merged.back().end && merged.back().end->nominal < span.begin.nominal)) {
      merged.push_back(span);
    } else if (merged.back().end && (!span.end || Earlier(*merged.back().end, *span.end))) {
      merged.back().end = span.end;
    }
  }
  return merged;
}

std::vector<Span> StepBook::Spans(const ast::Scope& scope) const {
  std::vector<Span> spans;
  switch (scope.kind) {
    case ast::Scope::kRun:
      spans.push_back({Exactly(run_start_ns_), std::nullopt});
      break;
    case ast::Scope::kStep:
      spans = StepSpans(scope.step);
      break;
    case ast::Scope::kBefore: {
      Span span{Exactly(run_start_ns_), std::nullopt, true};
      if (const std::vector<Span> steps = StepSpans(scope.step); !steps.empty()) span.end = steps[0].begin;
      spans.push_back(span);
      break;
    }
    case ast::Scope::kAfter:
      for (const Step* step : Of(scope.step)) {
        if (!step->end) continue;
        Span span{*step->end, std::nullopt};
        if (const auto next = NextFault(step->end->nominal)) span.end = Exactly(*next);
        spans.push_back(span);
      }
      break;
    case ast::Scope::kBetween: {
      const std::vector<Instant> ends = Instants(scope.to);
      const bool to_run_end = scope.to.step == "run" && scope.to.edge == ast::Point::kEnd;
      for (const Instant& begin : Instants(scope.from)) {
        Span span{begin, std::nullopt, !to_run_end};
        const auto end = std::find_if(ends.begin(), ends.end(), [&](const Instant& e) { return Earlier(begin, e); });
        if (end != ends.end()) span.end = *end;
        // Before the end has come: a scope that would end before it began is none.
        if (end == ends.end() && (to_run_end ? run_end_ns_.has_value() : Complete(scope.to))) continue;
        spans.push_back(span);
      }
      break;
    }
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return Earlier(a.begin, b.begin); });
  ClipToRun(&spans);
  return spans;
}

void StepBook::ClipToRun(std::vector<Span>* spans) const {
  for (Span& span : *spans) {
    for (int64_t* t : {&span.begin.lo, &span.begin.hi, &span.begin.nominal}) *t = std::max(*t, run_start_ns_);
    if (!run_end_ns_) continue;
    if (!span.end) {
      if (!span.needs_end) span.end = Exactly(*run_end_ns_);
    } else {
      for (int64_t* t : {&span.end->lo, &span.end->hi, &span.end->nominal}) *t = std::min(*t, *run_end_ns_);
    }
  }
  spans->erase(std::remove_if(spans->begin(), spans->end(),
                              [&](const Span& span) {
                                if (span.end && span.end->nominal <= span.begin.nominal) return true;
                                return run_end_ns_ && !span.end;
                              }),
               spans->end());
}

bool StepBook::Complete(const ast::Point& point) const {
  if (run_end_ns_) return true;
  if (point.step == "run") return point.edge == ast::Point::kStart;
  if (point.step == "fault") return false;
  const std::vector<const Step*> steps = Of(point.step);
  return std::all_of(steps.begin(), steps.end(), [&](const Step* step) {
    return step->given_up || (point.edge == ast::Point::kRequested && step->requested) ||
           (point.edge == ast::Point::kStart && step->start) || (point.edge == ast::Point::kEnd && step->end);
  });
}

bool StepBook::Complete(const ast::Scope& scope) const {
  if (run_end_ns_) return true;
  switch (scope.kind) {
    case ast::Scope::kStep:
      return Complete(ast::Point{.step = scope.step, .edge = ast::Point::kEnd});
    case ast::Scope::kBefore:
      return !Instants(ast::Point{.step = scope.step, .edge = ast::Point::kStart}).empty() ||
             Complete(ast::Point{.step = scope.step, .edge = ast::Point::kStart});
    case ast::Scope::kBetween:
      return Complete(scope.from) && Complete(scope.to);
    default:
      return false;
  }
}

std::optional<int64_t> StepBook::NextFault(int64_t t_ns) const {
  std::optional<int64_t> next;
  for (const Step* step : Of("fault")) {
    if (!step->start || step->start->lo <= t_ns) continue;  // a fault does not cut short what its own start begins
    next = std::min(next.value_or(kForever), step->start->lo);
  }
  return next;
}

std::string StepBook::Missing(const ast::Scope& scope) const {
  const auto missing = [&](const ast::Point& point) {
    return Instants(point).empty() ? absl::StrCat("`", ast::Print(point), "` never came") : "";
  };
  const ast::Point start{.step = scope.step, .edge = ast::Point::kStart};
  const ast::Point end{.step = scope.step, .edge = ast::Point::kEnd};
  std::string text = scope.kind == ast::Scope::kBetween ? missing(scope.from)
                     : scope.kind == ast::Scope::kAfter ? missing(end)
                     : scope.kind == ast::Scope::kRun   ? ""
                                                        : missing(start);
  if (text.empty() && scope.kind == ast::Scope::kBetween) text = missing(scope.to);
  return text.empty() ? absl::StrCat("`", ast::Print(scope), "` holds no instant of the run") : text;
}

int64_t StepBook::AwaitedSince(const std::set<std::string>& names) const {
  int64_t since = kForever;
  for (const std::string& name : names) {
    for (const Step* step : Of(name)) {
      if (step->requested && !step->start && !step->given_up) since = std::min(since, *step->requested);
    }
  }
  return since;
}

std::string StepBook::LastFaultBefore(int64_t t_ns) const {
  std::string last;
  int64_t last_ns = std::numeric_limits<int64_t>::min();
  for (const auto& [name, step] : steps_) {
    if (!names_->IsFault(name) || !step.start || step.start->lo > t_ns || step.start->lo < last_ns) continue;
    last_ns = step.start->lo;
    last = name;
  }
  return last;
}

void StepBook::Mentioned(const ast::Point& point, std::set<std::string>* steps) const {
  if (point.step != "run") steps->insert(point.step);
}

void StepBook::Mentioned(const ast::Scope& scope, std::set<std::string>* steps) const {
  if (scope.kind == ast::Scope::kBetween) {
    Mentioned(scope.from, steps);
    Mentioned(scope.to, steps);
  } else if (scope.kind != ast::Scope::kRun) {
    steps->insert(scope.step);
    if (scope.kind == ast::Scope::kAfter) steps->insert("fault");
  }
}

}  // namespace squall

#include "harness/invariants/within_task.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace squall {

using report::v1::UNKNOWN;
using report::v1::VACUOUS;
using report::v1::VIOLATED;

WithinTask::WithinTask(const Graph* graph, const StepBook* steps, const ast::Body& body, const BoolNode* f,
                       const BoolNode* held)
    : BodyTask(graph, steps, f, held), body_(body) {
  Mention(body.anchor);
  if (!body.across_faults) MentionFaults();
}

void WithinTask::OnSteps() {
  std::vector<Instant> anchors = steps_->Instants(body_.anchor);
  if (steps_->run_end_ns()) {
    anchors.erase(std::remove_if(anchors.begin(), anchors.end(),
                                 [&](const Instant& a) { return a.nominal > *steps_->run_end_ns(); }),
                  anchors.end());
  }
  for (size_t i = instances_.size(); i < anchors.size(); ++i) {
    const Instant& anchor = anchors[i];
    instances_.push_back({.anchor = anchor,
                          .inner = Obligation(anchor.hi, anchor.lo + body_.deadline_ns, body_.stays_ns),
                          .outer = Obligation(anchor.lo, anchor.hi + body_.deadline_ns, body_.stays_ns)});
  }
  if (body_.across_faults) return;
  for (Instance& instance : instances_) instance.preempted_ns = steps_->NextFault(instance.anchor.nominal);
}

void WithinTask::CutWhatIsPreempted(Instance* instance, int64_t until_ns) const {
  if (!instance->preempted_ns || until_ns <= *instance->preempted_ns) return;
  instance->inner.Cut(*instance->preempted_ns);
  instance->outer.Cut(*instance->preempted_ns);
  instance->was_preempted = instance->was_preempted || instance->outer.cut() || instance->inner.cut();
}

void WithinTask::Visit(int64_t from_ns, int64_t to_ns, const BoolSnapshot& now) {
  for (Instance& instance : instances_) {
    if (to_ns <= instance.anchor.lo) continue;
    int64_t to = to_ns;
    const bool cut = instance.preempted_ns && to_ns > *instance.preempted_ns;
    if (cut && !instance.outer.complete()) to = *instance.preempted_ns;
    if (from_ns < to) {
      instance.inner.Visit(from_ns, to, now.a, now.b);
      instance.outer.Visit(from_ns, to, now.a, now.b);
    }
    CutWhatIsPreempted(&instance, to_ns);
  }
}

void WithinTask::Drain(int64_t limit_ns) {
  BodyTask::Drain(limit_ns);
  if (!steps_->run_end_ns() || limit_ns <= *steps_->run_end_ns()) return;
  for (Instance& instance : instances_) {
    instance.inner.Cut(limit_ns);
    instance.outer.Cut(limit_ns);
  }
}

std::vector<const WithinTask::Instance*> WithinTask::Asked() const {
  std::vector<const Instance*> asked;
  for (const Instance& instance : instances_) {
    if (body_.which == ast::Body::kLast) asked.clear();
    if (body_.which != ast::Body::kFirst || asked.empty()) asked.push_back(&instance);
  }
  return asked;
}

bool WithinTask::Waits() const {
  const std::vector<const Instance*> asked = Asked();
  return !finished_ && std::any_of(asked.begin(), asked.end(), [&](const Instance* instance) {
    bool decided = false;
    ValueOf(*instance, &decided);
    return !decided;
  });
}

BoolValue WithinTask::ValueOf(const Instance& instance, bool* decided) const {
  const BoolValue inner = instance.inner.value(), outer = instance.outer.value();
  const bool holds = instance.inner.decided() && inner.v == Tri::kTrue;
  const bool fails = instance.outer.decided() && outer.v == Tri::kFalse;
  *decided = holds || fails || (instance.inner.decided() && instance.outer.decided());
  BoolValue value;
  value.v = holds ? Tri::kTrue : fails ? Tri::kFalse : Tri::kUnknown;
  value.lo = inner.lo;
  value.hi = outer.hi;
  if (!*decided) {
    value.hi = BoolValue::True().hi;
    if (value.lo.leaf < 0) value.lo = BoolValue::Unknown().lo;
  }
  return value;
}

Outcome WithinTask::Judge() const {
  Outcome outcome;
  outcome.best = true;
  const std::vector<const Instance*> asked = Asked();
  const bool complete =
      finished_ || steps_->Complete(body_.anchor) || (body_.which == ast::Body::kFirst && !asked.empty());
  if (asked.empty()) {
    outcome.verdict = VACUOUS;
    outcome.reason = "anchor_never";
    outcome.detail = absl::StrCat("`", ast::Print(body_.anchor), "` never came");
    outcome.final = complete;
    return outcome;
  }
  BoolValue value = BoolValue::True();
  bool all_decided = true, all_recovered = true, preempted = false, cut = false;
  int64_t slowest = 0;
  for (const Instance* instance : asked) {
    bool decided = false;
    const BoolValue one = ValueOf(*instance, &decided);
    all_decided &= decided;
    value = And(value, one);
    preempted |= instance->was_preempted;
    cut |= decided && one.v == Tri::kUnknown && (instance->inner.cut() || instance->outer.cut());
    if (decided && one.v == Tri::kFalse && !outcome.first_violation_ns) {
      outcome.first_violation_ns = instance->outer.last_ns();
    }
    const auto held = instance->inner.held_since_ns();
    all_recovered &= held.has_value();
    if (held) slowest = std::max(slowest, *held - instance->anchor.nominal);
  }
  const bool violated = value.v == Tri::kFalse && body_.which != ast::Body::kLast;
  outcome.final = (complete && all_decided) || violated;
  if (all_recovered) outcome.recovery_ns = std::max<int64_t>(slowest, 0);
  outcome.judged = true;
  outcome.value = value;
  outcome.verdict = TruthOf(value.v);
  if (outcome.verdict == UNKNOWN) {
    outcome.reason = !all_decided ? "not_decided" : preempted ? "preempted" : cut ? "truncated" : "missing_data";
    if (preempted) outcome.detail = "the next fault began before it could be told";
    if (outcome.reason == "truncated") outcome.detail = "the run ended before it could be told";
  }
  if (outcome.verdict == VIOLATED && outcome.recovery_ns) {
    outcome.detail = absl::StrCat("not within ", ast::PrintDuration(body_.deadline_ns), ": it took ",
                                  absl::StrCat(static_cast<double>(*outcome.recovery_ns / 1'000'000) / 1e3), " s");
  } else if (outcome.verdict == VIOLATED) {
    outcome.detail = absl::StrCat("not within ", ast::PrintDuration(body_.deadline_ns));
  }
  return outcome;
}

}  // namespace squall

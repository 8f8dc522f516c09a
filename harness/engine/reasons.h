// The stable code of every cause a run can end with, the verdict it stands for and a sentence for people. Codes are
// part of report.json: never renamed, only added.
#ifndef HARNESS_ENGINE_REASONS_H_
#define HARNESS_ENGINE_REASONS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "harness/api/report.pb.h"

namespace squall::reason {

inline constexpr absl::string_view kAllHold = "all_hold";
// FAIL
inline constexpr absl::string_view kInvariantViolated = "invariant_violated";
// INCONCLUSIVE; the first one outranks FAIL
inline constexpr absl::string_view kValidWhileBroken = "valid_while_broken";
inline constexpr absl::string_view kValidWhileUnknown = "valid_while_unknown";
inline constexpr absl::string_view kInvariantUnknown = "invariant_unknown";
inline constexpr absl::string_view kInvariantVacuous = "invariant_vacuous";
inline constexpr absl::string_view kNoInvariants = "no_invariants";
inline constexpr absl::string_view kFaultWithoutWitness = "fault_without_witness";
inline constexpr absl::string_view kStepNotReached = "step_not_reached";
// ABORTED
inline constexpr absl::string_view kInterrupted = "interrupted";
inline constexpr absl::string_view kHalted = "halted";
inline constexpr absl::string_view kHaltedOnHost = "halted_on_host";
inline constexpr absl::string_view kAbortWhen = "abort_when";
inline constexpr absl::string_view kAgentsMissing = "agents_missing";
inline constexpr absl::string_view kNoAgentForRole = "no_agent_for_role";
inline constexpr absl::string_view kNoAgentForLinks = "no_agent_for_links";
inline constexpr absl::string_view kTargetsNotReady = "targets_not_ready";
inline constexpr absl::string_view kScheduleRefused = "schedule_refused";
inline constexpr absl::string_view kRefusedByPolicy = "refused_by_policy";
inline constexpr absl::string_view kConditionNotMet = "condition_not_met";
inline constexpr absl::string_view kAnchorNotReached = "anchor_not_reached";
inline constexpr absl::string_view kRunTooLong = "run_too_long";
// ERROR
inline constexpr absl::string_view kAgentLost = "agent_lost";
inline constexpr absl::string_view kAgentRefused = "agent_refused";
inline constexpr absl::string_view kAgentSilent = "agent_silent";
inline constexpr absl::string_view kInventoryConflict = "inventory_conflict";
inline constexpr absl::string_view kJudgeFailed = "judge_failed";
inline constexpr absl::string_view kFaultNotArmed = "fault_not_armed";
inline constexpr absl::string_view kFaultNotLifted = "fault_not_lifted";
inline constexpr absl::string_view kFaultLapsed = "fault_lapsed";
inline constexpr absl::string_view kFaultHostLost = "fault_host_lost";
inline constexpr absl::string_view kLeaseLost = "lease_lost";
inline constexpr absl::string_view kCloseTimeout = "close_timeout";
inline constexpr absl::string_view kNotFinished = "not_finished";

struct Info {
  absl::string_view code;
  report::v1::Verdict verdict;
  absl::string_view sentence;  // no full stop
};

// In order of precedence of the verdicts, then as above.
absl::Span<const Info> All();
// An unknown code is a bug of ours: it counts as ERROR.
Info Find(absl::string_view code);

}  // namespace squall::reason

#endif  // HARNESS_ENGINE_REASONS_H_

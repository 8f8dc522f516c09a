// The stable code of every cause a run can end with, the verdict it stands for and a sentence for people. Codes are
// part of report.json: never renamed, only added.
#ifndef HARNESS_ENGINE_REASONS_H_
#define HARNESS_ENGINE_REASONS_H_

#include <string_view>

#include "absl/types/span.h"
#include "harness/api/report.pb.h"

namespace squall::reason {

inline constexpr std::string_view kAllHold = "all_hold";
// FAIL
inline constexpr std::string_view kInvariantViolated = "invariant_violated";
// INCONCLUSIVE; the first one outranks FAIL
inline constexpr std::string_view kValidWhileBroken = "valid_while_broken";
inline constexpr std::string_view kValidWhileUnknown = "valid_while_unknown";
inline constexpr std::string_view kInvariantUnknown = "invariant_unknown";
inline constexpr std::string_view kInvariantVacuous = "invariant_vacuous";
inline constexpr std::string_view kNoInvariants = "no_invariants";
inline constexpr std::string_view kFaultWithoutWitness = "fault_without_witness";
inline constexpr std::string_view kStepNotReached = "step_not_reached";
// ABORTED
inline constexpr std::string_view kInterrupted = "interrupted";
inline constexpr std::string_view kHalted = "halted";
inline constexpr std::string_view kHaltedOnHost = "halted_on_host";
inline constexpr std::string_view kAbortWhen = "abort_when";
inline constexpr std::string_view kAgentsMissing = "agents_missing";
inline constexpr std::string_view kNoAgentForRole = "no_agent_for_role";
inline constexpr std::string_view kNoAgentForLinks = "no_agent_for_links";
inline constexpr std::string_view kTargetsNotReady = "targets_not_ready";
inline constexpr std::string_view kScheduleRefused = "schedule_refused";
inline constexpr std::string_view kRefusedByPolicy = "refused_by_policy";
inline constexpr std::string_view kConditionNotMet = "condition_not_met";
inline constexpr std::string_view kAnchorNotReached = "anchor_not_reached";
inline constexpr std::string_view kRunTooLong = "run_too_long";
// ERROR
inline constexpr std::string_view kAgentLost = "agent_lost";
inline constexpr std::string_view kAgentRefused = "agent_refused";
inline constexpr std::string_view kAgentSilent = "agent_silent";
inline constexpr std::string_view kInventoryConflict = "inventory_conflict";
inline constexpr std::string_view kJudgeFailed = "judge_failed";
inline constexpr std::string_view kFaultNotArmed = "fault_not_armed";
inline constexpr std::string_view kFaultNotLifted = "fault_not_lifted";
inline constexpr std::string_view kFaultLapsed = "fault_lapsed";
inline constexpr std::string_view kFaultHostLost = "fault_host_lost";
inline constexpr std::string_view kLeaseLost = "lease_lost";
inline constexpr std::string_view kCloseTimeout = "close_timeout";
inline constexpr std::string_view kNotFinished = "not_finished";

struct Info {
  std::string_view code;
  report::v1::Verdict verdict;
  std::string_view sentence;  // no full stop
};

// In order of precedence of the verdicts, then as above.
absl::Span<const Info> All();
// An unknown code is a bug of ours: it counts as ERROR.
Info Find(std::string_view code);

}  // namespace squall::reason

#endif  // HARNESS_ENGINE_REASONS_H_

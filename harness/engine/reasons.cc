#include "harness/engine/reasons.h"

namespace squall::reason {
namespace {

using report::v1::ABORTED;
using report::v1::ERROR;
using report::v1::FAIL;
using report::v1::INCONCLUSIVE;
using report::v1::PASS;

constexpr Info kAll[] = {
    {kAgentLost, ERROR, "the connection to an agent was lost"},
    {kAgentRefused, ERROR, "an agent could not do what the run needs"},
    {kAgentSilent, ERROR, "an agent did not answer in time"},
    {kInventoryConflict, ERROR, "two agents claim the same target"},
    {kJudgeFailed, ERROR, "the invariants of the plan could not be set up"},
    {kFaultNotArmed, ERROR, "a fault of the plan could not be armed"},
    {kFaultNotLifted, ERROR, "a fault was not seen to be gone after it was lifted"},
    {kFaultLapsed, ERROR, "a fault lost its lease before its time"},
    {kFaultHostLost, ERROR, "the process that carried a fault died"},
    {kLeaseLost, ERROR, "an agent's lease passed before it was renewed"},
    {kCloseTimeout, ERROR, "an agent did not close the run in time"},
    {kNotFinished, ERROR, "the run has not ended yet"},
    {kValidWhileBroken, INCONCLUSIVE, "a condition for a fair trial was broken"},
    {kInvariantViolated, FAIL, "an invariant was violated"},
    {kInterrupted, ABORTED, "the run was interrupted by a signal"},
    {kHalted, ABORTED, "the run was halted"},
    {kHaltedOnHost, ABORTED, "faults were halted on the host of an agent"},
    {kAbortWhen, ABORTED, "a condition to abort became true"},
    {kAgentsMissing, ABORTED, "too few agents with a role of the plan were there in time"},
    {kNoAgentForRole, ABORTED, "no agent can start the targets of the plan"},
    {kNoAgentForLinks, ABORTED, "no agent can carry the links and loads of the plan"},
    {kTargetsNotReady, ABORTED, "the targets were not ready in time"},
    {kScheduleRefused, ABORTED, "the plan does not fit the targets that are there"},
    {kRefusedByPolicy, ABORTED, "an agent's own policy refused it"},
    {kConditionNotMet, ABORTED, "a step's condition did not become true in time"},
    {kAnchorNotReached, ABORTED, "the moment the run's length counts from can no longer come"},
    {kRunTooLong, ABORTED, "the run reached the longest time a run may take"},
    {kValidWhileUnknown, INCONCLUSIVE, "a condition for a fair trial could not be judged"},
    {kInvariantUnknown, INCONCLUSIVE, "an invariant could not be judged from the data"},
    {kInvariantVacuous, INCONCLUSIVE, "an invariant had nothing to judge"},
    {kNoInvariants, INCONCLUSIVE, "the plan has no invariant, so nothing was judged"},
    {kFaultWithoutWitness, INCONCLUSIVE, "a fault was armed but nothing shows that it took effect"},
    {kStepNotReached, INCONCLUSIVE, "the run ended before a step of the plan was reached"},
    {kAllHold, PASS, "every invariant holds"},
};

}  // namespace

absl::Span<const Info> All() { return kAll; }

Info Find(absl::string_view code) {
  for (const Info& info : kAll) {
    if (info.code == code) return info;
  }
  return {code, ERROR, "an internal error"};
}

}  // namespace squall::reason

// What a run will do: the plan's steps as prepared actions, each with a release rule and its resolved targets.
//
//   ASSIGN_OR_RETURN(Schedule schedule, MakeSchedule(plan, inventory, addresses, run_id, seed));
//   for (const Action& action : schedule.actions) Prepare(action.step, action.fault, action.instances, ...);
//
// A pure function of its arguments. Draws come from RandomStream(seed, "step/NAME"), so editing one step leaves the
// targets of all others alone. `start` and `drain` steps become faults of those kinds. Times are ns.
// Errors: InvalidArgument names the step ("step `trigger`: 1 % of 24 instances of `supernode` selects nobody").
#ifndef HARNESS_PLAN_SCHEDULE_H_
#define HARNESS_PLAN_SCHEDULE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "faults/fault.pb.h"
#include "harness/api/agent.pb.h"
#include "harness/api/plan.pb.h"

namespace squall {

struct Release {
  enum Kind {
    AT,             // offset_ns after run start (the moment all targets are ready)
    AFTER,          // offset_ns after `edge` of `step`
    WHEN,           // once `when.expr` holds
    WITH_PREVIOUS,  // when `step` (the one above) has started; step "" = at run start
  };
  enum Edge { START, END };
  Kind kind = WITH_PREVIOUS;
  int64_t offset_ns = 0;
  std::string step;
  Edge edge = START;
  // WHEN: from the start of `step` (the one above; "" = run start) on, `expr` true for `hold_ns`, within `within_ns` of
  // that start, else `otherwise`.
  std::string expr;
  int64_t hold_ns = 0;
  int64_t within_ns = 0;
  plan::v1::When::Otherwise otherwise = plan::v1::When::ABORT;
};

struct Action {
  std::string step;
  faults::v1::Fault fault;  // no kind set: a named instant, nothing to prepare or to release at an agent
  std::string kind;         // "delay"; "" for an instant
  faults::v1::Seam seam = faults::v1::SEAM_UNSPECIFIED;
  Release release;
  int64_t duration_ns = 0;  // (0, 15 min]; 0 for an instant
  // In order of index. Empty for an instant, and for `live` selections until ResolveInstances.
  std::vector<agent::v1::FaultInstance> instances;
  bool live = false;  // draw the instances at release
};

struct Schedule {
  std::vector<Action> actions;  // in the plan's order
  std::vector<faults::v1::Draw> draws;
};

// `inventory`: all instances of all agents. `addresses`: those of Opened, from all agents; a link on which a fault acts
// must be among them ("link.NAME.address").
absl::StatusOr<Schedule> MakeSchedule(const plan::v1::Plan& plan, const std::vector<agent::v1::TargetInfo>& inventory,
                                      const std::map<std::string, std::string>& addresses, std::string run_id,
                                      uint64_t seed);

// Whom `action` hits, out of `inventory`. MakeSchedule does this for all but `live` actions; for those call it at
// release with the instances that run then. Appends to `draws` (may be null): ordinal = place, value = chosen index.
absl::StatusOr<std::vector<agent::v1::FaultInstance>> ResolveInstances(
    const plan::v1::Plan& plan, const Action& action, const std::vector<agent::v1::TargetInfo>& inventory,
    const std::string& run_id, uint64_t seed, std::vector<faults::v1::Draw>* draws);

}  // namespace squall

#endif  // HARNESS_PLAN_SCHEDULE_H_

// Everything about a plan that its schema does not say: names, references, ranges, cycles, faults, expressions.
//
//   PlanErrors errors("f.yaml");
//   ValidatePlan(plan, positions, &errors);
//
// Adds every problem it finds, each with field path and place. Pure; the plan is the loader's, params replaced.
#ifndef HARNESS_PLAN_VALIDATOR_H_
#define HARNESS_PLAN_VALIDATOR_H_

#include "harness/api/plan.pb.h"
#include "harness/plan/position.h"

namespace squall {

void ValidatePlan(const plan::v1::Plan& plan, const PositionIndex& positions, PlanErrors* errors);

}  // namespace squall

#endif  // HARNESS_PLAN_VALIDATOR_H_

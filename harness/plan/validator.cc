#include "harness/plan/validator.h"

#include "harness/plan/plan_check.h"

namespace squall {

void ValidatePlan(const plan::v1::Plan& plan, const PositionIndex& positions, PlanErrors* errors) {
  PlanCheck check(plan, positions, errors);
  CheckPlanHeader(&check);
  CheckTargets(&check);
  CheckVariants(&check);
  CheckWiring(&check);
  CheckSteps(&check);
  CheckFaults(&check);
  CheckCycles(&check);
  CheckLateReferences(&check);
  CheckPlanExpressions(&check);
}

}  // namespace squall

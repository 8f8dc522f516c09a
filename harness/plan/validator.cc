#include "harness/plan/validator.h"

#include "harness/plan/check_context.h"

namespace squall {

void ValidatePlan(const plan::v1::Plan& plan, const PositionIndex& positions, PlanErrors* errors) {
  CheckContext context(plan, positions, errors);
  CheckPlanHeader(&context);
  CheckTargets(&context);
  CheckVariants(&context);
  CheckWiring(&context);
  CheckSteps(&context);
  CheckFaults(&context);
  CheckCycles(&context);
  CheckLateReferences(&context);
  CheckPlanExpressions(&context);
}

}  // namespace squall

// A sentence with a figure for what decided an invariant.
//
//   Evidence(outcome, leaves, run_start);   // "pool was 12 at 17.3 s, must be >= 20"
#ifndef HARNESS_INVARIANTS_EVIDENCE_H_
#define HARNESS_INVARIANTS_EVIDENCE_H_

#include <string>
#include <vector>

#include "harness/invariants/body_task.h"
#include "harness/invariants/compile.h"

namespace squall {

std::string Evidence(const Outcome& outcome, const std::vector<Leaf>& leaves, int64_t run_start_ns);

}  // namespace squall

#endif  // HARNESS_INVARIANTS_EVIDENCE_H_

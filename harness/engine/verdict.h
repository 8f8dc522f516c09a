// The verdict of a run, as a pure function of what was found. Precedence:
//
//   ERROR > INCONCLUSIVE by a broken valid_while > FAIL > ABORTED > INCONCLUSIVE > PASS
//
// with one addition: once a signal interrupted the run (SIGINT, SIGTERM), the verdict is ABORTED "interrupted",
// whatever is found afterwards or was violated before; only an ERROR that stood already before the signal outranks it.
// The same Ctrl-C may end agents of the same terminal, and that is no failure of the tool.
#ifndef HARNESS_ENGINE_VERDICT_H_
#define HARNESS_ENGINE_VERDICT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "harness/api/report.pb.h"

namespace squall {

// A cause that is not an invariant. `code` is one of reasons.h and gives its class.
struct Finding {
  std::string code;
  std::string detail;  // names the agent, the step, the target
};

struct VerdictFacts {
  std::vector<Finding> findings;  // in order of time
  int interrupt_exit = 0;         // 130 or 143 if one of the findings is "interrupted"
  std::vector<report::v1::InvariantResult> invariants;
  std::vector<report::v1::ConditionResult> conditions;
};

struct Ruling {
  report::v1::Verdict verdict = report::v1::ERROR;
  std::string reason;  // code
  std::string detail;  // one sentence
  int exit_code = 5;
};

// Invariants count as violated only if their verdict is VIOLATED and final. The caller keeps violations that came after
// a halt out of `final`.
Ruling Rule(const VerdictFacts& facts);

int ExitCode(report::v1::Verdict verdict);  // 0, 1, 3, 4; anything else 5

}  // namespace squall

#endif  // HARNESS_ENGINE_VERDICT_H_

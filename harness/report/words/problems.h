// What a report has to say first: the verdict in a sentence, and each thing that keeps the run from PASS: what, when,
// by how much, after which fault. The terminal and the page print the same ones.
//
//   Headline(report)             "FAIL: 2 of 5 invariants were violated"
//   Problems(report)[0].what     "pool_floor was violated"
//
// Pure functions of the report. Strings are as the plan gave them: escape them before you print them.
#ifndef HARNESS_REPORT_WORDS_PROBLEMS_H_
#define HARNESS_REPORT_WORDS_PROBLEMS_H_

#include <optional>
#include <string>
#include <vector>

#include "harness/api/report.pb.h"

namespace squall {

struct Problem {
  std::string name;              // of the invariant, the condition or the fault's step
  std::string what;              // one sentence, no full stop
  std::optional<double> when_s;  // since the start of the run
  std::string by_how_much;       // "8 supernodes"; "" = there is no such number
  std::string preceded_by;       // "trigger (delay on link im), live since 12.0 s"; "" = no fault came before
  std::string evidence;          // "pool was 12 at 17.3 s, must be >= 20"
  std::string expression;        // the rule in the plan
  std::string about;             // what the plan says about it
};

std::string VerdictName(report::v1::Verdict verdict);  // "PASS"; "ERROR" for an unset one
std::string TruthName(report::v1::Truth truth);        // "HOLDS"; "UNKNOWN" for an unset one

std::string Headline(const report::v1::RunReport& report);
// Why, as a sentence: reason_detail, or the reason code in words when there is none.
std::string Reason(const report::v1::RunReport& report);
// Those that decide the verdict come first.
std::vector<Problem> Problems(const report::v1::RunReport& report);

// "trigger (delay on link im)".
std::string DescribeFault(const report::v1::FaultResult& fault);
// "support/0", "support/0, support/1", "supernode/0, supernode/3 and 9 more": at most `most` names, all if it is 0.
std::string DescribeTargets(const report::v1::FaultResult& fault, int most);

}  // namespace squall

#endif  // HARNESS_REPORT_WORDS_PROBLEMS_H_

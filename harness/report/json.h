// report.json: the complete record of a run as one JSON object.
//
//   {"schema_version": 1, "run_id": "01H...", "verdict": "FAIL", "reason": "invariant_violated", ...,
//    "measures": {"nadir_pool_share": 0.05, "recovery_s": null}, ...}
//
// Names are snake_case and stand in a fixed order; fields are only ever added within a schema version. Every field is
// always there: a number that does not exist (unset, infinite, NaN) is null, a list without elements is []. Times
// ending in _s are seconds since the start of the run. `measures` maps a name to its number; expression, unit and why
// it is null stand in `measure_details`. Text that is no valid UTF-8 has U+FFFD in the place of each bad byte. Pure
// functions.
#ifndef HARNESS_REPORT_JSON_H_
#define HARNESS_REPORT_JSON_H_

#include <string>

#include "harness/api/report.pb.h"

namespace squall {

// Indented by two spaces, ends in a line end.
std::string ReportJson(const report::v1::RunReport& report);

}  // namespace squall

#endif  // HARNESS_REPORT_JSON_H_

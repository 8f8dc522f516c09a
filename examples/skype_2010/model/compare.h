// Does a run agree with the model? Reads the measures of a report and sets them beside the model's.
#ifndef EXAMPLES_SKYPE_2010_MODEL_COMPARE_H_
#define EXAMPLES_SKYPE_2010_MODEL_COMPARE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace skype_model {

struct Line {
  std::string measure;
  double run = 0, model = 0;
  double tolerance = 0;  // absolute
  bool agrees() const { return run - model <= tolerance && model - run <= tolerance; }
};

// `report_json` is the report.json of a run of outage.yaml with that many supernodes; mega-supernodes join 30 s and 40
// s after the trigger. A measure that is missing or null is an error: nothing was shown.
absl::StatusOr<std::vector<Line>> Compare(std::string_view report_json, double supernodes);

}  // namespace skype_model

#endif  // EXAMPLES_SKYPE_2010_MODEL_COMPARE_H_

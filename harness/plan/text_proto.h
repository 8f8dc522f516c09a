// A plan in protobuf's text format: same schema, same params, same positions.
//
//   params { name: "buggy" value: "70%" }   steps { name: "trigger" fault { on { link: "im" } delay { latency {
//   seconds: 3 } } } }
#ifndef HARNESS_PLAN_TEXT_PROTO_H_
#define HARNESS_PLAN_TEXT_PROTO_H_

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "harness/api/plan.pb.h"
#include "harness/plan/params.h"
#include "harness/plan/position.h"

namespace squall {

// Parses, sets and replaces params. False if there is nothing to go on with; problems are in `errors`.
bool ReadTextProto(absl::string_view text, const std::map<std::string, std::string>& sets, plan::v1::Plan* plan,
                   PlanParams* params, PositionIndex* positions, PlanErrors* errors);

}  // namespace squall

#endif  // HARNESS_PLAN_TEXT_PROTO_H_

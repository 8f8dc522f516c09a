// The labels of a role's instances: fixed ones, and variants spread over them by seed.
//
//   // variants: {version: {"5.0.0.152": 70%, "5.0.0.156": rest}}
//   auto labels = AssignLabels(target, 40, seed, &draws);
//   labels[3]["version"];   // 28 of the 40 have "5.0.0.152"
//
// Counts are exact, not drawn: a share of n instances is the nearest whole number, halves up, and "rest" takes what is
// left. Only who gets which value is drawn, from RandomStream(seed, "variant/ROLE/LABEL"). A value with `of` takes its
// share of the instances that have those labels (of variants written above it).
#ifndef HARNESS_PLAN_VARIANTS_H_
#define HARNESS_PLAN_VARIANTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "faults/fault.pb.h"
#include "harness/api/plan.pb.h"

namespace squall {

// Labels of index 0 .. count-1. `target` has passed the validator. `draws` may be null; else it gets one entry per
// variant and index: ordinal = index, value = place of its value in the plan. Pure.
std::vector<std::map<std::string, std::string>> AssignLabels(const plan::v1::Target& target, uint32_t count,
                                                             uint64_t seed, std::vector<faults::v1::Draw>* draws);

// `ratio` of `n`, to the nearest whole number, halves up: 0.4 of 28 = 11, 0.5 of 1 = 1. Shares are decimal numbers, so
// 0.145 of 100 is 14.5 and gives 15.
uint32_t ShareOf(double ratio, uint32_t n);

}  // namespace squall

#endif  // HARNESS_PLAN_VARIANTS_H_

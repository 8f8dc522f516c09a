// How many requests a load will send if nothing hinders it: for `check` and `explain`, and to compare with what was
// sent.
//
//   // rate 0, stages: [{to: 100/s, over: 10s, hold: 10s}, {to: 0/s, over: 10s}]
//   ForecastRequests(load, 30'000'000'000)   // 2000: 500 + 1000 + 500
//
// A ramp is linear, so it sends its duration times the mean of its two rates. Pure.
#ifndef HARNESS_PLAN_FORECAST_H_
#define HARNESS_PLAN_FORECAST_H_

#include <cstdint>

#include "harness/api/plan.pb.h"

namespace squall {

// Time until the last stage has ended; the last rate goes on after it.
int64_t StagesNs(const plan::v1::Load& load);

// Requests in the first `length_ns` of the load.
double ForecastRequests(const plan::v1::Load& load, int64_t length_ns);

}  // namespace squall

#endif  // HARNESS_PLAN_FORECAST_H_

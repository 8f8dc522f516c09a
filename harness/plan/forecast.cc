#include "harness/plan/forecast.h"

#include <algorithm>

#include "harness/plan/step_fault.h"

namespace squall {
namespace {

constexpr double kSecond = 1e9;

}  // namespace

int64_t StagesNs(const plan::v1::Load& load) {
  int64_t total = 0;
  for (const plan::v1::Stage& stage : load.stages()) total += ToNs(stage.over()) + ToNs(stage.hold());
  return total;
}

double ForecastRequests(const plan::v1::Load& load, int64_t length_ns) {
  double requests = 0;
  double rate = load.rate();
  int64_t left = length_ns;
  // Each part is a trapezium, cut where the time ends.
  const auto part = [&](int64_t part_ns, double to) {
    const int64_t taken = std::clamp<int64_t>(left, 0, part_ns);
    const double reached = part_ns == 0 ? to : rate + (to - rate) * (static_cast<double>(taken) / part_ns);
    requests += taken / kSecond * (rate + reached) / 2;
    left -= taken;
    rate = to;
  };
  for (const plan::v1::Stage& stage : load.stages()) {
    part(ToNs(stage.over()), stage.to());
    part(ToNs(stage.hold()), stage.to());
  }
  part(left, rate);
  return requests;
}

}  // namespace squall

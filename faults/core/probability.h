// A share in [0, 1] that was checked.
//
//   ASSIGN_OR_RETURN(Probability share, Probability::Of(selection.percent()));
//   size_t chosen = share.Share(40);     // 30 % of 40: 12
#ifndef FAULTS_CORE_PROBABILITY_H_
#define FAULTS_CORE_PROBABILITY_H_

#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "faults/fault.pb.h"

namespace squall {

class Probability {
 public:
  constexpr Probability() = default;  // 0

  // InvalidArgument unless 0 <= value <= 1 (so not for NaN).
  static absl::StatusOr<Probability> Of(double value) {
    if (!(value >= 0 && value <= 1)) {
      return absl::InvalidArgumentError(absl::StrCat("must be from 0 % to 100 %, is ", value * 100, " %"));
    }
    return Probability(value);
  }
  static absl::StatusOr<Probability> Of(const faults::v1::Ratio& ratio) { return Of(ratio.value()); }

  constexpr double value() const { return value_; }
  // Of n things, to the nearest whole number, halves up. Shares are decimal: 29 % of 50 is 14.5 and gives 15, though
  // the nearest binary fraction lies below.
  size_t Share(size_t n) const { return static_cast<size_t>(std::floor(value_ * static_cast<double>(n) + 0.5 + 1e-9)); }

 private:
  explicit constexpr Probability(double value) : value_(value) {}
  double value_ = 0;
};

}  // namespace squall

#endif  // FAULTS_CORE_PROBABILITY_H_

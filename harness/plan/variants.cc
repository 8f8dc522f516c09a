#include "harness/plan/variants.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "faults/core/random.h"
#include "harness/plan/scalars.h"

namespace squall {
namespace {

using Labels = std::map<std::string, std::string>;

bool Matches(const Labels& labels, const plan::v1::VariantValue& value) {
  for (const faults::v1::Label& wanted : value.of()) {
    auto it = labels.find(wanted.name());
    if (it == labels.end() || it->second != wanted.value()) return false;
  }
  return true;
}

// Which instances have no value of this variant yet and may get this one, in an order drawn once for the variant.
std::vector<size_t> Open(const std::vector<size_t>& order, const std::vector<int>& chosen,
                         const std::vector<Labels>& labels, const plan::v1::VariantValue& value) {
  std::vector<size_t> open;
  for (size_t i : order) {
    if (chosen[i] < 0 && Matches(labels[i], value)) open.push_back(i);
  }
  return open;
}

uint32_t CountMatching(const std::vector<Labels>& labels, const plan::v1::VariantValue& value) {
  uint32_t n = 0;
  for (const Labels& l : labels) n += Matches(l, value);
  return n;
}

// Without a "rest", rounding may leave instances over; they go to the last value that takes part everywhere.
int LastPlainValue(const plan::v1::Variant& variant) {
  int last = variant.values_size() - 1;
  while (last >= 0 && variant.values(last).of_size() > 0) --last;
  return last;
}

}  // namespace

uint32_t ShareOf(double ratio, uint32_t n) {
  // Decimal shares are not exact in binary: 0.145 * 100 is a hair below 14.5.
  return static_cast<uint32_t>(std::floor(ratio * n + 0.5 + 1e-9));
}

std::vector<Labels> AssignLabels(const plan::v1::Target& target, uint32_t count, uint64_t seed,
                                 std::vector<faults::v1::Draw>* draws) {
  std::vector<Labels> labels(count);
  for (const faults::v1::Label& fixed : target.labels()) {
    for (Labels& l : labels) l[fixed.name()] = fixed.value();
  }
  for (const plan::v1::Variant& variant : target.variants()) {
    const std::string site = absl::StrCat("variant/", target.name(), "/", variant.name());
    const std::vector<size_t> order = RandomStream(seed, site).Sample(count, count);
    std::vector<int> chosen(count, -1);
    int rest = LastPlainValue(variant);
    for (int v = 0; v < variant.values_size(); ++v) {
      const plan::v1::VariantValue& value = variant.values(v);
      const absl::StatusOr<double> share = ParseRatio(value.share());
      if (!share.ok()) {  // "rest", as the validator made sure
        rest = v;
        continue;
      }
      uint32_t left = ShareOf(*share, CountMatching(labels, value));
      for (size_t i : Open(order, chosen, labels, value)) {
        if (left == 0) break;
        chosen[i] = v;
        --left;
      }
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (chosen[i] < 0) chosen[i] = rest;
      if (chosen[i] >= 0) labels[i][variant.name()] = variant.values(chosen[i]).name();
      if (draws == nullptr) continue;
      faults::v1::Draw& draw = draws->emplace_back();
      draw.set_seed(seed);
      draw.set_site(site);
      draw.set_ordinal(i);
      draw.set_value(chosen[i]);
    }
  }
  return labels;
}

}  // namespace squall

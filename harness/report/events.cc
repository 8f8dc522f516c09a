#include "harness/report/events.h"

#include <cmath>

#include "harness/report/words/text.h"
#include "nlohmann/json.hpp"

namespace squall {

std::string EventLine(double t_s, absl::string_view kind, absl::string_view subject, absl::string_view detail) {
  using Json = nlohmann::ordered_json;
  // Microseconds: finer than any of our clocks is exact, and short to read.
  const Json time = std::isfinite(t_s) ? Json(std::round(t_s * 1e6) / 1e6) : Json(nullptr);
  const Json line = {
      {"t_s", time}, {"kind", CleanUtf8(kind)}, {"subject", CleanUtf8(subject)}, {"detail", CleanUtf8(detail)}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace squall

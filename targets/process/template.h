// ${...} in what starts a target.
#ifndef TARGETS_PROCESS_TEMPLATE_H_
#define TARGETS_PROCESS_TEMPLATE_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace squall {

// Every ${NAME} replaced by variables[NAME]; "$${" stands for "${". InvalidArgument: an unknown one, which it
// names with the near match, or "${" without its "}".
absl::StatusOr<std::string> FillTemplate(std::string_view text, const std::map<std::string, std::string>& variables);

}  // namespace squall

#endif  // TARGETS_PROCESS_TEMPLATE_H_

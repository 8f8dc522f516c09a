// The regular expressions that are looked for in a role's output.
//
//   ASSIGN_OR_RETURN(auto patterns, RolePatterns::Compile(spec));
//   if (patterns->Ready(line)) ...
//   patterns->ForEachEvent(line, [](const std::string& name, double value) { ... });
#ifndef TARGETS_PROCESS_PATTERNS_H_
#define TARGETS_PROCESS_PATTERNS_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "re2/re2.h"
#include "targets/process/spec.h"

namespace squall {

// Compiled once for all instances of a role. Immutable.
class RolePatterns {
 public:
  // InvalidArgument names role and rule.
  static absl::StatusOr<std::shared_ptr<const RolePatterns>> Compile(const TargetSpec& spec);

  bool AsksForReady() const { return ready_ != nullptr; }
  bool AsksForEvents() const { return !rules_.empty(); }
  bool Ready(std::string_view line) const;
  // A rule without a group "value", or whose group is no finite number, gives 1.
  void ForEachEvent(std::string_view line,
                    const std::function<void(const std::string& name, double value)>& on_event) const;

 private:
  struct Rule {
    std::string name;
    std::unique_ptr<RE2> regex;
    int value_group = 0;  // 0 = no number
  };
  std::unique_ptr<RE2> ready_;
  std::vector<Rule> rules_;
};

}  // namespace squall

#endif  // TARGETS_PROCESS_PATTERNS_H_

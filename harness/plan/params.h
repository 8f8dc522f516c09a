// The declared params of one plan and their replacement in its text.
//
//   PlanParams params;
//   params.Declare("buggy", {3, 10}, "70%", &errors);
//   params.Set({{"buggy", "10%"}}, &errors);
//   params.Replace("${buggy}", site, &errors);   // "10%"
//   params.CheckUsed(&errors);                   // a declared one that nothing uses is a mistake
//
// A param has the type of its default: a number (70%, 3, 100/s), a duration (5s), true or false, or else text; a set
// of another type is refused. Replacement is done once: a value is plain text, it refers to nothing.
#ifndef HARNESS_PLAN_PARAMS_H_
#define HARNESS_PLAN_PARAMS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "harness/plan/position.h"

namespace squall {

// Where a text stands that may hold ${...}.
struct TextSite {
  std::string path;
  Position at;            // of its first character
  bool verbatim = false;  // columns inside the text can be told
  bool late = false;      // late references (harness/plan/references.h) are allowed and stay
};

class PlanParams {
 public:
  void Declare(const std::string& name, Position at, const std::string& value, PlanErrors* errors);
  void Set(const std::map<std::string, std::string>& sets, PlanErrors* errors);
  // With late references allowed, "$${" stays as it is; else it becomes "${". nullopt after adding an error.
  std::optional<std::string> Replace(absl::string_view text, const TextSite& site, PlanErrors* errors);
  void CheckUsed(PlanErrors* errors) const;
  std::map<std::string, std::string> values() const;

 private:
  struct Param {
    std::string value;
    Position at;
    bool used = false;
  };
  std::string Unknown(absl::string_view name, bool late) const;

  std::map<std::string, Param, std::less<>> params_;
};

}  // namespace squall

#endif  // HARNESS_PLAN_PARAMS_H_

// What the parts of the validator share: the plan's names, and how to complain. Each part checks one thing and lies in
// the file of its name; validator.cc calls them all.
#ifndef HARNESS_PLAN_PLAN_CHECK_H_
#define HARNESS_PLAN_PLAN_CHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/duration.pb.h"
#include "harness/api/plan.pb.h"
#include "harness/plan/position.h"

namespace squall {

class PlanCheck {
 public:
  PlanCheck(const plan::v1::Plan& plan, const PositionIndex& positions, PlanErrors* errors);

  const plan::v1::Plan& plan() const { return plan_; }
  const std::vector<std::string>& roles() const { return roles_; }
  const std::vector<std::string>& links() const { return links_; }
  const std::vector<std::string>& loads() const { return loads_; }
  const std::vector<std::string>& signals() const { return signals_; }
  const std::vector<std::string>& steps() const { return steps_; }

  // null if there is none
  const plan::v1::Target* FindTarget(absl::string_view role) const;
  const plan::v1::Link* FindLink(absl::string_view name) const;

  void Add(const std::string& path, std::string message);
  // At a character (from 1) of the text of the field.
  void AddInside(const std::string& path, int column, std::string message);

  // "sever" is none of `known` -> "no target `sever`; did you mean `server`?" `owner`: whose they are, if not the
  // plan's.
  bool CheckKnown(const std::string& path, absl::string_view what, const std::string& name,
                  const std::vector<std::string>& known, absl::string_view owner = "");
  // [a-z0-9_-]{1,64}
  void CheckName(const std::string& path, const std::string& name);
  // The first letter is a letter or _, then letters, digits and _: what expressions and environments can name.
  void CheckIdentifier(const std::string& path, const std::string& name);
  void CheckDuration(const std::string& path, const google::protobuf::Duration& duration, int64_t least_ns,
                     int64_t most_ns);
  // RE2 syntax; empty is refused.
  void CheckRegex(const std::string& path, const std::string& regex);

 private:
  const plan::v1::Plan& plan_;
  const PositionIndex& positions_;
  PlanErrors* errors_;
  std::vector<std::string> roles_, links_, loads_, signals_, steps_;
};

// Names of a target's ports; "port" alone if it declares none.
std::vector<std::string> PortsOf(const plan::v1::Target& target);
// Names of its labels, fixed and spread.
std::vector<std::string> LabelsOf(const plan::v1::Target& target);

// "250ms", "90s": for messages.
std::string DurationText(int64_t ns);

void CheckPlanHeader(PlanCheck* check);       // version, name, run, charts, param and signal names
void CheckTargets(PlanCheck* check);          // check_targets.cc
void CheckVariants(PlanCheck* check);         // check_variants.cc
void CheckWiring(PlanCheck* check);           // check_wiring.cc: links, loads, ports, needs
void CheckSteps(PlanCheck* check);            // check_steps.cc: names, release rules, actions
void CheckFaults(PlanCheck* check);           // check_faults.cc: selections, kinds, seams
void CheckCycles(PlanCheck* check);           // check_cycles.cc: `needs`, and release rules
void CheckLateReferences(PlanCheck* check);   // check_late.cc
void CheckPlanExpressions(PlanCheck* check);  // check_expressions.cc

}  // namespace squall

#endif  // HARNESS_PLAN_PLAN_CHECK_H_

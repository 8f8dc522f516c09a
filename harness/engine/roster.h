// Which agents take part in a run, and which of them has which role.
//
//   Roster roster(plan);
//   roster.Join({"local", ""});
//   if (roster.Missing().empty()) roster.Assign();
//   for (const Member& m : roster.members()) Send(m.name, OpenRunFor(m));
//
// A role with `attach` belongs to the agents that registered with it; every other role to the general agent, the first
// one without a role. Links and loads are carried by the general agent, else by the first that has the capability
// "link".
#ifndef HARNESS_ENGINE_ROSTER_H_
#define HARNESS_ENGINE_ROSTER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "harness/api/plan.pb.h"

namespace squall::run {

struct Member {
  std::string name;
  std::string role;
  std::vector<std::string> capabilities;
  // Filled by Assign.
  std::vector<std::string> roles;
  std::map<std::string, uint32_t> first_index;
  bool carries_links = false;
  // What is known about it.
  bool refused = false;  // it would not open the run, so it has nothing to halt or to close
  bool opened = false;
  int prepares_open = 0;
  bool begun = false;
  bool closed = false;
  bool lost = false;
};

// Something the roster lacks. `within_ns`: how long to wait for it.
struct Lack {
  std::string code;  // reasons.h
  std::string detail;
  int64_t within_ns = 0;
};

// Not thread-safe.
class Roster {
 public:
  // `general_within_ns`: how long to wait for an agent without a role.
  Roster(const plan::v1::Plan& plan, int64_t general_within_ns) : plan_(plan), general_within_ns_(general_within_ns) {}

  // A name that is there already is ignored. False: too late, the work has been given out.
  bool Join(std::string name, std::string role, std::vector<std::string> capabilities);
  // Before Assign it leaves; afterwards it stays and is marked. False: not of this run.
  bool Lose(absl::string_view name);
  std::vector<Lack> Missing() const;
  // Gives out roles, links and first indices; drops agents that have nothing to do. Once, when nothing is missing.
  void Assign();

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }
  Member* Find(absl::string_view name);
  const Member* carrier() const;                            // of links and loads; null = none
  const Member* OwnerOfRole(absl::string_view role) const;  // the first that has it; null = none

 private:
  int General() const;  // place in members_; -1 = none
  int WithCapability(absl::string_view capability) const;
  uint32_t CountRole(absl::string_view role) const;

  const plan::v1::Plan& plan_;
  int64_t general_within_ns_;
  std::vector<Member> members_;
  bool assigned_ = false;
};

}  // namespace squall::run

#endif  // HARNESS_ENGINE_ROSTER_H_

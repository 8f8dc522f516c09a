#include "harness/engine/roster.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "harness/engine/durations.h"
#include "harness/engine/reasons.h"

namespace squall::run {
namespace {

constexpr int64_t kAttachWithin = 30 * kSecond;

bool Contains(const std::vector<std::string>& list, absl::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

bool Roster::Join(std::string name, std::string role, std::vector<std::string> capabilities) {
  if (Find(name) != nullptr) return true;
  if (assigned_) return false;
  members_.push_back({.name = std::move(name), .role = std::move(role), .capabilities = std::move(capabilities)});
  return true;
}

bool Roster::Lose(absl::string_view name) {
  Member* member = Find(name);
  if (member == nullptr) return false;
  if (assigned_) {
    member->lost = true;
  } else {
    std::erase_if(members_, [&](const Member& m) { return m.name == name; });
  }
  return true;
}

std::vector<Lack> Roster::Missing() const {
  std::vector<Lack> lacks;
  for (const plan::v1::Target& target : plan_.targets()) {
    if (!target.has_attach()) {
      if (General() < 0 && (lacks.empty() || lacks.back().code != reason::kNoAgentForRole)) {
        lacks.push_back({std::string(reason::kNoAgentForRole), target.name(), general_within_ns_});
      }
      continue;
    }
    const uint32_t expect = std::max<uint32_t>(1, target.attach().expect());
    const uint32_t have = CountRole(target.name());
    if (have < expect) {
      lacks.push_back({std::string(reason::kAgentsMissing),
                       absl::StrCat("role ", target.name(), ": ", have, " of ", expect, " agents"),
                       NsOr(target.attach().has_within(), target.attach().within(), kAttachWithin)});
    }
  }
  const bool needs_carrier = plan_.links_size() > 0 || plan_.loads_size() > 0;
  if (needs_carrier && General() < 0 && WithCapability("link") < 0) {
    lacks.push_back({std::string(reason::kNoAgentForLinks), "", general_within_ns_});
  }
  return lacks;
}

void Roster::Assign() {
  assigned_ = true;
  const int general = General();
  const int carrier = general >= 0 ? general : WithCapability("link");
  const bool needs_carrier = plan_.links_size() > 0 || plan_.loads_size() > 0;
  if (needs_carrier && carrier >= 0) members_[carrier].carries_links = true;
  for (const plan::v1::Target& target : plan_.targets()) {
    if (!target.has_attach()) {
      if (general >= 0) members_[general].roles.push_back(target.name());
      continue;
    }
    std::vector<Member*> holders;
    for (Member& member : members_) {
      if (member.role == target.name()) holders.push_back(&member);
    }
    std::sort(holders.begin(), holders.end(), [](const Member* a, const Member* b) { return a->name < b->name; });
    uint32_t index = 0;
    for (Member* holder : holders) {
      holder->roles.push_back(target.name());
      holder->first_index[target.name()] = index++;
    }
  }
  std::erase_if(members_, [](const Member& m) { return m.roles.empty() && !m.carries_links; });
}

Member* Roster::Find(absl::string_view name) {
  for (Member& member : members_) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

const Member* Roster::carrier() const {
  for (const Member& member : members_) {
    if (member.carries_links) return &member;
  }
  return nullptr;
}

const Member* Roster::OwnerOfRole(absl::string_view role) const {
  for (const Member& member : members_) {
    if (Contains(member.roles, role)) return &member;
  }
  return nullptr;
}

int Roster::General() const {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].role.empty()) return static_cast<int>(i);
  }
  return -1;
}

int Roster::WithCapability(absl::string_view capability) const {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (Contains(members_[i].capabilities, capability)) return static_cast<int>(i);
  }
  return -1;
}

uint32_t Roster::CountRole(absl::string_view role) const {
  return std::count_if(members_.begin(), members_.end(), [&](const Member& m) { return m.role == role; });
}

}  // namespace squall::run

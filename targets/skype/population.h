// Who runs which client: exact shares, places by seed.
#ifndef TARGETS_SKYPE_POPULATION_H_
#define TARGETS_SKYPE_POPULATION_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace skype {

inline constexpr std::string_view kBuggyVersion = "5.0.0.152";
inline constexpr std::string_view kFixedVersion = "5.0.0.156";

// A copy of the client that crashes when a reply to its poll comes later than this.
inline constexpr double kLateAfterSeconds = 1;

struct Software {
  bool buggy = false;       // runs kBuggyVersion
  bool vulnerable = false;  // and crashes on a late reply
};

// round(buggy_share x users) run the buggy version, round(crash_share x those) crash: stratified, not drawn one by one.
std::vector<Software> AssignSoftware(size_t users, double buggy_share, double crash_share, uint64_t seed);

}  // namespace skype

#endif  // TARGETS_SKYPE_POPULATION_H_

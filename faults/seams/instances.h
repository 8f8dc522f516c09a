// The instances of a role, as something that can grow and shrink on purpose.
#ifndef FAULTS_SEAMS_INSTANCES_H_
#define FAULTS_SEAMS_INSTANCES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace squall {

class InstancesSeam {
 public:
  virtual ~InstancesSeam() = default;
  // Starts `count` more; returns their names ("mega/0"). They become ready later.
  virtual absl::StatusOr<std::vector<std::string>> StartMore(uint32_t count) = 0;
  // Ends the `count` running instances with the highest index, evenly over `over_ns`: TERM, after `grace_ns` KILL.
  virtual absl::StatusOr<std::vector<std::string>> DrainSome(uint32_t count, int64_t over_ns, int64_t grace_ns) = 0;
  virtual bool Ready(const std::string& instance) const = 0;
  virtual bool Ended(const std::string& instance) const = 0;
};

}  // namespace squall

#endif  // FAULTS_SEAMS_INSTANCES_H_

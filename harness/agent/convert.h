// From the plan's words to the agent's: targets, probes, loads.
#ifndef HARNESS_AGENT_CONVERT_H_
#define HARNESS_AGENT_CONVERT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "faults/host.pb.h"
#include "google/protobuf/duration.pb.h"
#include "harness/agent/prober.h"
#include "harness/api/plan.pb.h"
#include "targets/process/fleet.h"
#include "targets/process/spec.h"

namespace squall {

int64_t NanosOf(const google::protobuf::Duration& duration, int64_t if_zero = 0);

// Labels of the variants are drawn here, by the run's seed.
TargetSpec SpecOf(const plan::v1::Target& target, uint64_t seed);

// The scrape and the probes that the plan asks of one instance. `addresses` resolves `via`.
absl::StatusOr<std::vector<ProbeSpec>> ProbesOf(const plan::v1::Target& target, const InstanceInfo& instance,
                                                const std::map<std::string, std::string>& addresses);

// `to` with its references replaced.
absl::StatusOr<host::v1::StartLoad> LoadOf(const plan::v1::Load& load,
                                           const std::map<std::string, std::string>& variables, int64_t start_ns);

// Labels that every series of an instance carries.
Labels LabelsOf(const InstanceInfo& instance);

// "${link.x.address}" etc. replaced from `variables`; InvalidArgument names the unknown one.
absl::StatusOr<std::string> Substitute(const std::string& text, const std::map<std::string, std::string>& variables);

}  // namespace squall

#endif  // HARNESS_AGENT_CONVERT_H_

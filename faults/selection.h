// Whom a fault hits: a selection applied to the instances there are.
//
//   // on: {role: supernode, percent: 30%, labels: {version: "5.0.0.152"}, exclude: [{index: [0]}], stratify: zone}
//   ASSIGN_OR_RETURN(std::vector<size_t> hit, Select(fault.on(), candidates, RandomStream(seed, "step/trigger")));
//
// A pure function: the same arguments give the same places.
#ifndef FAULTS_SELECTION_H_
#define FAULTS_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "faults/core/random.h"
#include "faults/fault.pb.h"

namespace squall {

// An instance that exists.
struct Candidate {
  std::string role;
  uint32_t index = 0;
  std::map<std::string, std::string> labels;
};

// What can be said without knowing the instances. InvalidArgument starts with the field of Selection at fault:
// "count: must be at least 1". "role: ..." where nothing, or more than one of role, link and load is selected.
absl::Status CheckSelection(const faults::v1::Selection& selection);

// Places in `all`, ascending; at least one. Candidates are taken in order of index, so the order of `all` and instances
// of other roles change nothing.
//
// Amounts: all, count (1 without any), or percent of the candidates to the nearest whole number, halves up (50 % of 1
// is 1, 49 % of 1 nobody, 99 % of 100 is 99). With `stratify`, the amount is shared over the values of that label as
// evenly as their numbers allow; where it does not come out even, the stream draws which values get one more.
//
// InvalidArgument: as CheckSelection; a link or a load (they have no instances); nobody matches; a percentage that
// comes to nobody; more wanted than there are; a candidate without the `stratify` label.
absl::StatusOr<std::vector<size_t>> Select(const faults::v1::Selection& selection, absl::Span<const Candidate> all,
                                           RandomStream stream);

}  // namespace squall

#endif  // FAULTS_SELECTION_H_

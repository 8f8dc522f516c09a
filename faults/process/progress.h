// The witness of a fault that takes several instances to a state, each of them once.
//
//   auto progress = std::make_shared<Progress>(clock, names, "ready");
//   progress->Observe([&](const std::string& name) { return seam->Ready(name); });   // "2 of 3 ready after 1.2s"
#ifndef FAULTS_PROCESS_PROGRESS_H_
#define FAULTS_PROCESS_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "faults/core/clock.h"
#include "faults/fault.pb.h"

namespace squall {

// Not thread-safe.
class Progress {
 public:
  Progress(const Clock* clock, std::vector<std::string> names, std::string state);

  // Effective, and gone, once `reached` was true of every name at some time. Counts those of which it was.
  faults::v1::Witness Observe(const std::function<bool(const std::string&)>& reached);

 private:
  const Clock* const clock_;
  const int64_t from_ns_;
  const std::vector<std::string> names_;
  const std::string state_;
  std::set<std::string> done_;
  int64_t last_ns_ = 0;  // when the last of them was seen to be done
};

}  // namespace squall

#endif  // FAULTS_PROCESS_PROGRESS_H_

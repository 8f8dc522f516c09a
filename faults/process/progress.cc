#include "faults/process/progress.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/core/params.h"

namespace squall {

Progress::Progress(const Clock* clock, std::vector<std::string> names, std::string state)
    : clock_(clock), from_ns_(clock->Now()), names_(std::move(names)), state_(std::move(state)) {}

faults::v1::Witness Progress::Observe(const std::function<bool(const std::string&)>& reached) {
  for (const std::string& name : names_) {
    if (done_.contains(name) || !reached(name)) continue;
    done_.insert(name);
    last_ns_ = clock_->Now();
  }
  const bool all = !names_.empty() && done_.size() == names_.size();
  faults::v1::Witness witness;
  witness.set_effective(all);
  witness.set_gone(all);
  witness.set_count(done_.size());
  std::string detail = absl::StrCat(done_.size(), " of ", names_.size(), " ", state_);
  if (!done_.empty()) {
    absl::StrAppend(&detail, " after ", FormatNanos((last_ns_ - from_ns_) / kMillisecond * kMillisecond));
  }
  witness.set_detail(absl::StrCat(detail, " (", absl::StrJoin(names_, ", "), ")"));
  return witness;
}

}  // namespace squall

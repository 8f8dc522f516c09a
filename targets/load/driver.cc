#include "targets/load/driver.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"

namespace squall {

absl::Status LoadDriver::Start(const host::v1::StartLoad& request) {
  if (loads_.contains(request.name())) {
    return absl::AlreadyExistsError(absl::StrCat("load ", request.name(), " runs already"));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Load> load, Load::Create(loop_, clock_, lease_, request));
  loads_.emplace(request.name(), std::move(load));
  return absl::OkStatus();
}

Load* LoadDriver::FindLoad(const std::string& name) {
  const auto found = loads_.find(name);
  return found == loads_.end() ? nullptr : found->second.get();
}

absl::StatusOr<Seams> LoadDriver::SeamsOf(const std::string& load) {
  Seams seams;
  seams.load = FindLoad(load);
  if (seams.load == nullptr) return absl::NotFoundError(absl::StrCat("this driver has no load ", load));
  return seams;
}

void LoadDriver::AddStats(host::v1::HostStats* stats) {
  for (const auto& [name, load] : loads_) load->AddStats(stats);
}

}  // namespace squall

#include <cmath>

#include "absl/strings/str_cat.h"
#include "harness/plan/plan_check.h"

namespace squall {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kHour = 3600'000 * kMs;
constexpr uint32_t kMostConnections = 10'000;
constexpr double kHighestRate = 1e6;

void CheckLink(PlanCheck* check, const plan::v1::Link& link) {
  const std::string path = absl::StrCat("links[", link.name(), "]");
  check->CheckName(path, link.name());
  if (!link.from().role().empty()) {
    check->CheckKnown(path + ".from.role", "target", link.from().role(), check->roles());
  }
  if (!link.from().port().empty()) check->Add(path + ".from.port", "the client's side has no port");
  if (link.to().role().empty()) return check->Add(path, "leads nowhere; write `to: ROLE`");
  if (!check->CheckKnown(path + ".to.role", "target", link.to().role(), check->roles())) return;
  const plan::v1::Target& target = *check->FindTarget(link.to().role());
  if (target.job())
    check->Add(path + ".to.role", absl::StrCat("`", target.name(), "` is a job; nothing connects to it"));
  if (!link.to().port().empty() && !target.has_attach()) {
    check->CheckKnown(path + ".to.port", "port", link.to().port(), PortsOf(target), target.name());
  }
}

void CheckRate(PlanCheck* check, const std::string& path, double rate) {
  if (!(rate >= 0 && rate <= kHighestRate)) check->Add(path, "a rate lies in 0/s .. 1000000/s");
}

void CheckLoad(PlanCheck* check, const plan::v1::Load& load) {
  const std::string path = absl::StrCat("loads[", load.name(), "]");
  check->CheckName(path, load.name());
  if (load.to().empty()) check->Add(path, "goes nowhere; write `to: ${link.NAME.address}` or HOST:PORT");
  for (int i = 0; i < load.needs_size(); ++i) {
    check->CheckKnown(absl::StrCat(path, ".needs[", i, "]"), "target", load.needs(i), check->roles());
  }
  if (load.connections() > kMostConnections) {
    check->Add(path + ".connections", absl::StrCat(load.connections(), " connections; at most ", kMostConnections));
  }
  if (load.has_timeout()) check->CheckDuration(path + ".timeout", load.timeout(), kMs, kHour);
  CheckRate(check, path + ".rate", load.rate());
  bool any = load.rate() > 0;
  for (int i = 0; i < load.stages_size(); ++i) {
    const plan::v1::Stage& stage = load.stages(i);
    const std::string stage_path = absl::StrCat(path, ".stages[", i, "]");
    CheckRate(check, stage_path + ".to", stage.to());
    if (stage.has_over()) check->CheckDuration(stage_path + ".over", stage.over(), 0, 24 * kHour);
    if (stage.has_hold()) check->CheckDuration(stage_path + ".hold", stage.hold(), 0, 24 * kHour);
    any = any || stage.to() > 0;
  }
  if (!any) check->Add(path, "sends nothing: neither `rate` nor a stage is over 0");
}

}  // namespace

void CheckWiring(PlanCheck* check) {
  for (const plan::v1::Link& link : check->plan().links()) CheckLink(check, link);
  for (const plan::v1::Load& load : check->plan().loads()) CheckLoad(check, load);
}

}  // namespace squall

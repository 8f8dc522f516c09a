#include <cmath>

#include "absl/strings/str_cat.h"
#include "harness/plan/check_context.h"

namespace squall {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kHour = 3600'000 * kMs;
constexpr uint32_t kMostConnections = 10'000;
constexpr double kHighestRate = 1e6;

void CheckLink(CheckContext* context, const plan::v1::Link& link) {
  const std::string path = absl::StrCat("links[", link.name(), "]");
  context->CheckName(path, link.name());
  if (!link.from().role().empty()) {
    context->CheckKnown(path + ".from.role", "target", link.from().role(), context->roles());
  }
  if (!link.from().port().empty()) context->Add(path + ".from.port", "the client's side has no port");
  if (link.to().role().empty()) return context->Add(path, "leads nowhere; write `to: ROLE`");
  if (!context->CheckKnown(path + ".to.role", "target", link.to().role(), context->roles())) return;
  const plan::v1::Target& target = *context->FindTarget(link.to().role());
  if (target.job())
    context->Add(path + ".to.role", absl::StrCat("`", target.name(), "` is a job; nothing connects to it"));
  if (!link.to().port().empty() && !target.has_attach()) {
    context->CheckKnown(path + ".to.port", absl::StrCat("port of `", target.name(), "`"), link.to().port(),
                        PortsOf(target));
  }
}

void CheckRate(CheckContext* context, const std::string& path, double rate) {
  if (!(rate >= 0 && rate <= kHighestRate)) context->Add(path, "a rate lies in 0/s .. 1000000/s");
}

void CheckLoad(CheckContext* context, const plan::v1::Load& load) {
  const std::string path = absl::StrCat("loads[", load.name(), "]");
  context->CheckName(path, load.name());
  if (load.to().empty()) context->Add(path, "goes nowhere; write `to: ${link.NAME.address}` or HOST:PORT");
  for (int i = 0; i < load.needs_size(); ++i) {
    context->CheckKnown(absl::StrCat(path, ".needs[", i, "]"), "target", load.needs(i), context->roles());
  }
  if (load.connections() > kMostConnections) {
    context->Add(path + ".connections", absl::StrCat(load.connections(), " connections; at most ", kMostConnections));
  }
  if (load.has_timeout()) context->CheckDuration(path + ".timeout", load.timeout(), kMs, kHour);
  CheckRate(context, path + ".rate", load.rate());
  bool any = load.rate() > 0;
  for (int i = 0; i < load.stages_size(); ++i) {
    const plan::v1::Stage& stage = load.stages(i);
    const std::string stage_path = absl::StrCat(path, ".stages[", i, "]");
    CheckRate(context, stage_path + ".to", stage.to());
    if (stage.has_over()) context->CheckDuration(stage_path + ".over", stage.over(), 0, 24 * kHour);
    if (stage.has_hold()) context->CheckDuration(stage_path + ".hold", stage.hold(), 0, 24 * kHour);
    any = any || stage.to() > 0;
  }
  if (!any) context->Add(path, "sends nothing: neither `rate` nor a stage is over 0");
}

}  // namespace

void CheckWiring(CheckContext* context) {
  for (const plan::v1::Link& link : context->plan().links()) CheckLink(context, link);
  for (const plan::v1::Load& load : context->plan().loads()) CheckLoad(context, load);
}

}  // namespace squall

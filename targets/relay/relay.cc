#include "targets/relay/relay.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace squall {
namespace {
constexpr int64_t kTrimEvery = 2 * kSecond;
}  // namespace

Relay::Relay(const Options& options) {
  core_.loop = options.loop;
  core_.clock = options.clock;
  core_.lease = options.lease;
  core_.limits = options.limits;
  KeepTrim();
}

Relay::~Relay() { core_.loop->Cancel(trim_); }

// Blocks that nobody needs for a while go back to the kernel.
void Relay::KeepTrim() {
  trim_ = core_.loop->After(kTrimEvery, [this] {
    core_.pool.Trim();
    KeepTrim();
  });
}

absl::Status Relay::AddLink(const std::string& name, UniqueFd listener, const SocketAddress& upstream) {
  if (links_.contains(name)) return absl::AlreadyExistsError(absl::StrCat("there is a link ", name, " already"));
  auto link = std::make_unique<Link>(&core_, name, std::move(listener), upstream);
  link->Start();
  links_.emplace(name, std::move(link));
  return absl::OkStatus();
}

Link* Relay::FindLink(const std::string& name) {
  const auto found = links_.find(name);
  return found == links_.end() ? nullptr : found->second.get();
}

absl::StatusOr<Seams> Relay::SeamsOf(const std::string& link) {
  Seams seams;
  seams.link = FindLink(link);
  if (seams.link == nullptr) return absl::NotFoundError(absl::StrCat("this relay has no link ", link));
  return seams;
}

void Relay::AddStats(host::v1::HostStats* stats) {
  for (const auto& [name, link] : links_) link->AddStats(stats);
}

size_t Relay::open() const {
  size_t open = 0;
  for (const auto& [name, link] : links_) open += link->open();
  return open;
}

void Relay::Wind(std::function<void()> idle) {
  for (const auto& [name, link] : links_) {
    link->StopAccepting();
    link->on_idle = [this, idle] {
      if (open() == 0) idle();
    };
  }
  if (open() == 0) idle();
}

}  // namespace squall

#include "faults/network/delay.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "faults/core/params.h"
#include "faults/core/random.h"
#include "faults/core/status_macros.h"
#include "faults/seams/link.h"

namespace squall {
namespace {

using faults::v1::Direction;
using faults::v1::Witness;

constexpr int64_t kLongest = 3600 * kSecond;

class DelayedStream : public StreamEffect {
 public:
  DelayedStream(RandomStream random, int64_t latency_ns, int64_t jitter_ns)
      : random_(random), latency_ns_(latency_ns), jitter_ns_(jitter_ns) {}

  int64_t ReleaseAt(int64_t now, uint64_t) override {
    const double jitter = static_cast<double>(jitter_ns_);
    const int64_t held = jitter_ns_ == 0 ? latency_ns_ : latency_ns_ + std::llround(random_.Uniform(-jitter, jitter));
    last_ns_ = std::max(last_ns_, now + std::max<int64_t>(held, 0));
    return last_ns_;
  }

 private:
  RandomStream random_;
  const int64_t latency_ns_;
  const int64_t jitter_ns_;
  int64_t last_ns_ = 0;
};

class DelayedLink : public LinkFault {
 public:
  DelayedLink(int64_t latency_ns, int64_t jitter_ns, Direction direction, const ArmContext& context)
      : latency_ns_(latency_ns),
        jitter_ns_(jitter_ns),
        direction_(direction),
        seed_(context.seed),
        site_(context.site) {}

  std::unique_ptr<StreamEffect> ForStream(Direction direction, uint64_t stream) override {
    if (direction_ != faults::v1::BOTH && direction_ != direction) return nullptr;
    const char* const name = direction == faults::v1::UPSTREAM ? "upstream" : "downstream";
    return std::make_unique<DelayedStream>(RandomStream(seed_, absl::StrCat(site_, "/", name, "/", stream)),
                                           latency_ns_, jitter_ns_);
  }

  void OnReleased(Direction, uint64_t, int64_t held_ns) override {
    if (held_ns < latency_ns_ - jitter_ns_) {  // let go by the lift, the deadline or the lease
      ++let_go_;
      return;
    }
    least_ns_ = held_ == 0 ? held_ns : std::min(least_ns_, held_ns);
    most_ns_ = std::max(most_ns_, held_ns);
    ++held_;
  }

  Witness Observe(bool gone) const {
    Witness witness;
    witness.set_effective(held_ > 0);
    witness.set_gone(gone);
    witness.set_count(held_);
    std::string detail = "no chunk was held to its end";
    if (held_ > 0) {
      detail = absl::StrFormat("%d chunks held, %.4g-%.4g s", held_, Seconds(least_ns_), Seconds(most_ns_));
    }
    if (let_go_ > 0) absl::StrAppend(&detail, "; ", let_go_, " let go before their time");
    witness.set_detail(detail);
    return witness;
  }

 private:
  static double Seconds(int64_t ns) { return static_cast<double>(ns) / kSecond; }

  const int64_t latency_ns_;
  const int64_t jitter_ns_;
  const Direction direction_;
  const uint64_t seed_;
  const std::string site_;
  uint64_t held_ = 0, let_go_ = 0;
  int64_t least_ns_ = 0, most_ns_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<FaultKind>> DelayFault::Create(const faults::v1::Delay& params) {
  ASSIGN_OR_RETURN(const int64_t latency,
                   CheckDuration("latency", params.latency(), {.least = 0, .most = kLongest, .above = true}));
  ASSIGN_OR_RETURN(const int64_t jitter, CheckDuration("jitter", params.jitter(), {.least = 0, .most = kLongest}));
  if (jitter > latency) {
    return absl::InvalidArgumentError(
        absl::StrCat("jitter: must be at most the latency (", FormatNanos(latency), "), is ", FormatNanos(jitter)));
  }
  switch (params.direction()) {
    case faults::v1::DIRECTION_UNSPECIFIED:
    case faults::v1::BOTH:
      return std::unique_ptr<FaultKind>(new DelayFault(latency, jitter, faults::v1::BOTH));
    case faults::v1::UPSTREAM:
    case faults::v1::DOWNSTREAM:
      return std::unique_ptr<FaultKind>(new DelayFault(latency, jitter, params.direction()));
    default:
      return absl::InvalidArgumentError(absl::StrCat("direction: no such direction: ", params.direction()));
  }
}

absl::StatusOr<ArmedFault> DelayFault::Arm(const Seams& seams, const ArmContext& context) const {
  if (seams.link == nullptr) return absl::FailedPreconditionError("delay: no link is offered here");
  RETURN_IF_ERROR(CheckContext(context));
  auto fault = std::make_shared<DelayedLink>(latency_ns_, jitter_ns_, direction_, context);
  LinkSeam* const link = seams.link;
  ASSIGN_OR_RETURN(const uint64_t id, link->Add(fault, context.deadline_ns));
  return ArmedFault([link, id] { return link->Remove(id); },
                    [link, id, fault] { return fault->Observe(link->Clear(id)); });
}

}  // namespace squall

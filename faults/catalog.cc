#include "faults/catalog.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "faults/load/load_spike.h"
#include "faults/network/delay.h"
#include "faults/process/crash.h"
#include "faults/process/drain.h"
#include "faults/process/hang.h"
#include "faults/process/start.h"

namespace squall {
namespace {

using faults::v1::Fault;

absl::Status NoKind() {
  return absl::InvalidArgumentError(absl::StrCat("kind: none is set; one of ", absl::StrJoin(KindNames(), ", ")));
}

const google::protobuf::FieldDescriptor* KindField(const Fault& fault) {
  return fault.kind_case() == Fault::KIND_NOT_SET ? nullptr : Fault::descriptor()->FindFieldByNumber(fault.kind_case());
}

}  // namespace

// The one switch over kinds. No default: the compiler names the kind that is missing.
absl::StatusOr<std::unique_ptr<FaultKind>> MakeFault(const Fault& fault) {
  switch (fault.kind_case()) {
    case Fault::kCrash:
      return CrashFault::Create(fault.crash());
    case Fault::kHang:
      return HangFault::Create(fault.hang());
    case Fault::kDelay:
      return DelayFault::Create(fault.delay());
    case Fault::kLoadSpike:
      return LoadSpikeFault::Create(fault.load_spike());
    case Fault::kStart:
      return StartFault::Create(fault.start());
    case Fault::kDrain:
      return DrainFault::Create(fault.drain());
    case Fault::KIND_NOT_SET:
      break;
  }
  return NoKind();
}

absl::StatusOr<faults::v1::Seam> SeamOf(const Fault& fault) {
  const auto* field = KindField(fault);
  if (field == nullptr) return NoKind();
  return field->message_type()->options().GetExtension(faults::v1::seam);
}

std::string KindName(const Fault& fault) {
  const auto* field = KindField(fault);
  return field == nullptr ? "" : field->name();
}

absl::Span<const std::string> KindNames() {
  static const auto* const names = [] {
    auto* list = new std::vector<std::string>;
    const auto* kinds = Fault::descriptor()->FindOneofByName("kind");
    for (int i = 0; i < kinds->field_count(); ++i) list->push_back(kinds->field(i)->name());
    return list;
  }();
  return *names;
}

}  // namespace squall

// One scalar of a message, from its text, guided by the field's type and unit.
#ifndef HARNESS_PLAN_FIELD_VALUE_H_
#define HARNESS_PLAN_FIELD_VALUE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace squall {

// Sets (or, if repeated, adds) `field` of `message`. Enums are read by name, case and -/_ ignored. Errors say what
// would be right, with a near match for an enum.
absl::Status SetScalar(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field,
                       absl::string_view text);

// Whether `type` is google.protobuf.Duration or Ratio: messages that a scalar fills in a way of its own.
bool IsSpecialScalar(const google::protobuf::Descriptor* type);
absl::Status SetSpecialScalar(google::protobuf::Message* message, absl::string_view text);

}  // namespace squall

#endif  // HARNESS_PLAN_FIELD_VALUE_H_

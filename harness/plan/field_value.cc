#include "harness/plan/field_value.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "faults/core/status_macros.h"
#include "faults/fault.pb.h"
#include "google/protobuf/duration.pb.h"
#include "harness/plan/near_match.h"
#include "harness/plan/scalars.h"

namespace squall {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string Plain(absl::string_view name) { return absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"-", "_"}}); }

absl::StatusOr<const EnumValueDescriptor*> ParseEnum(const FieldDescriptor* field, absl::string_view text) {
  std::vector<std::string> names;
  for (int i = 0; i < field->enum_type()->value_count(); ++i) {
    const EnumValueDescriptor* value = field->enum_type()->value(i);
    const std::string name = Plain(value->name());
    if (absl::EndsWith(name, "_unspecified")) continue;
    if (name == Plain(text)) return value;
    names.push_back(name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("`", text.substr(0, 40), "` is none of ", ListNames(names), DidYouMean(text, names)));
}

absl::StatusOr<double> ParseDouble(const FieldDescriptor* field, absl::string_view text) {
  switch (field->options().GetExtension(faults::v1::unit)) {
    case faults::v1::UNIT_PER_SECOND:
      return ParseRate(text);
    case faults::v1::UNIT_BYTES: {
      ASSIGN_OR_RETURN(const uint64_t bytes, ParseBytes(text));
      return static_cast<double>(bytes);
    }
    default:
      return ParseNumber(text);
  }
}

absl::StatusOr<uint64_t> ParseWhole(const FieldDescriptor* field, absl::string_view text, uint64_t most) {
  if (field->options().GetExtension(faults::v1::unit) == faults::v1::UNIT_BYTES) {
    ASSIGN_OR_RETURN(const uint64_t bytes, ParseBytes(text));
    if (bytes > most) return absl::InvalidArgumentError(absl::StrCat("`", text, "` is over ", most));
    return bytes;
  }
  return ParseUnsigned(text, most);
}

}  // namespace

// Sets or adds, by one line a type.
#define SQUALL_PUT(Type, value) \
  field->is_repeated() ? reflection->Add##Type(message, field, value) : reflection->Set##Type(message, field, value)

absl::Status SetScalar(Message* message, const FieldDescriptor* field, absl::string_view text) {
  const Reflection* reflection = message->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      SQUALL_PUT(String, std::string(text));
      return absl::OkStatus();
    case FieldDescriptor::CPPTYPE_BOOL: {
      ASSIGN_OR_RETURN(const bool value, ParseBool(text));
      SQUALL_PUT(Bool, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      ASSIGN_OR_RETURN(const uint64_t value, ParseWhole(field, text, std::numeric_limits<uint32_t>::max()));
      SQUALL_PUT(UInt32, static_cast<uint32_t>(value));
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      ASSIGN_OR_RETURN(const uint64_t value, ParseWhole(field, text, std::numeric_limits<uint64_t>::max()));
      SQUALL_PUT(UInt64, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      using Limits = std::numeric_limits<int32_t>;
      ASSIGN_OR_RETURN(const int64_t value, ParseSigned(text, Limits::min(), Limits::max()));
      SQUALL_PUT(Int32, static_cast<int32_t>(value));
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      using Limits = std::numeric_limits<int64_t>;
      ASSIGN_OR_RETURN(const int64_t value, ParseSigned(text, Limits::min(), Limits::max()));
      SQUALL_PUT(Int64, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      ASSIGN_OR_RETURN(const double value, ParseDouble(field, text));
      SQUALL_PUT(Double, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      ASSIGN_OR_RETURN(const double value, ParseDouble(field, text));
      if (std::abs(value) > std::numeric_limits<float>::max()) return absl::InvalidArgumentError("is too large");
      SQUALL_PUT(Float, static_cast<float>(value));
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      ASSIGN_OR_RETURN(const EnumValueDescriptor* value, ParseEnum(field, text));
      SQUALL_PUT(Enum, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
  return absl::InternalError(absl::StrCat(field->full_name(), " is no scalar"));
}

#undef SQUALL_PUT

bool IsSpecialScalar(const Descriptor* type) {
  return type == google::protobuf::Duration::descriptor() || type == faults::v1::Ratio::descriptor();
}

absl::Status SetSpecialScalar(Message* message, absl::string_view text) {
  if (auto* ratio = dynamic_cast<faults::v1::Ratio*>(message)) {
    ASSIGN_OR_RETURN(const double value, ParseRatio(text));
    ratio->set_value(value);
    return absl::OkStatus();
  }
  if (auto* duration = dynamic_cast<google::protobuf::Duration*>(message)) {
    ASSIGN_OR_RETURN(const int64_t ns, ParseDuration(text));
    duration->set_seconds(ns / 1'000'000'000);
    duration->set_nanos(static_cast<int32_t>(ns % 1'000'000'000));
    return absl::OkStatus();
  }
  return absl::InternalError("not a duration or a share");
}

}  // namespace squall

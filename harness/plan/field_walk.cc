#include "harness/plan/field_walk.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "faults/fault.pb.h"

namespace squall {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Visit = std::function<void(const WalkedField&)>;

std::string ElementPath(const std::string& path, const Message& message, const FieldDescriptor* field, int index) {
  if (!field->options().GetExtension(faults::v1::keyed_by_name)) return absl::StrCat(path, "[", index, "]");
  const Message& element = message.GetReflection()->GetRepeatedMessage(message, field, index);
  const FieldDescriptor* name = element.GetDescriptor()->FindFieldByName("name");
  return absl::StrCat(path, "[", element.GetReflection()->GetString(element, name), "]");
}

void Walk(Message* message, const std::string& path, const Visit& visit) {
  const Reflection* reflection = message->GetReflection();
  const std::string mapping = message->GetDescriptor()->options().GetExtension(faults::v1::mapping_field);
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    // A message written as a mapping into one field takes that field's place.
    const std::string name = field->name() == mapping ? "" : field->name();
    const std::string field_path =
        path.empty() || name.empty() ? absl::StrCat(path, name) : absl::StrCat(path, ".", name);
    const bool nested = field->message_type() != nullptr;
    if (!field->is_repeated()) {
      visit({field_path, message, field, -1});
      if (nested) Walk(reflection->MutableMessage(message, field), field_path, visit);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      const std::string element_path = ElementPath(field_path, *message, field, i);
      visit({element_path, message, field, i});
      if (nested) Walk(reflection->MutableRepeatedMessage(message, field, i), element_path, visit);
    }
  }
}

}  // namespace

void WalkFields(Message* message, const Visit& visit) { Walk(message, "", visit); }

std::string GetText(const WalkedField& value) {
  const Reflection* reflection = value.message->GetReflection();
  if (value.index < 0) return reflection->GetString(*value.message, value.field);
  return reflection->GetRepeatedString(*value.message, value.field, value.index);
}

void SetText(const WalkedField& value, std::string text) {
  const Reflection* reflection = value.message->GetReflection();
  if (value.index < 0) {
    reflection->SetString(value.message, value.field, std::move(text));
  } else {
    reflection->SetRepeatedString(value.message, value.field, value.index, std::move(text));
  }
}

}  // namespace squall

#include "harness/plan/descriptor_mapper.h"

#include <map>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "faults/fault.pb.h"
#include "google/protobuf/duration.pb.h"
#include "harness/api/plan.pb.h"
#include "harness/plan/field_value.h"
#include "harness/plan/near_match.h"

namespace squall {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;

std::string Join(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, ".", name);
}

// The single field that a short form of the message fills; null if it has no such form.
const FieldDescriptor* ScalarField(const Descriptor* type) {
  return type->FindFieldByName(type->options().GetExtension(faults::v1::scalar_field));
}
const FieldDescriptor* MappingField(const Descriptor* type) {
  return type->FindFieldByName(type->options().GetExtension(faults::v1::mapping_field));
}

bool IsKeyed(const FieldDescriptor* field) { return field->options().GetExtension(faults::v1::keyed_by_name); }

std::vector<std::string> FieldNames(const Descriptor* type) {
  std::vector<std::string> names;
  for (int i = 0; i < type->field_count(); ++i) names.push_back(type->field(i)->name());
  return names;
}

// What a value of this type looks like, for a message about another one.
std::string Wanted(const Descriptor* type) {
  if (type == google::protobuf::Duration::descriptor()) return "a duration such as 500ms or 1m30s";
  if (type == faults::v1::Ratio::descriptor()) return "a share such as 40%";
  std::string fields = absl::StrCat("a mapping with ", ListNames(FieldNames(type)));
  if (type->field_count() == 0) fields = "an empty mapping, {}";
  return ScalarField(type) != nullptr ? absl::StrCat("text, or ", fields) : fields;
}

}  // namespace

DescriptorMapper::DescriptorMapper(PlanParams* params, PositionIndex* positions, PlanErrors* errors)
    : params_(params), positions_(positions), errors_(errors) {}

void DescriptorMapper::Map(const YamlNode& root, Message* message) {
  positions_->Set("", root.at);
  MapMessage(root, message, "", nullptr);
}

void DescriptorMapper::Wrong(const YamlNode& node, const std::string& path, std::string message) {
  errors_->Add(node.at, path, std::move(message));
}

void DescriptorMapper::MapMessage(const YamlNode& node, Message* message, const std::string& path,
                                  const Message* parent) {
  const Descriptor* type = message->GetDescriptor();
  switch (node.kind) {
    case YamlNode::kScalar:
      MapShort(node, message, path);
      return;
    case YamlNode::kMapping:
      if (const FieldDescriptor* field = MappingField(type)) {
        MapField(node, message, field, path);
      } else if (IsSpecialScalar(type)) {
        Wrong(node, path, absl::StrCat("wants ", Wanted(type), ", not a mapping"));
      } else {
        MapEntries(node, message, path, parent);
      }
      return;
    case YamlNode::kNull:
      Wrong(node, path,
            type->field_count() == 0 || parent != nullptr
                ? absl::StrCat("has no value; write ", Wanted(type), ", or leave it out")
                : "has no value");
      return;
    case YamlNode::kSequence:
      Wrong(node, path, absl::StrCat("wants ", Wanted(type), ", not a list"));
      return;
  }
}

// A message written as one scalar: "always pool >= 20" for {expr: "always pool >= 20"}.
void DescriptorMapper::MapShort(const YamlNode& node, Message* message, const std::string& path) {
  const Descriptor* type = message->GetDescriptor();
  if (IsSpecialScalar(type)) {
    const std::optional<std::string> text = Replace(node, path, /*late=*/false);
    if (!text) return;
    const absl::Status status = SetSpecialScalar(message, *text);
    if (!status.ok()) Wrong(node, path, std::string(status.message()));
    return;
  }
  const FieldDescriptor* field = ScalarField(type);
  if (field == nullptr) {
    Wrong(node, path, absl::StrCat("wants ", Wanted(type), ", not ", Describe(node)));
    return;
  }
  MapField(node, message, field, Join(path, field->name()));
}

void DescriptorMapper::MapEntries(const YamlNode& node, Message* message, const std::string& path,
                                  const Message* parent) {
  const Descriptor* type = message->GetDescriptor();
  std::map<const OneofDescriptor*, const FieldDescriptor*> chosen;
  for (const YamlEntry& entry : node.entries) {
    const FieldDescriptor* field = type->FindFieldByName(entry.key);
    if (field == nullptr) {
      errors_->Add(entry.at, path, UnknownField(entry.key, *message, parent));
      continue;
    }
    const bool name_from_key = field->name() == "name" && absl::EndsWith(path, "]") && !field->is_repeated() &&
                               !message->GetReflection()->GetString(*message, field).empty();
    if (name_from_key) {
      errors_->Add(entry.at, Join(path, "name"), "the name stands before the mapping already; leave this out");
      continue;
    }
    if (const OneofDescriptor* oneof = field->real_containing_oneof()) {
      auto [it, first] = chosen.emplace(oneof, field);
      if (!first) {
        errors_->Add(
            entry.at, path,
            absl::StrCat("both `", it->second->name(), "` and `", field->name(), "`; only one of them can be"));
        continue;
      }
    }
    if (field->message_type() == plan::v1::Param::descriptor()) continue;  // read before everything else
    const std::string field_path = Join(path, field->name());
    if (entry.value->kind == YamlNode::kNull) {
      positions_->Set(field_path, entry.at);
      const std::string form = field->is_repeated() || field->message_type() == nullptr
                                   ? ""
                                   : absl::StrCat("; write ", Wanted(field->message_type()));
      errors_->Add(entry.at, field_path, absl::StrCat("has no value", form));
      continue;
    }
    MapField(*entry.value, message, field, field_path);
  }
}

std::string DescriptorMapper::UnknownField(const std::string& key, const Message& message,
                                           const Message* parent) const {
  const std::vector<std::string> names = FieldNames(message.GetDescriptor());
  std::string hint = DidYouMean(key, names);
  if (parent != nullptr && parent->GetDescriptor()->FindFieldByName(key) != nullptr) {
    hint = "; it belongs one level up";
  }
  if (hint.empty() && !names.empty()) hint = absl::StrCat("; known are ", ListNames(names));
  if (names.empty()) hint = "; nothing can stand here";
  return absl::StrCat("unknown field `", key.substr(0, 64), "`", hint);
}

void DescriptorMapper::MapField(const YamlNode& node, Message* message, const Field* field, const std::string& path) {
  positions_->Set(path, node.kind == YamlNode::kScalar ? node.text_at : node.at, node.verbatim);
  if (field->is_repeated() && IsKeyed(field)) {
    MapKeyed(node, message, field, path);
  } else if (field->is_repeated()) {
    MapList(node, message, field, path);
  } else if (field->message_type() != nullptr) {
    MapMessage(node, message->GetReflection()->MutableMessage(message, field), path, message);
  } else {
    MapScalar(node, message, field, path);
  }
}

void DescriptorMapper::MapKeyed(const YamlNode& node, Message* message, const Field* field, const std::string& path) {
  if (node.kind != YamlNode::kMapping) {
    const std::string form = node.kind == YamlNode::kSequence ? "a list" : Describe(node);
    Wrong(node, path, absl::StrCat("wants a mapping from names to values, not ", form));
    return;
  }
  for (const YamlEntry& entry : node.entries) {
    // Elements of a message that is written as this mapping alone take their place in the path directly.
    const std::string element_path = absl::StrCat(path, "[", entry.key, "]");
    positions_->Set(element_path, entry.at);
    if (absl::StrContains(entry.key, "${")) {
      errors_->Add(entry.at, path,
                   absl::StrCat("`", entry.key, "`: names are not replaced; `${` works in values only"));
      continue;
    }
    if (entry.key.empty()) errors_->Add(entry.at, path, "an empty name");
    Message* element = message->GetReflection()->AddMessage(message, field);
    const FieldDescriptor* name = element->GetDescriptor()->FindFieldByName("name");
    element->GetReflection()->SetString(element, name, entry.key);
    if (entry.value->kind == YamlNode::kNull) {
      errors_->Add(entry.at, element_path, absl::StrCat("has no value; write ", Wanted(element->GetDescriptor())));
      continue;
    }
    MapMessage(*entry.value, element, element_path, message);
  }
}

void DescriptorMapper::MapList(const YamlNode& node, Message* message, const Field* field, const std::string& path) {
  if (node.kind != YamlNode::kSequence) {
    const std::string hint =
        node.kind == YamlNode::kScalar ? absl::StrCat("; write [", node.scalar.substr(0, 40), "]") : "";
    Wrong(node, path, absl::StrCat("wants a list, not ", Describe(node), hint));
    return;
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = *node.items[i];
    const std::string item_path = absl::StrCat(path, "[", i, "]");
    positions_->Set(item_path, item.kind == YamlNode::kScalar ? item.text_at : item.at, item.verbatim);
    if (item.kind == YamlNode::kNull) {
      errors_->Add(item.at, item_path, "has no value");
    } else if (field->message_type() != nullptr) {
      MapMessage(item, message->GetReflection()->AddMessage(message, field), item_path, message);
    } else {
      MapScalar(item, message, field, item_path);
    }
  }
}

void DescriptorMapper::MapScalar(const YamlNode& node, Message* message, const Field* field, const std::string& path) {
  if (node.kind != YamlNode::kScalar) {
    Wrong(node, path, absl::StrCat("wants one value, not ", Describe(node)));
    return;
  }
  const bool late = field->options().GetExtension(faults::v1::late_reference);
  const std::optional<std::string> text = Replace(node, path, late);
  if (!text) return;
  const absl::Status status = SetScalar(message, field, *text);
  if (!status.ok()) Wrong(node, path, std::string(status.message()));
}

std::optional<std::string> DescriptorMapper::Replace(const YamlNode& node, const std::string& path, bool late) {
  std::optional<std::string> text = params_->Replace(node.scalar, {path, node.text_at, node.verbatim, late}, errors_);
  if (text && *text != node.scalar) positions_->Set(path, node.text_at, /*verbatim=*/false);
  return text;
}

}  // namespace squall

#include "harness/plan/text_proto.h"

#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "faults/fault.pb.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "harness/plan/field_walk.h"

namespace squall {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

constexpr int kDeepest = 24;  // messages; the schema itself is not as deep

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(PlanErrors* errors) : errors_(errors) {}
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (line < 0) return errors_->Add({}, "", message);
    errors_->Add({line + 1, column + 1}, "", message);
  }

 private:
  PlanErrors* errors_;
};

// Where each message and its fields stand. The parser tells the place of a field's name, which is good enough.
class Places {
 public:
  Places(Message* root, TextFormat::ParseInfoTree* tree) { trees_[root] = tree; }

  std::optional<Position> Of(const WalkedField& value) {
    auto it = trees_.find(value.message);
    if (it == trees_.end() || it->second == nullptr) return std::nullopt;
    if (value.field->message_type() != nullptr) {
      const auto* reflection = value.message->GetReflection();
      const Message* child = value.index < 0
                                 ? &reflection->GetMessage(*value.message, value.field)
                                 : &reflection->GetRepeatedMessage(*value.message, value.field, value.index);
      trees_[child] = it->second->GetTreeForNested(value.field, value.index);
    }
    const TextFormat::ParseLocation at = it->second->GetLocation(value.field, value.index);
    if (at.line < 0) return std::nullopt;
    return Position{at.line + 1, at.column + 1};
  }

 private:
  std::map<const Message*, TextFormat::ParseInfoTree*> trees_;
};

void CheckKeys(plan::v1::Plan* plan, const PositionIndex& positions, PlanErrors* errors) {
  // What YAML refuses as a duplicate key is here a second element of the same name.
  std::set<std::string> seen;
  WalkFields(plan, [&](const WalkedField& value) {
    if (!value.field->options().GetExtension(faults::v1::keyed_by_name)) return;
    if (!seen.insert(value.path).second) errors->Add(positions.Nearest(value.path), value.path, "duplicate name");
  });
}

}  // namespace

bool ReadTextProto(absl::string_view text, const std::map<std::string, std::string>& sets, plan::v1::Plan* plan,
                   PlanParams* params, PositionIndex* positions, PlanErrors* errors) {
  Collector collector(errors);
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(kDeepest);
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  if (!parser.Parse(&input, plan)) return false;

  Places places(plan, &tree);
  positions->Set("", {1, 1});
  WalkFields(plan, [&](const WalkedField& value) {
    if (auto at = places.Of(value)) positions->Set(value.path, *at);
  });
  CheckKeys(plan, *positions, errors);
  for (const plan::v1::Param& param : plan->params()) {
    params->Declare(param.name(), positions->Nearest(absl::StrCat("params[", param.name(), "]")), param.value(),
                    errors);
  }
  params->Set(sets, errors);
  WalkFields(plan, [&](const WalkedField& value) {
    if (value.field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) return;
    if (value.field->containing_type() == plan::v1::Param::descriptor()) return;
    const bool late = value.field->options().GetExtension(faults::v1::late_reference);
    const TextSite site = {value.path, positions->Nearest(value.path), /*verbatim=*/false, late};
    if (auto replaced = params->Replace(GetText(value), site, errors)) SetText(value, *std::move(replaced));
  });
  return true;
}

}  // namespace squall

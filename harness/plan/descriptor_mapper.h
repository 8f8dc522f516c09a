// A YAML tree into a message, by the message's descriptor alone: a new field or fault kind needs no change here.
//
//   DescriptorMapper mapper(&params, &positions, &errors);
//   mapper.Map(*root, &plan);
//
// A mapping's keys are field names. The options in faults/fault.proto change the form: `keyed_by_name` (a mapping whose
// keys fill `name`), `scalar_field` and `mapping_field` (a message written as one value), `unit`, `late_reference`.
// Goes on after an error, so that all of a file's problems come out at once. Field paths: positions as in position.h.
#ifndef HARNESS_PLAN_DESCRIPTOR_MAPPER_H_
#define HARNESS_PLAN_DESCRIPTOR_MAPPER_H_

#include <optional>
#include <string>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "harness/plan/params.h"
#include "harness/plan/position.h"
#include "harness/plan/yaml_node.h"

namespace squall {

class DescriptorMapper {
 public:
  // None is owned; `params` are declared and set already.
  DescriptorMapper(PlanParams* params, PositionIndex* positions, PlanErrors* errors);

  void Map(const YamlNode& root, google::protobuf::Message* message);

 private:
  using Message = google::protobuf::Message;
  using Field = google::protobuf::FieldDescriptor;

  // `parent`: the message around this one, for hints; null at the root.
  void MapMessage(const YamlNode& node, Message* message, const std::string& path, const Message* parent);
  void MapShort(const YamlNode& node, Message* message, const std::string& path);
  void MapEntries(const YamlNode& node, Message* message, const std::string& path, const Message* parent);
  void MapField(const YamlNode& node, Message* message, const Field* field, const std::string& path);
  void MapKeyed(const YamlNode& node, Message* message, const Field* field, const std::string& path);
  void MapList(const YamlNode& node, Message* message, const Field* field, const std::string& path);
  void MapScalar(const YamlNode& node, Message* message, const Field* field, const std::string& path);

  std::optional<std::string> Replace(const YamlNode& node, const std::string& path, bool late);
  std::string UnknownField(const std::string& key, const Message& message, const Message* parent) const;
  void Wrong(const YamlNode& node, const std::string& path, std::string message);

  PlanParams* params_;
  PositionIndex* positions_;
  PlanErrors* errors_;
};

}  // namespace squall

#endif  // HARNESS_PLAN_DESCRIPTOR_MAPPER_H_

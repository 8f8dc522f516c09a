// Visits every field that is set in a message and names it as the loader does: "targets[support].argv[1]".
#ifndef HARNESS_PLAN_FIELD_WALK_H_
#define HARNESS_PLAN_FIELD_WALK_H_

#include <functional>
#include <string>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace squall {

// One value: a scalar, a message, or an element of a repeated field (index >= 0; -1 otherwise).
struct WalkedField {
  std::string path;
  google::protobuf::Message* message = nullptr;  // that holds it
  const google::protobuf::FieldDescriptor* field = nullptr;
  int index = -1;
};

// Parents come before their children. `visit` may change scalars; it must not add or remove elements.
void WalkFields(google::protobuf::Message* message, const std::function<void(const WalkedField&)>& visit);

// The text of a string value, and its replacement.
std::string GetText(const WalkedField& value);
void SetText(const WalkedField& value, std::string text);

}  // namespace squall

#endif  // HARNESS_PLAN_FIELD_WALK_H_

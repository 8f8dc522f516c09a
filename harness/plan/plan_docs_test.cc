// The reference page names every field of a plan.
#include <fstream>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "harness/api/plan.pb.h"

namespace squall {
namespace {

using google::protobuf::Descriptor;

void Collect(const Descriptor* type, std::set<const Descriptor*>* types) {
  if (!absl::StartsWith(type->full_name(), "squall.") || !types->insert(type).second) return;
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->message_type() != nullptr) Collect(type->field(i)->message_type(), types);
  }
}

// As a word of its own: in backquotes, or as a key in an example.
bool Names(const std::string& page, const std::string& field) {
  return absl::StrContains(page, absl::StrCat("`", field, "`")) || absl::StrContains(page, absl::StrCat(field, ":"));
}

TEST(PlanDocsTest, TheReferenceNamesEveryField) {
  std::ifstream file("docs/plan.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(page.empty());
  std::set<const Descriptor*> types;
  Collect(plan::v1::Plan::descriptor(), &types);
  EXPECT_GT(types.size(), 30u);
  for (const Descriptor* type : types) {
    for (int i = 0; i < type->field_count(); ++i) {
      const std::string& name = type->field(i)->name();
      if (name == "value" && type->full_name() == "squall.faults.v1.Ratio") continue;   // written as the share itself
      if (name == "values" && type->full_name() == "squall.plan.v1.Variant") continue;  // written as the mapping itself
      EXPECT_TRUE(Names(page, name)) << type->full_name() << "." << name;
    }
  }
}

}  // namespace
}  // namespace squall

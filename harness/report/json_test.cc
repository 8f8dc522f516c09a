#include "harness/report/json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "harness/report/sample/report.h"
#include "nlohmann/json.hpp"

namespace squall {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ReportJson, IsStable) {
  const std::string golden = ReadFile("harness/report/testdata/golden.json");
  ASSERT_FALSE(golden.empty());
  EXPECT_EQ(ReportJson(SampleReport()), golden)
      << "a field was renamed, moved or dropped. Only additions keep schema_version; then renew the golden file with\n"
         "  bazel run //harness/report/sample:page -- DIR && cp DIR/report.json harness/report/testdata/golden.json";
}

TEST(ReportJson, HasEveryDocumentedFieldInOrder) {
  const auto parsed = ordered_json::parse(ReportJson(SampleReport()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : parsed.items()) keys.push_back(key);
  const std::vector<std::string> documented = {
      "schema_version", "run_id",     "verdict", "reason",   "reason_detail",   "seed",     "plan",   "started_at",
      "duration_s",     "invariants", "faults",  "measures", "measure_details", "overhead", "replay", "conditions",
      "steps",          "targets",    "notes",   "draws",    "squall_version"};
  EXPECT_EQ(keys, documented);
  for (const char* key :
       {"name", "expression", "verdict", "margin", "margin_lo", "margin_hi", "margin_unit", "first_violation_s"}) {
    EXPECT_TRUE(parsed["invariants"][0].contains(key)) << key;
  }
  for (const char* key : {"name", "kind", "targets", "armed_s", "lifted_s", "witness"}) {
    EXPECT_TRUE(parsed["faults"][0].contains(key)) << key;
  }
  EXPECT_TRUE(parsed["faults"][0]["witness"].is_object());
}

TEST(ReportJson, EveryFieldOfTheSchemaIsThereEvenInAnEmptyReport) {
  report::v1::RunReport report;
  report.add_invariants();
  report.add_faults();
  report.add_steps();
  report.add_targets()->add_exits();
  report.add_conditions();
  const auto parsed = json::parse(ReportJson(report));
  auto expect_all = [](const google::protobuf::Descriptor* descriptor, const json& object) {
    for (int i = 0; i < descriptor->field_count(); ++i) {
      EXPECT_TRUE(object.contains(descriptor->field(i)->name())) << descriptor->field(i)->full_name();
    }
  };
  expect_all(report::v1::RunReport::descriptor(), parsed);
  expect_all(report::v1::PlanRef::descriptor(), parsed["plan"]);
  expect_all(report::v1::InvariantResult::descriptor(), parsed["invariants"][0]);
  expect_all(report::v1::FaultResult::descriptor(), parsed["faults"][0]);
  expect_all(report::v1::StepResult::descriptor(), parsed["steps"][0]);
  expect_all(report::v1::TargetResult::descriptor(), parsed["targets"][0]);
  expect_all(report::v1::Exit::descriptor(), parsed["targets"][0]["exits"][0]);
  expect_all(report::v1::ConditionResult::descriptor(), parsed["conditions"][0]);
  expect_all(report::v1::Overhead::descriptor(), parsed["overhead"]);
  expect_all(report::v1::Replay::descriptor(), parsed["replay"]);
}

TEST(ReportJson, EveryFieldIsDocumented) {
  const std::string page = ReadFile("docs/report.md");
  ASSERT_FALSE(page.empty());
  std::function<void(const json&)> expect_all = [&](const json& value) {
    for (const auto& [key, inner] : value.items()) {
      if (value.is_object()) {
        EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
      }
      // The keys of these are names of the plan, not of the schema.
      const bool by_name = key == "measures" || key == "measure_details" || key == "params" || key == "labels";
      if (inner.is_structured() && !by_name) expect_all(inner);
    }
  };
  expect_all(json::parse(ReportJson(SampleReport())));
}

TEST(ReportJson, NumbersThatDoNotExistAreNull) {
  const auto parsed = json::parse(ReportJson(SampleReport()));
  const json& vacuous = parsed["invariants"][3];
  EXPECT_TRUE(vacuous["margin"].is_null());
  EXPECT_TRUE(vacuous["margin_lo"].is_null());
  EXPECT_TRUE(vacuous["margin_hi"].is_null());
  EXPECT_TRUE(vacuous["first_violation_s"].is_null());
  EXPECT_TRUE(parsed["faults"][1]["lifted_s"].is_null());
  EXPECT_TRUE(parsed["measures"]["seconds_to_95_online"].is_null());
  EXPECT_EQ(parsed["measure_details"]["seconds_to_95_online"]["undefined_because"],
            "the invariant `recovery` never recovered");
}

TEST(ReportJson, MeasuresMapNamesToNumbers) {
  const auto parsed = json::parse(ReportJson(SampleReport()));
  EXPECT_DOUBLE_EQ(parsed["measures"]["generator_made_ratio"].get<double>(), 0.998);
  EXPECT_EQ(parsed["seed"].get<uint64_t>(), 18446744073709551557u);
}

TEST(ReportJson, BadBytesOfAPlanAreReplaced) {
  report::v1::RunReport report;
  report.set_reason_detail(
      "a\xFF"
      "b\xC3");
  report.mutable_plan()->set_name("\"quoted\" \\ \n \x01");
  auto* measure = report.add_measures();
  measure->set_name("m\xFE");
  measure->set_value(1);
  const auto parsed = json::parse(ReportJson(report), nullptr, false);
  ASSERT_FALSE(parsed.is_discarded());
  EXPECT_EQ(parsed["reason_detail"],
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(parsed["plan"]["name"], "\"quoted\" \\ \n \x01");
  EXPECT_EQ(parsed["measures"]["m\xEF\xBF\xBD"], 1);
}

TEST(ReportJson, AnUnsetVerdictIsNeverGreen) {
  report::v1::RunReport report;
  report.add_invariants();
  const auto parsed = json::parse(ReportJson(report));
  EXPECT_EQ(parsed["verdict"], "ERROR");
  EXPECT_EQ(parsed["invariants"][0]["verdict"], "UNKNOWN");
}

}  // namespace
}  // namespace squall

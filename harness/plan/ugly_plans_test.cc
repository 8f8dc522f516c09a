#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "harness/plan/loader.h"

namespace squall {
namespace {

constexpr char kFolder[] = "harness/plan/testdata/ugly/";

// A plan that somebody got wrong, where that stands, and what the message must say.
struct Ugly {
  const char* file;
  int line, column;
  const char* says;
};

constexpr Ugly kUgly[] = {
    {"unknown_field.yaml", 5, 1, "unknown field `stepps`; did you mean `steps`?"},
    {"unknown_fault_kind.yaml", 7, 42, "unknown field `dealy`; did you mean `delay`?"},
    {"field_one_level_up.yaml", 6, 38, "it belongs one level up"},
    {"unknown_target.yaml", 7, 34, "no target `sever`; did you mean `server`?"},
    {"unknown_link.yaml", 7, 34, "no link `cash`; known are `cache`"},
    {"unknown_load.yaml", 7, 34, "no load `users`"},
    {"unknown_step.yaml", 8, 22, "no step `slwo`; did you mean `slow`?"},
    {"unknown_need.yaml", 4, 31, "no target `b`"},
    {"unknown_label.yaml", 7, 51, "no label `zone` of `server`; it has none"},
    {"unknown_label_value.yaml", 6, 51, "no value `b` of `zone`"},
    {"unknown_port.yaml", 4, 70, "no port `clint` of `server`; did you mean `client`?"},
    {"unknown_chart.yaml", 5, 10, "no signal `pool`"},
    {"negative_time.yaml", 7, 19, "negative"},
    {"negative_count.yaml", 4, 40, "`-1` is negative"},
    {"time_without_unit.yaml", 7, 19, "lacks a unit"},
    {"huge_time.yaml", 7, 19, "longer than a year"},
    {"fault_too_long.yaml", 7, 20, "16 min is too long; at most 15 min"},
    {"fault_of_no_length.yaml", 7, 20, "too short"},
    {"percent_over_100.yaml", 7, 51, "over 100%"},
    {"percent_zero.yaml", 7, 51, "selects nobody"},
    {"percent_of_nobody.yaml", 7, 51, "10% of 1 of `server` selects nobody"},
    {"percent_without_sign.yaml", 7, 51, "did you mean a percentage"},
    {"count_over_all.yaml", 7, 49, "never more than 1"},
    {"count_and_percent.yaml", 7, 52, "both `count` and `percent`"},
    {"two_kinds.yaml", 7, 53, "both `hang` and `crash`"},
    {"no_kind.yaml", 7, 22, "has no kind"},
    {"no_selection.yaml", 7, 22, "hits nobody"},
    {"empty_selection.yaml", 7, 22, "hits nobody"},
    {"all_false.yaml", 7, 47, "false selects nobody"},
    {"wrong_seam.yaml", 7, 34, "acts on a link, not on a role"},
    {"hang_of_link.yaml", 7, 34, "acts on a role, not on a link"},
    {"role_and_link.yaml", 7, 27, "`role` and `link`; only one"},
    {"count_of_link.yaml", 7, 48, "picks instances of a role"},
    {"jitter_over_latency.yaml", 7, 74, "delay.jitter: must be at most the latency"},
    {"no_latency.yaml", 7, 49, "delay.latency: must be"},
    {"unknown_signal_name.yaml", 7, 59, "did you mean KILL?"},
    {"unknown_direction.yaml", 7, 74, "did you mean `downstream`?"},
    {"multiplier_nan.yaml", 7, 67, "is no number"},
    {"rate_infinite.yaml", 5, 42, "is no rate"},
    {"load_of_nothing.yaml", 5, 9, "sends nothing"},
    {"huge_number.yaml", 4, 40, "is over 4294967295"},
    {"too_many_instances.yaml", 4, 40, "at most 10000"},
    {"fraction_for_count.yaml", 4, 40, "no whole number"},
    {"text_for_number.yaml", 4, 40, "`many` is no whole number"},
    {"list_for_mapping.yaml", 4, 3, "wants a mapping from names to values, not a list"},
    {"mapping_for_list.yaml", 6, 8, "wants a list, not a mapping"},
    {"text_for_argv.yaml", 4, 18, "wants a list"},
    {"text_for_message.yaml", 5, 6, "wants a mapping with `length`"},
    {"mapping_for_text.yaml", 2, 7, "wants one value, not a mapping"},
    {"yes_for_bool.yaml", 4, 38, "neither true nor false"},
    {"nothing_for_value.yaml", 6, 5, "has no value"},
    {"root_is_a_list.yaml", 1, 1, "a plan is a mapping"},
    {"root_is_text.yaml", 1, 1, "a plan is a mapping"},
    {"empty.yaml", 1, 1, "the file is empty"},
    {"only_comments.yaml", 1, 1, "the file is empty"},
    {"two_documents.yaml", 5, 1, "a second document"},
    {"tabs.yaml", 4, 1, "a tab in the indentation"},
    {"duplicate_key.yaml", 3, 1, "duplicate key `name`; first on line 2"},
    {"duplicate_target.yaml", 5, 3, "duplicate key `server`"},
    {"duplicate_step.yaml", 8, 12, "is the name of steps[0] already"},
    {"unclosed_bracket.yaml", 3, 1, "not closed"},
    {"unclosed_quote.yaml", 2, 7, "quote that is not closed"},
    {"colon_in_text.yaml", 3, 17, "should the text be quoted"},
    {"bad_escape.yaml", 2, 12, "escape"},
    {"unknown_alias.yaml", 2, 7, "anchor"},
    {"tag.yaml", 2, 7, "tags"},
    {"alias_bomb.yaml", 7, 21, "20000 values once aliases are expanded"},
    {"alias_in_itself.yaml", 3, 13, "inside the value it stands for"},
    {"deep_nesting.yaml", 2, 22, "deeper than 16"},
    {"no_version.yaml", 1, 1, "begin with `squall: 1`"},
    {"version_two.yaml", 1, 9, "language version 2 is not known"},
    {"no_name.yaml", 1, 1, "the plan has no name"},
    {"bad_name.yaml", 2, 7, "is no name"},
    {"long_name.yaml", 2, 7, "65 characters"},
    {"no_targets.yaml", 1, 1, "no targets"},
    {"no_argv.yaml", 4, 3, "nothing says how it starts"},
    {"argv_empty.yaml", 4, 3, "nothing says how it starts"},
    {"argv_and_attach.yaml", 4, 3, "both `argv` and `attach`"},
    {"attach_nobody.yaml", 4, 29, "at least 1"},
    {"program_without_path.yaml", 4, 19, "is no path"},
    {"needs_circle.yaml", 4, 30, "a circle of `needs`: `a` -> `b` -> `a`"},
    {"steps_circle.yaml", 7, 5, "`a` -> `b` -> `a`"},
    {"steps_circle_by_order.yaml", 7, 5, "`a` -> `b` -> `a`"},
    {"step_waits_for_itself.yaml", 7, 22, "waits for itself"},
    {"two_release_rules.yaml", 8, 5, "`at` and `after`"},
    {"two_actions.yaml", 7, 5, "`fault` and `start`"},
    {"after_without_edge.yaml", 8, 22, "is no anchor"},
    {"after_minus.yaml", 8, 22, "is no anchor"},
    {"after_wrong_edge.yaml", 8, 22, "is no edge of a step"},
    {"for_without_fault.yaml", 7, 28, "no fault that could last"},
    {"spike_ramp_over_for.yaml", 7, 20, "shorter than the spike's `ramp`"},
    {"when_never.yaml", 7, 21, "can never come true"},
    {"start_unknown_role.yaml", 7, 29, "no target `mega`"},
    {"drain_more_than_all.yaml", 7, 44, "drain.count: there are never more than 1"},
    {"param_unknown.yaml", 5, 51, "nothing is known as `${bugy}`; did you mean `buggy`?"},
    {"param_unused.yaml", 3, 17, "nothing uses `${buggy}`"},
    {"param_nested.yaml", 3, 20, "refers to nothing"},
    {"param_named_like_a_reference.yaml", 3, 16, "has a meaning of its own"},
    {"reference_too_early.yaml", 2, 8, "known only when a target starts"},
    {"reference_not_closed.yaml", 4, 40, "without its `}`"},
    {"reference_to_unknown_link.yaml", 4, 33, "no link `im`"},
    {"reference_to_unknown_label.yaml", 4, 33, "no label `version` of `server`"},
    {"reference_in_a_name.yaml", 5, 3, "names are not replaced"},
    {"label_in_a_load.yaml", 5, 22, "belongs to a target"},
    {"variants_over_100.yaml", 7, 16, "add up to 110%"},
    {"variants_incomplete.yaml", 7, 16, "not every instance gets a value"},
    {"variants_two_rests.yaml", 7, 26, "a second `rest`"},
    {"variant_of_unknown.yaml", 7, 38, "no label `zone` among the variants above"},
    {"variant_reserved.yaml", 7, 13, "has a label `role` already"},
    {"link_to_nowhere.yaml", 5, 9, "leads nowhere"},
    {"regex.yaml", 4, 55, "no regular expression"},
    {"probe_asks_nothing.yaml", 4, 42, "asks nothing"},
    {"run_from_unknown.yaml", 5, 26, "no step `trigger`"},
    {"lease_too_short.yaml", 5, 14, "1 ms is too short; at least 200 ms"},
    {"expression_syntax.yaml", 6, 21, "invariants[up].expr"},
    {"expression_unknown_signal.yaml", 6, 29, "did you mean `pool`?"},
    {"expression_unknown_step.yaml", 6, 33, "trigger"},
    {"expression_in_when.yaml", 7, 33, "steps[0].when.expr"},
    {"expression_of_a_measure.yaml", 5, 31, "measures[worst].expr"},
    {"expression_empty.yaml", 5, 14, "invariants[floor]"},
    {"nul_byte.yaml", 2, 9, "byte 0x00"},
    {"not_utf8.yaml", 2, 9, "not UTF-8"},
    {"binary.yaml", 1, 1, "binary file"},
    {"bad_syntax.textproto", 3, 26, "Expected"},
    {"unknown_text_field.textproto", 3, 8, "stepps"},
    {"duplicate_text_name.textproto", 4, 1, "duplicate name"},
};

std::string All(const LoadResult& result) {
  std::string text;
  for (const PlanError& error : result.errors) absl::StrAppend(&text, FormatError(error), "\n");
  return text;
}

class UglyPlanTest : public testing::TestWithParam<Ugly> {};

TEST_P(UglyPlanTest, IsRefusedWithPlaceAndReason) {
  const LoadResult result = LoadPlanFile(absl::StrCat(kFolder, GetParam().file), {});
  ASSERT_FALSE(result.ok());
  bool found = false;
  for (const PlanError& error : result.errors) {
    found = found || (error.at == Position{GetParam().line, GetParam().column} &&
                      absl::StrContains(FormatError(error), GetParam().says));
  }
  EXPECT_TRUE(found) << "no error at " << GetParam().line << ":" << GetParam().column << " that says \""
                     << GetParam().says << "\" among\n"
                     << All(result);
}

INSTANTIATE_TEST_SUITE_P(All, UglyPlanTest, testing::ValuesIn(kUgly), [](const auto& info) {
  std::string name = info.param.file;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(UglyPlansTest, EveryFileIsInTheTable) {
  std::set<std::string> named;
  for (const Ugly& ugly : kUgly) named.insert(ugly.file);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    EXPECT_TRUE(named.contains(entry.path().filename())) << entry.path();
  }
  EXPECT_GE(named.size(), 50u);
}

long PeakKiB() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(UglyPlansTest, TenMegabytesAreRefusedUnread) {
  const std::string path = absl::StrCat(testing::TempDir(), "/ten_megabytes.yaml");
  {
    std::ofstream file(path);
    for (int i = 0; i < 1'000'000; ++i) file << "a" << i << ": 12\n";
  }
  const long before = PeakKiB();
  const LoadResult result = LoadPlanFile(path, {});
  EXPECT_LT(PeakKiB() - before, 4096);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(FormatError(result.errors[0]), absl::StrCat(path, ": longer than 256 KiB; no plan is"));
}

TEST(UglyPlansTest, AnAliasBombTakesNoMemory) {
  const long before = PeakKiB();
  EXPECT_FALSE(LoadPlanFile(absl::StrCat(kFolder, "alias_bomb.yaml"), {}).ok());
  EXPECT_LT(PeakKiB() - before, 16 * 1024);
}

TEST(UglyPlansTest, WhatIsNoFileIsNamed) {
  EXPECT_EQ(All(LoadPlanFile("nowhere.yaml", {})), "nowhere.yaml: cannot be opened: No such file or directory\n");
  EXPECT_EQ(All(LoadPlanFile(kFolder, {})), absl::StrCat(kFolder, ": is a directory, not a plan\n"));
  EXPECT_EQ(All(LoadPlanFile("/dev/zero", {})), "/dev/zero: is not a regular file\n");
  const std::string pipe = absl::StrCat(testing::TempDir(), "/pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);  // nobody will ever write to it
  EXPECT_EQ(All(LoadPlanFile(pipe, {})), absl::StrCat(pipe, ": is not a regular file\n"));
}

TEST(UglyPlansTest, AllProblemsComeOutAtOnceInTheirOrder) {
  const LoadResult result = LoadPlan(R"(squall: 1
name: ugly
targets:
  server: {argv: [/bin/server], cout: 2}
steps:
  - {name: a, at: -1s}
  - {name: b, fault: {on: {role: sever}, crash: {}}}
  - {name: b, after: c.end}
)",
                                     "f.yaml", {});
  std::vector<int> lines;
  for (const PlanError& error : result.errors) lines.push_back(error.at.line);
  EXPECT_EQ(lines, (std::vector<int>{4, 6, 7, 8, 8})) << All(result);
}

TEST(UglyPlansTest, AThousandProblemsGiveAShortAnswer) {
  std::string text = "squall: 1\nname: ugly\n";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&text, "k", i, ": 1\n");
  const LoadResult result = LoadPlan(text, "f.yaml", {});
  EXPECT_LE(result.errors.size(), 102u);
  EXPECT_EQ(result.errors[0].at, (Position{3, 1}));
  EXPECT_TRUE(absl::StrContains(All(result), "4900 more")) << result.errors.back().message;
}

TEST(UglyPlansTest, NoPrefixOfAPlanAndNoChangedByteDoesHarm) {
  std::ifstream file("harness/plan/testdata/good/outage.yaml");
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(good.size(), 1000u);
  for (size_t cut = 0; cut < good.size(); cut += 31) (void)LoadPlan(good.substr(0, cut), "f.yaml", {});
  for (size_t i = 0; i < good.size(); i += 37) {
    std::string changed = good;
    changed[i] = "{}[]:,&*\"'\n -"[i % 13];
    (void)LoadPlan(changed, "f.yaml", {});
  }
}

}  // namespace
}  // namespace squall

#include "harness/plan/schedule.h"

#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using agent::v1::TargetInfo;
using plan::v1::Plan;

constexpr int64_t kS = 1'000'000'000;
const std::map<std::string, std::string> kAddresses = {{"link.im.address", "127.0.0.1:1"}};

Plan Parse(const std::string& steps) {
  Plan plan;
  const std::string text = absl::StrCat(R"(
    targets { name: "support" argv: "/bin/s" count: 2 }
    targets { name: "node" argv: "/bin/n" count: 10 }
    targets { name: "mega" argv: "/bin/m" count: 0 }
    links { name: "im" to { role: "support" } }
    loads { name: "users" to: "127.0.0.1:1" rate: 1 } )",
                                        steps);
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plan));
  return plan;
}

std::vector<TargetInfo> Inventory() {
  std::vector<TargetInfo> inventory;
  for (const auto& [role, count] : {std::pair{"node", 10}, {"support", 2}}) {
    for (int i = 0; i < count; ++i) {
      TargetInfo& info = inventory.emplace_back();
      info.set_role(role);
      info.set_index(i);
      (*info.mutable_labels())["version"] = i < 7 ? "152" : "156";
    }
  }
  return inventory;
}

absl::StatusOr<Schedule> Make(const std::string& steps, uint64_t seed = 7) {
  return MakeSchedule(Parse(steps), Inventory(), kAddresses, "RUN", seed);
}

std::vector<std::string> Targets(const Action& action) {
  std::vector<std::string> targets;
  for (const auto& instance : action.instances) targets.push_back(instance.target());
  return targets;
}

TEST(ScheduleTest, ReleaseRulesAreAsWritten) {
  const auto schedule = Make(R"(
    steps { name: "first" }
    steps { name: "at" at { seconds: 5 } }
    steps { name: "after" after: "first.end + 30s" }
    steps { name: "from_run" after: "run.start + 2s" }
    steps { name: "when" when { expr: "online >= 99%" for { seconds: 2 } } }
    steps { name: "next" })");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  const std::vector<Action>& actions = schedule->actions;
  EXPECT_EQ(actions[0].release.kind, Release::WITH_PREVIOUS);
  EXPECT_EQ(actions[0].release.step, "");
  EXPECT_EQ(actions[1].release.kind, Release::AT);
  EXPECT_EQ(actions[1].release.offset_ns, 5 * kS);
  EXPECT_EQ(actions[2].release.kind, Release::AFTER);
  EXPECT_EQ(actions[2].release.step, "first");
  EXPECT_EQ(actions[2].release.edge, Release::END);
  EXPECT_EQ(actions[2].release.offset_ns, 30 * kS);
  EXPECT_EQ(actions[3].release.kind, Release::AT);
  EXPECT_EQ(actions[3].release.offset_ns, 2 * kS);
  EXPECT_EQ(actions[4].release.kind, Release::WHEN);
  EXPECT_EQ(actions[4].release.hold_ns, 2 * kS);
  EXPECT_EQ(actions[4].release.within_ns, 60 * kS);
  EXPECT_EQ(actions[4].release.step, "from_run");
  EXPECT_EQ(actions[5].release.kind, Release::WITH_PREVIOUS);
  EXPECT_EQ(actions[5].release.step, "when");
  EXPECT_EQ(actions[0].kind, "");
  EXPECT_EQ(actions[0].duration_ns, 0);
}

TEST(ScheduleTest, AFaultOfALinkGetsOneInstanceForEachListener) {
  const auto schedule = Make(R"(steps { name: "t" for { seconds: 6 }
      fault { on { link: "im" } delay { latency { seconds: 3 } } } })");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  const Action& action = schedule->actions[0];
  EXPECT_EQ(action.kind, "delay");
  EXPECT_EQ(action.seam, faults::v1::SEAM_LINK);
  EXPECT_EQ(action.duration_ns, 6 * kS);
  ASSERT_EQ(action.instances.size(), 2u);
  EXPECT_EQ(action.instances[0].target(), "im/0");
  EXPECT_EQ(action.instances[0].id(), "RUN/t/im/0");
  EXPECT_EQ(action.instances[1].site(), "step/t/im/1");
}

TEST(ScheduleTest, ALinkThatNobodyCarriesIsAnError) {
  const auto schedule =
      MakeSchedule(Parse(R"(steps { name: "t" fault { on { link: "im" } delay { latency { seconds: 3 } } } })"),
                   Inventory(), {}, "RUN", 7);
  EXPECT_TRUE(absl::StrContains(schedule.status().ToString(), "step `t`: no agent carries link `im`"));
}

TEST(ScheduleTest, StartAndDrainBecomeFaultsOfTheRole) {
  const auto schedule = Make(R"(
    steps { name: "more" start { role: "mega" count: 5 } }
    steps { name: "one" start { role: "mega" } }
    steps { name: "less" drain { role: "mega" count: 5 over { seconds: 120 } } }
    steps { name: "all" fault { on { role: "mega" all: true } drain {} } }
    steps { name: "some" fault { on { role: "node" percent { value: 0.35 } } drain {} } })");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  const std::vector<Action>& actions = schedule->actions;
  EXPECT_EQ(actions[0].kind, "start");
  EXPECT_EQ(actions[0].seam, faults::v1::SEAM_INSTANCES);
  ASSERT_EQ(actions[0].instances.size(), 1u);
  EXPECT_EQ(actions[0].instances[0].target(), "mega");
  EXPECT_EQ(actions[0].instances[0].count(), 5u);
  EXPECT_EQ(actions[1].instances[0].count(), 1u);
  EXPECT_EQ(actions[2].kind, "drain");
  EXPECT_GE(actions[2].duration_ns, 130 * kS);  // long enough to end, and to be killed
  EXPECT_EQ(actions[3].instances[0].count(), 6u);
  EXPECT_EQ(actions[4].instances[0].count(), 4u);
}

TEST(ScheduleTest, AnAmountIsDrawnAndLogged) {
  const auto schedule = Make(R"(steps { name: "c"
      fault { on { role: "node" percent { value: 0.3 } labels { name: "version" value: "152" } } crash {} } })");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  ASSERT_EQ(schedule->actions[0].instances.size(), 2u);  // 30 % of 7 is 2.1
  ASSERT_EQ(schedule->draws.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(schedule->draws[i].site(), "step/c");
    EXPECT_LT(schedule->draws[i].value(), 7);
    EXPECT_EQ(schedule->actions[0].instances[i].target(), absl::StrCat("node/", schedule->draws[i].value()));
  }
}

TEST(ScheduleTest, TheSameSeedChoosesTheSameTargetsInWhateverOrderAgentsTellThem) {
  const std::string steps = R"(steps { name: "c" fault { on { role: "node" count: 3 } crash {} } })";
  std::vector<TargetInfo> reversed = Inventory();
  std::reverse(reversed.begin(), reversed.end());
  const auto first = Make(steps);
  const auto again = MakeSchedule(Parse(steps), reversed, kAddresses, "OTHER", 7);
  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(Targets(first->actions[0]), Targets(again->actions[0]));
  std::set<std::vector<std::string>> seen;
  for (uint64_t seed = 0; seed < 10; ++seed) seen.insert(Targets(Make(steps, seed)->actions[0]));
  EXPECT_GT(seen.size(), 3u);
}

TEST(ScheduleTest, EditingOneStepLeavesTheTargetsOfTheOthersAlone) {
  const std::string b = R"(steps { name: "b" fault { on { role: "node" count: 4 } hang {} } })";
  const auto before = Make(R"(steps { name: "a" fault { on { role: "node" count: 1 } crash {} } })" + b);
  const auto after =
      Make(R"(steps { name: "new" } steps { name: "a" fault { on { role: "node" count: 5 } crash {} } })" + b);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(Targets(before->actions[1]), Targets(after->actions[2]));
}

TEST(ScheduleTest, APercentageThatSelectsNobodyNamesTheStep) {
  const auto crash = Make(R"(steps { name: "c" fault { on { role: "node" percent { value: 0.01 } } crash {} } })");
  EXPECT_TRUE(absl::StrContains(crash.status().ToString(), "step `c`: ")) << crash.status();
  EXPECT_TRUE(absl::StrContains(crash.status().ToString(), "nobody")) << crash.status();
  const auto drain = Make(R"(steps { name: "d" fault { on { role: "node" percent { value: 0.01 } } drain {} } })");
  EXPECT_TRUE(absl::StrContains(drain.status().ToString(), "step `d`: 1% of 10 instances of `node` is nobody"))
      << drain.status();
}

TEST(ScheduleTest, ALiveSelectionIsDrawnWhenItIsReleased) {
  const std::string steps = R"(steps { name: "c" fault { on { role: "node" count: 1 live: true } crash {} } })";
  const auto schedule = Make(steps);
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  const Action& action = schedule->actions[0];
  EXPECT_TRUE(action.live);
  EXPECT_TRUE(action.instances.empty());
  std::vector<TargetInfo> running = {Inventory()[4]};
  const auto instances = ResolveInstances(Parse(steps), action, running, "RUN", 7, nullptr);
  ASSERT_TRUE(instances.ok()) << instances.status();
  ASSERT_EQ(instances->size(), 1u);
  EXPECT_EQ((*instances)[0].target(), "node/4");
}

TEST(ScheduleTest, ALoadIsHitAsAWhole) {
  const auto schedule = Make(R"(steps { name: "s" fault { on { load: "users" } load_spike { multiplier: 3 } } })");
  ASSERT_TRUE(schedule.ok()) << schedule.status();
  EXPECT_EQ(schedule->actions[0].instances[0].target(), "users");
  EXPECT_EQ(schedule->actions[0].duration_ns, 60 * kS);
}

}  // namespace
}  // namespace squall

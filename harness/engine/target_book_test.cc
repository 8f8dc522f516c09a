#include "harness/engine/target_book.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "harness/engine/roster.h"

namespace squall::run {
namespace {

using agent::v1::TargetEdge;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

plan::v1::Plan PlanOf(const std::string& text) {
  plan::v1::Plan plan;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plan));
  return plan;
}

agent::v1::TargetInfo Info(const std::string& role, uint32_t index, uint32_t incarnation = 0) {
  agent::v1::TargetInfo info;
  info.set_role(role);
  info.set_index(index);
  info.set_incarnation(incarnation);
  info.set_agent("local");
  return info;
}

TargetEdge Edge(const agent::v1::TargetInfo& info, TargetEdge::Edge edge, int code = 0, int signal = 0) {
  TargetEdge out;
  *out.mutable_target() = info;
  out.set_edge(edge);
  out.set_at_ns(10);
  out.set_cause(edge == TargetEdge::EXITED ? "by itself" : "");
  out.set_code(code);
  out.set_signal(signal);
  return out;
}

TEST(TargetBookTest, WaitsForEachTargetAndSaysWhichIsMissing) {
  const auto plan = PlanOf(R"(targets { name: "server" count: 2 })");
  TargetBook book(plan);
  EXPECT_TRUE(book.Add(Info("server", 0)));
  EXPECT_TRUE(book.Add(Info("server", 1)));
  EXPECT_FALSE(book.AllReady());
  book.OnEdge(Edge(Info("server", 0, 1), TargetEdge::READY));
  EXPECT_THAT(book.NotReady(), ElementsAre("server/1: not started"));
  book.OnEdge(Edge(Info("server", 1, 1), TargetEdge::STARTED));
  EXPECT_THAT(book.NotReady(), ElementsAre("server/1: started, but not ready"));
  book.OnEdge(Edge(Info("server", 1, 1), TargetEdge::READY));
  EXPECT_TRUE(book.AllReady());
}

TEST(TargetBookTest, InstancesThatStepsStartDoNotHoldTheStartBack) {
  const auto plan = PlanOf(R"(targets { name: "mega" count: 0 })");
  TargetBook book(plan);
  book.Add(Info("mega", 0));
  EXPECT_TRUE(book.AllReady());
  book.OnEdge(Edge(Info("mega", 1, 1), TargetEdge::STARTED));
  EXPECT_THAT(book.Results(0), SizeIs(2)) << "one that nobody listed";
}

TEST(TargetBookTest, AJobIsReadyOnceItExitedWithZeroAndCountsOnlyIfNeeded) {
  const auto plan = PlanOf(R"(targets { name: "setup" job: true } targets { name: "server" needs: "setup" }
                              targets { name: "driver" job: true needs: "server" })");
  TargetBook book(plan);
  for (const char* role : {"setup", "server", "driver"}) book.Add(Info(role, 0));
  book.OnEdge(Edge(Info("setup", 0, 1), TargetEdge::STARTED));
  EXPECT_THAT(book.NotReady(), SizeIs(2)) << "the driver runs beside the faults";
  book.OnEdge(Edge(Info("setup", 0, 1), TargetEdge::EXITED));
  book.OnEdge(Edge(Info("server", 0, 1), TargetEdge::READY));
  EXPECT_TRUE(book.AllReady());
}

TEST(TargetBookTest, AFailedSetUpJobIsHopeless) {
  const auto plan = PlanOf(R"(targets { name: "setup" job: true } targets { name: "server" needs: "setup" })");
  TargetBook book(plan);
  book.Add(Info("setup", 0));
  book.OnEdge(Edge(Info("setup", 0, 1), TargetEdge::EXITED, 3));
  ASSERT_TRUE(book.Hopeless());
  EXPECT_THAT(*book.Hopeless(), HasSubstr("setup/0: exited with code 3"));
}

TEST(TargetBookTest, ARestartPolicyKeepsHopeUpToItsLimit) {
  const auto plan = PlanOf(R"(targets { name: "server" restart { when: ON_CRASH at_most: 1 } })");
  TargetBook book(plan);
  book.Add(Info("server", 0));
  book.OnEdge(Edge(Info("server", 0, 1), TargetEdge::EXITED, 0, 11));
  EXPECT_FALSE(book.Hopeless());
  book.OnEdge(Edge(Info("server", 0, 2), TargetEdge::STARTED));
  book.OnEdge(Edge(Info("server", 0, 2), TargetEdge::EXITED, 0, 11));
  EXPECT_TRUE(book.Hopeless());
}

TEST(TargetBookTest, LateAndRepeatedEdgesOfAnOlderIncarnationChangeNothing) {
  const auto plan = PlanOf(R"(targets { name: "server" restart { when: ALWAYS } })");
  TargetBook book(plan);
  book.Add(Info("server", 0));
  book.OnEdge(Edge(Info("server", 0, 2), TargetEdge::READY));
  book.OnEdge(Edge(Info("server", 0, 1), TargetEdge::EXITED, 0, 9));
  book.OnEdge(Edge(Info("server", 0, 1), TargetEdge::EXITED, 0, 9));
  EXPECT_TRUE(book.AllReady());
  book.OnEdge(Edge(Info("server", 0, 2), TargetEdge::EXITED, 1));
  book.OnEdge(Edge(Info("server", 0, 2), TargetEdge::READY));
  EXPECT_FALSE(book.AllReady()) << "it was ready before it exited";
  const auto results = book.Results(0);
  EXPECT_THAT(results[0].exits(), SizeIs(2));
  EXPECT_EQ(results[0].incarnations(), 2);
}

TEST(TargetBookTest, ATargetOfTwoAgentsIsAConflict) {
  const auto plan = PlanOf(R"(targets { name: "server" })");
  TargetBook book(plan);
  EXPECT_TRUE(book.Add(Info("server", 0)));
  auto other = Info("server", 0);
  other.set_agent("else");
  EXPECT_FALSE(book.Add(other));
  EXPECT_EQ(book.AgentOf("server/0"), "local");
  EXPECT_EQ(book.AgentOf("server/1"), "");
}

TEST(RosterTest, TheGeneralAgentStartsWhatIsNotAttachedAndCarriesLinks) {
  const auto plan = PlanOf(R"(targets { name: "server" attach { expect: 1 } } targets { name: "client" }
                              links { name: "im" })");
  Roster roster(plan, 30);
  roster.Join("s", "server", {"link"});
  EXPECT_THAT(roster.Missing(), SizeIs(1));
  roster.Join("g", "", {});
  roster.Join("idle", "", {});
  EXPECT_THAT(roster.Missing(), IsEmpty());
  roster.Assign();
  EXPECT_THAT(roster.members(), SizeIs(2)) << "one that has nothing to do is left alone";
  EXPECT_EQ(roster.carrier()->name, "g");
  EXPECT_EQ(roster.OwnerOfRole("client")->name, "g");
  EXPECT_EQ(roster.OwnerOfRole("server")->name, "s");
  EXPECT_FALSE(roster.Join("late", "", {}));
  EXPECT_FALSE(roster.Lose("idle"));
}

TEST(RosterTest, ARepeatedNameJoinsOnce) {
  const auto plan = PlanOf(R"(targets { name: "server" attach { expect: 2 } })");
  Roster roster(plan, 30);
  roster.Join("s", "server", {});
  roster.Join("s", "server", {});
  EXPECT_THAT(roster.Missing(), SizeIs(1));
}

}  // namespace
}  // namespace squall::run

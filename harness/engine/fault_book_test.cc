#include "harness/engine/fault_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace squall::run {
namespace {

using agent::v1::FaultEdge;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FaultEdge Edge(const std::string& instance, FaultEdge::Edge edge, int64_t at, const std::string& why = "",
               uint32_t incarnation = 1) {
  FaultEdge out;
  out.set_action("hang");
  out.set_instance(instance);
  out.set_edge(edge);
  out.set_at_ns(at);
  out.set_planned_ns(95);
  out.set_why(why);
  out.set_incarnation(incarnation);
  if (edge == FaultEdge::LIFTED) {
    out.mutable_witness()->set_effective(true);
    out.mutable_witness()->set_gone(true);
    out.mutable_witness()->set_count(2);
  }
  return out;
}

class FaultBookTest : public ::testing::Test {
 protected:
  FaultBookTest() {
    std::vector<agent::v1::FaultInstance> instances(2);
    instances[0].set_id("a");
    instances[0].set_target("server/0");
    instances[1].set_id("b");
    instances[1].set_target("server/1");
    book_.Plan("hang", "hang", instances);
  }
  FaultBook book_;
};

TEST_F(FaultBookTest, IsArmedWhenAllInstancesAreAndLiftedWhenAllAre) {
  book_.OnEdge(Edge("a", FaultEdge::ARMED, 100));
  EXPECT_FALSE(book_.ArmedSpan("hang"));
  EXPECT_THAT(book_.NotArmed("hang"), ElementsAre("server/1"));
  EXPECT_TRUE(book_.AnyArmed("hang"));
  book_.OnEdge(Edge("b", FaultEdge::ARMED, 130));
  ASSERT_TRUE(book_.ArmedSpan("hang"));
  EXPECT_EQ(book_.ArmedSpan("hang")->lo, 100);
  EXPECT_EQ(book_.ArmedSpan("hang")->hi, 130);
  book_.OnEdge(Edge("b", FaultEdge::LIFTED, 200));
  EXPECT_FALSE(book_.LiftedSpan("hang"));
  EXPECT_THAT(book_.NotLifted("hang"), ElementsAre("server/0"));
  book_.OnEdge(Edge("a", FaultEdge::LIFTED, 210));
  EXPECT_EQ(book_.LiftedSpan("hang")->hi, 210);
  EXPECT_THAT(book_.Live(), IsEmpty());
  EXPECT_THAT(book_.Review(), IsEmpty());
}

TEST_F(FaultBookTest, RepeatedEdgesCountOnce) {
  for (int i = 0; i < 3; ++i) book_.OnEdge(Edge("a", FaultEdge::ARMED, 100));
  for (int i = 0; i < 3; ++i) book_.OnEdge(Edge("a", FaultEdge::LIFTED, 200));
  book_.OnEdge(Edge("a", FaultEdge::ARMED, 100));
  EXPECT_FALSE(book_.AnyArmed("hang"));
  EXPECT_EQ(book_.Result("hang", 0).witness().count(), 2);
}

TEST_F(FaultBookTest, AFaultThatFollowsItsTargetIsLiveAgain) {
  book_.OnEdge(Edge("a", FaultEdge::ARMED, 100));
  book_.OnEdge(Edge("a", FaultEdge::LIFTED, 150, "target_exited"));
  EXPECT_FALSE(book_.AnyArmed("hang"));
  book_.OnEdge(Edge("a", FaultEdge::ARMED, 160, "", /*incarnation=*/2));
  EXPECT_TRUE(book_.AnyArmed("hang"));
  book_.OnEdge(Edge("a", FaultEdge::LIFTED, 200, "lifted", 2));
  EXPECT_FALSE(book_.AnyArmed("hang"));
  EXPECT_EQ(book_.Result("hang", 0).witness().count(), 4) << "both lives count";
}

TEST_F(FaultBookTest, ALapseAndALostHostAreFindings) {
  book_.OnEdge(Edge("a", FaultEdge::ARMED, 100));
  auto bad = book_.OnEdge(Edge("a", FaultEdge::LIFTED, 150, "lease"));
  ASSERT_THAT(bad, SizeIs(1));
  EXPECT_EQ(bad[0].code, "fault_lapsed");
  EXPECT_EQ(bad[0].detail, "hang on server/0");
  EXPECT_THAT(book_.OnEdge(Edge("a", FaultEdge::LIFTED, 150, "lease")), IsEmpty());
  book_.OnEdge(Edge("b", FaultEdge::ARMED, 100));
  bad = book_.OnEdge(Edge("b", FaultEdge::LIFTED, 150, "host_lost"));
  ASSERT_THAT(bad, SizeIs(1));
  EXPECT_EQ(bad[0].code, "fault_host_lost");
  EXPECT_EQ(book_.Result("hang", 0).ended_by(), "lapsed");
}

TEST_F(FaultBookTest, AFailureBeforeAndAfterArmingAreToldApart) {
  auto bad = book_.OnEdge(Edge("a", FaultEdge::FAILED, 100, "ESRCH"));
  ASSERT_THAT(bad, SizeIs(1));
  EXPECT_EQ(bad[0].code, "fault_not_armed");
  book_.OnEdge(Edge("b", FaultEdge::ARMED, 100));
  bad = book_.OnEdge(Edge("b", FaultEdge::FAILED, 120, "undo failed"));
  ASSERT_THAT(bad, SizeIs(1));
  EXPECT_EQ(bad[0].code, "fault_not_lifted");
  EXPECT_EQ(book_.Result("hang", 0).error(), "server/0: ESRCH; server/1: undo failed");
}

TEST_F(FaultBookTest, ATargetThatExitedTookItsFaultWithIt) {
  book_.OnEdge(Edge("a", FaultEdge::ARMED, 100));
  FaultEdge edge = Edge("a", FaultEdge::LIFTED, 150, "target_exited");
  edge.mutable_witness()->set_gone(false);
  book_.OnEdge(edge);
  EXPECT_THAT(book_.Review(), IsEmpty());
}

TEST_F(FaultBookTest, StrangersAreCountedAndChangeNothing) {
  book_.OnEdge(Edge("c", FaultEdge::ARMED, 100));
  FaultEdge other = Edge("a", FaultEdge::ARMED, 100);
  other.set_action("nobody");
  book_.OnEdge(other);
  book_.OnEdge(Edge("a", FaultEdge::EDGE_UNSPECIFIED, 100));
  EXPECT_EQ(book_.strays(), 3);
  EXPECT_FALSE(book_.EverArmed("hang"));
  EXPECT_FALSE(book_.ArmedSpan("nobody"));
  EXPECT_EQ(book_.Result("nobody", 0).name(), "nobody");
}

TEST_F(FaultBookTest, TheResultIsRelativeAndTellsTheWorstSkew) {
  book_.OnEdge(Edge("a", FaultEdge::ARMED, 5'000'000'095));
  book_.OnEdge(Edge("b", FaultEdge::ARMED, 3'000'000'095));
  const auto result = book_.Result("hang", 1'000'000'095);
  EXPECT_DOUBLE_EQ(result.armed_s(), 4);
  EXPECT_FALSE(result.has_lifted_s());
  EXPECT_DOUBLE_EQ(result.arm_skew_ms(), 5000);
}

}  // namespace
}  // namespace squall::run

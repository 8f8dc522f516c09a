#include "harness/cli/fault_flags.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

ByHandFlags Delay() {
  ByHandFlags flags;
  flags.kind = "delay";
  flags.on = "link=in";
  flags.for_ = "1m30s";
  flags.parameters = {"latency=200ms", "jitter=50ms", "direction=downstream"};
  return flags;
}

std::string ErrorOf(const ByHandFlags& flags) {
  const auto request = ParseArm(flags);
  EXPECT_FALSE(request.ok());
  return std::string(request.status().message());
}

TEST(ArmFlags, ReadUnitsAsPlansDo) {
  const auto request = ParseArm(Delay());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->duration_ns(), 90'000'000'000);
  EXPECT_EQ(request->fault().delay().latency().nanos(), 200'000'000);
  EXPECT_EQ(request->fault().delay().direction(), faults::v1::DOWNSTREAM);
  EXPECT_EQ(request->fault().on().link(), "in");
}

TEST(ArmFlags, ReadSelectionsWithLabelsAndShares) {
  ByHandFlags flags;
  flags.kind = "hang";
  flags.on = "role=server,percent=50%,label.version=5.0.0.152";
  flags.for_ = "5s";
  const auto request = ParseArm(flags);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->fault().on().percent().value(), 0.5);
  EXPECT_EQ(request->fault().on().labels(0).value(), "5.0.0.152");
}

TEST(ArmFlags, NameTheNearestFieldAndKind) {
  ByHandFlags typo = Delay();
  typo.parameters = {"latncy=1s"};
  EXPECT_NE(ErrorOf(typo).find("latency"), std::string::npos);
  ByHandFlags kind = Delay();
  kind.kind = "dealy";
  EXPECT_NE(ErrorOf(kind).find("delay"), std::string::npos);
}

TEST(ArmFlags, RefuseWhatPlansRefuse) {
  ByHandFlags jitter = Delay();
  jitter.parameters = {"latency=100ms", "jitter=300ms"};
  EXPECT_NE(ErrorOf(jitter).find("jitter"), std::string::npos);
  ByHandFlags nobody = Delay();
  nobody.on = "";
  EXPECT_FALSE(ParseArm(nobody).ok());
  ByHandFlags injected = Delay();
  injected.parameters = {"latency=1s\", jitter: \"1s"};
  EXPECT_FALSE(ParseArm(injected).ok());
  ByHandFlags duration = Delay();
  duration.for_ = "soon";
  EXPECT_FALSE(ParseArm(duration).ok());
}

}  // namespace
}  // namespace squall

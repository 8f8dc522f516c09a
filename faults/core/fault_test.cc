#include "faults/core/fault.h"

#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace squall {
namespace {

ArmedFault Counting(int* lifts) {
  return ArmedFault(
      [lifts] {
        ++*lifts;
        return absl::OkStatus();
      },
      [lifts] {
        faults::v1::Witness witness;
        witness.set_gone(*lifts > 0);
        return witness;
      });
}

TEST(ArmedFaultTest, LiftsWhenItGoesOutOfScope) {
  int lifts = 0;
  {
    ArmedFault armed = Counting(&lifts);
    EXPECT_TRUE(armed.armed());
    EXPECT_EQ(lifts, 0);
  }
  EXPECT_EQ(lifts, 1);
}

TEST(ArmedFaultTest, LiftingTwiceUndoesOnce) {
  int lifts = 0;
  ArmedFault armed = Counting(&lifts);
  EXPECT_TRUE(armed.Lift().ok());
  EXPECT_FALSE(armed.armed());
  EXPECT_TRUE(armed.Lift().ok());
  EXPECT_EQ(lifts, 1);
  EXPECT_TRUE(armed.Observe().gone()) << "the witness outlives the lift";
}

TEST(ArmedFaultTest, AFailedUndoStaysArmedAndIsTriedAgain) {
  int tries = 0;
  {
    ArmedFault armed([&] { return ++tries < 3 ? absl::UnavailableError("not yet") : absl::OkStatus(); }, nullptr);
    EXPECT_EQ(armed.Lift(), absl::UnavailableError("not yet"));
    EXPECT_TRUE(armed.armed());
    EXPECT_FALSE(armed.Lift().ok());
  }
  EXPECT_EQ(tries, 3) << "its destruction tries once more";
}

TEST(ArmedFaultTest, MovingHandsOverTheUndo) {
  int lifts = 0;
  ArmedFault first = Counting(&lifts);
  ArmedFault second = std::move(first);
  EXPECT_FALSE(first.armed());
  EXPECT_TRUE(first.Lift().ok());
  EXPECT_EQ(lifts, 0);
  std::vector<ArmedFault> several;
  several.push_back(std::move(second));
  several.emplace_back();
  several.reserve(100);
  EXPECT_EQ(lifts, 0);
  several.clear();
  EXPECT_EQ(lifts, 1);
}

TEST(ArmedFaultTest, AssigningOverAnArmedFaultLiftsIt) {
  int old_lifts = 0, new_lifts = 0;
  ArmedFault armed = Counting(&old_lifts);
  armed = Counting(&new_lifts);
  EXPECT_EQ(old_lifts, 1);
  EXPECT_EQ(new_lifts, 0);
  ArmedFault& same = armed;
  armed = std::move(same);
  EXPECT_TRUE(armed.armed());
  EXPECT_EQ(new_lifts, 0);
}

TEST(ArmedFaultTest, NothingArmedIsHarmless) {
  ArmedFault none;
  EXPECT_FALSE(none.armed());
  EXPECT_TRUE(none.Lift().ok());
  EXPECT_FALSE(none.Observe().effective());
}

TEST(ArmContextTest, ADeadlineThatIsNotAheadIsRefused) {
  SimulatedClock clock;
  ArmContext context;
  EXPECT_FALSE(CheckContext(context).ok()) << "no clock";
  context.clock = &clock;
  EXPECT_FALSE(CheckContext(context).ok()) << "no deadline: nothing would end the fault";
  context.deadline_ns = clock.Now();
  EXPECT_FALSE(CheckContext(context).ok());
  context.deadline_ns = clock.Now() + 1;
  EXPECT_TRUE(CheckContext(context).ok());
}

}  // namespace
}  // namespace squall

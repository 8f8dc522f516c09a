#include "faults/catalog.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

using faults::v1::Fault;

// A fault with its i-th kind set and all parameters at their defaults.
Fault OfKind(int i) {
  Fault fault;
  const auto* field = Fault::descriptor()->FindOneofByName("kind")->field(i);
  fault.GetReflection()->MutableMessage(&fault, field);
  return fault;
}

TEST(CatalogTest, EveryKindHasASeamAndIsMade) {
  ASSERT_FALSE(KindNames().empty());
  for (size_t i = 0; i < KindNames().size(); ++i) {
    const Fault fault = OfKind(i);
    EXPECT_EQ(KindName(fault), KindNames()[i]);
    const auto seam = SeamOf(fault);
    ASSERT_TRUE(seam.ok());
    EXPECT_NE(*seam, faults::v1::SEAM_UNSPECIFIED) << KindNames()[i] << " names no seam in fault.proto";
    // With defaults a kind is made or says which parameter it needs; it is never unknown.
    const auto made = MakeFault(fault);
    if (!made.ok()) {
      EXPECT_NE(std::string(made.status().message()).substr(0, 5), "kind:") << made.status();
    }
  }
}

TEST(CatalogTest, SeamsAreThoseThatTheHostsOffer) {
  Fault fault;
  fault.mutable_crash();
  EXPECT_EQ(*SeamOf(fault), faults::v1::SEAM_PROCESS);
  fault.mutable_delay();
  EXPECT_EQ(*SeamOf(fault), faults::v1::SEAM_LINK);
  fault.mutable_load_spike();
  EXPECT_EQ(*SeamOf(fault), faults::v1::SEAM_LOAD);
  EXPECT_EQ(KindName(fault), "load_spike");
  fault.mutable_drain();
  EXPECT_EQ(*SeamOf(fault), faults::v1::SEAM_INSTANCES);
}

TEST(CatalogTest, AFaultOfNoKindIsRefusedWithTheListOfKinds) {
  const Fault none;
  EXPECT_EQ(KindName(none), "");
  EXPECT_EQ(MakeFault(none).status().message(),
            "kind: none is set; one of crash, hang, delay, load_spike, start, drain");
  EXPECT_FALSE(SeamOf(none).ok());
}

}  // namespace
}  // namespace squall

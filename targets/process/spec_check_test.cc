#include "targets/process/spec_check.h"

#include <cmath>
#include <functional>
#include <string>

#include "gtest/gtest.h"

namespace squall {
namespace {

TargetSpec Spec(const std::string& role, std::vector<std::string> needs = {}) {
  TargetSpec spec;
  spec.role = role;
  spec.argv = {"/bin/true"};
  spec.needs = std::move(needs);
  return spec;
}

std::string Error(const std::function<void(TargetSpec*)>& change) {
  TargetSpec spec = Spec("server");
  change(&spec);
  return std::string(CheckSpec(spec).message());
}

std::string Roles(const std::vector<TargetSpec>& specs) {
  std::vector<const TargetSpec*> all;
  for (const TargetSpec& spec : specs) all.push_back(&spec);
  return std::string(CheckRoles(all).message());
}

TEST(CheckSpecTest, APlainSpecPasses) {
  EXPECT_EQ(Error([](TargetSpec*) {}), "");
}

TEST(CheckSpecTest, NamesThatWouldLeaveTheirDirectoryAreRefused) {
  for (const char* role : {"", "..", "a/b", "a.b", "a b", "ä"}) {
    EXPECT_NE(Error([&](TargetSpec* s) { s->role = role; }), "") << role;
  }
  EXPECT_NE(Error([](TargetSpec* s) { s->role = std::string(65, 'a'); }), "");
}

TEST(CheckSpecTest, EachErrorNamesRoleAndField) {
  EXPECT_EQ(Error([](TargetSpec* s) { s->argv.clear(); }), "role server: argv is empty");
  EXPECT_EQ(Error([](TargetSpec* s) { s->argv = {""}; }), "role server: argv is empty");
  EXPECT_EQ(Error([](TargetSpec* s) { s->ports = {"a", "a"}; }), "role server: ports: a stands there twice");
  EXPECT_EQ(Error([](TargetSpec* s) { s->fixed_ports = {{"p", "localhost:1"}}; }),
            "role server: port p: not a numeric HOST:PORT: \"localhost:1\"");
  EXPECT_EQ(Error([](TargetSpec* s) { s->ready = {.how = Readiness::TCP_CONNECT, .port = "admin"}; }),
            "role server: ready: it has no port named admin");
  EXPECT_EQ(Error([](TargetSpec* s) {
              s->ports.clear();
              s->ready.how = Readiness::GRPC_HEALTH;
            }),
            "role server: ready: it has no port to ask");
  EXPECT_EQ(Error([](TargetSpec* s) { s->ready.within_ns = 0; }), "role server: ready: within: must be more than 0");
  EXPECT_EQ(Error([](TargetSpec* s) { s->restart.jitter = 1.5; }),
            "role server: restart: jitter: must be from 0 % to 100 %, is 150 %");
  EXPECT_NE(Error([](TargetSpec* s) { s->restart.jitter = std::nan(""); }), "");
  EXPECT_NE(Error([](TargetSpec* s) { s->restart.after_ns = -1; }), "");
  EXPECT_EQ(Error([](TargetSpec* s) { s->events = {{"", "x"}}; }), "role server: events: an event needs a name");
}

TEST(CheckRolesTest, ACycleOfNeedsIsNamed) {
  EXPECT_EQ(Roles({Spec("a", {"b"}), Spec("b", {"c"}), Spec("c", {"a"})}),
            "role a: needs: a cycle: a needs b needs c needs a");
  EXPECT_EQ(Roles({Spec("x"), Spec("a", {"a"})}), "role a: needs: a cycle: a needs a");
}

TEST(CheckRolesTest, ADiamondIsNoCycle) {
  EXPECT_EQ(Roles({Spec("a", {"b", "c"}), Spec("b", {"d"}), Spec("c", {"d"}), Spec("d")}), "");
}

TEST(CheckRolesTest, ANeedOfAnotherAgentsRolePassesAndATwiceGivenRoleDoesNot) {
  EXPECT_EQ(Roles({Spec("a", {"elsewhere"})}), "");
  EXPECT_EQ(Roles({Spec("a"), Spec("a")}), "role a: is given twice");
}

}  // namespace
}  // namespace squall

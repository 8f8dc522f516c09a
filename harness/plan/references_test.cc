#include "harness/plan/references.h"

#include <map>

#include "gtest/gtest.h"

namespace squall {
namespace {

std::optional<std::string> Lookup(const std::string& name) {
  static const std::map<std::string, std::string> values = {{"port", "127.0.0.1:7"}, {"label.version", "5.0.0.152"}};
  auto it = values.find(name);
  if (it == values.end()) return std::nullopt;
  return it->second;
}

TEST(ReferencesTest, ReferencesAreReplacedAndEscapesUndone) {
  EXPECT_EQ(*ExpandLate("--port=${port} v${label.version}", Lookup), "--port=127.0.0.1:7 v5.0.0.152");
  EXPECT_EQ(*ExpandLate("$${port} $5 ${port}", Lookup), "${port} $5 127.0.0.1:7");
  EXPECT_EQ(*ExpandLate("", Lookup), "");
}

TEST(ReferencesTest, WhatNamesNothingIsRefused) {
  EXPECT_FALSE(ExpandLate("${prot}", Lookup).ok());
  EXPECT_FALSE(ExpandLate("${port", Lookup).ok());
  EXPECT_FALSE(ExpandLate("${}", Lookup).ok());
}

TEST(ReferencesTest, LateNamesAreTakenApart) {
  EXPECT_EQ(ParseLateName("link.im.address")->name, "im");
  EXPECT_EQ(ParseLateName("target.super.node.addresses")->name, "super.node");
  EXPECT_EQ(ParseLateName("port")->kind, "port");
  EXPECT_EQ(ParseLateName("label.version")->name, "version");
  for (const char* name :
       {"", "link", "link.", "link.im", "link..address", "target.x.port", "bin.", "nope.x", "ports"}) {
    EXPECT_FALSE(ParseLateName(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace squall

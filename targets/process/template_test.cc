#include "targets/process/template.h"

#include "gtest/gtest.h"

namespace squall {
namespace {

const std::map<std::string, std::string> kVariables = {
    {"port", "4000"}, {"port.admin", "4001"}, {"label.version", "5.0.0.152"}, {"empty", ""}, {"tricky", "${port}"}};

std::string Fill(std::string_view text) {
  const auto filled = FillTemplate(text, kVariables);
  return filled.ok() ? *filled : "error: " + std::string(filled.status().message());
}

TEST(TemplateTest, ReferencesAreReplacedWhereverTheyStand) {
  EXPECT_EQ(Fill("--port=${port}"), "--port=4000");
  EXPECT_EQ(Fill("${port}${port.admin}x${label.version}"), "40004001x5.0.0.152");
  EXPECT_EQ(Fill("a${empty}b"), "ab");
  EXPECT_EQ(Fill("plain $ text {} $port }"), "plain $ text {} $port }");
  EXPECT_EQ(Fill(""), "");
}

TEST(TemplateTest, WhatWasFilledInIsNotFilledAgain) { EXPECT_EQ(Fill("${tricky}"), "${port}"); }

TEST(TemplateTest, ADoubledDollarStandsForItself) {
  EXPECT_EQ(Fill("$${port}"), "${port}");
  EXPECT_EQ(Fill("a$${port} ${port}"), "a${port} 4000");
}

TEST(TemplateTest, UnknownReferencesAreNamedWithTheirNearMatch) {
  EXPECT_EQ(Fill("${prot}"), "error: nothing is known as ${prot}; did you mean ${port}?");
  EXPECT_EQ(Fill("${bin.server}"), "error: nothing is known as ${bin.server}");
  EXPECT_EQ(Fill("${}"), "error: nothing is known as ${}");
  EXPECT_EQ(Fill("a ${port"), "error: \"a ${port\": ${ without }");
}

}  // namespace
}  // namespace squall

#include "harness/plan/yaml_reader.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

struct Outcome {
  YamlNodePtr root;
  std::vector<PlanError> errors;
};

Outcome Read(const std::string& text) {
  PlanErrors errors("f.yaml");
  YamlNodePtr root = ReadYaml(text, &errors);
  return {root, errors.Take()};
}

std::string FirstError(const std::string& text) {
  const Outcome outcome = Read(text);
  return outcome.errors.empty() ? "" : FormatError(outcome.errors.front());
}

TEST(YamlReaderTest, EveryPartKnowsItsPlace) {
  const Outcome outcome = Read("a: 1\nb:\n  - 'x'\n  - {c: d}\n");
  ASSERT_TRUE(outcome.errors.empty());
  ASSERT_EQ(outcome.root->entries.size(), 2u);
  EXPECT_EQ(outcome.root->entries[1].at, (Position{2, 1}));
  const YamlNode& list = *outcome.root->entries[1].value;
  EXPECT_EQ(list.items[0]->at, (Position{3, 5}));
  EXPECT_EQ(list.items[0]->text_at, (Position{3, 6}));
  EXPECT_TRUE(list.items[0]->verbatim);
  EXPECT_EQ(list.items[1]->entries[0].value->at, (Position{4, 9}));
  EXPECT_EQ(outcome.root->size, 6u);
  EXPECT_EQ(outcome.root->depth, 4);
}

TEST(YamlReaderTest, AnchorsAndMergesWork) {
  const Outcome outcome = Read("base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\nagain: *b\n");
  ASSERT_TRUE(outcome.errors.empty());
  const YamlNode& use = *outcome.root->entries[1].value;
  ASSERT_EQ(use.entries.size(), 2u);
  EXPECT_EQ(use.entries[0].key, "y");
  EXPECT_EQ(use.entries[0].value->scalar, "3");
  EXPECT_EQ(use.entries[1].key, "x");
  EXPECT_EQ(outcome.root->entries[2].value->entries.size(), 2u);
}

TEST(YamlReaderTest, WhatYamlWouldSilentlyAcceptIsRefused) {
  EXPECT_EQ(FirstError("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: duplicate key `a`; first on line 1");
  EXPECT_NE(FirstError("a: !!python/object x\n").find("1:4: tags"), std::string::npos);
  EXPECT_NE(FirstError("? [a, b]\n: 1\n").find("1:3: a key must be plain text"), std::string::npos);
  EXPECT_NE(FirstError("a: 1\n---\nb: 1\n").find("2:1: a second document"), std::string::npos)
      << FirstError("a: 1\n---\nb: 1\n");
  EXPECT_NE(FirstError("&a [*a]").find("1:5: an alias inside the value"), std::string::npos) << FirstError("&a [*a]");
  EXPECT_NE(FirstError("a:\n\tb: 1\n").find("2:1: a tab"), std::string::npos);
  EXPECT_NE(FirstError("a: {<<: 3}\n").find("`<<` merges mappings"), std::string::npos);
  EXPECT_NE(FirstError("# nothing\n").find("empty"), std::string::npos);
}

TEST(YamlReaderTest, SyntaxErrorsHaveTheirPlace) {
  EXPECT_NE(FirstError("a: b: c\n").find("f.yaml:1:5: syntax"), std::string::npos);
  EXPECT_NE(FirstError("a: [1, 2\nb: 3\n").find("not closed"), std::string::npos);
  EXPECT_NE(FirstError("'abc").find("quote that is not closed"), std::string::npos);
  EXPECT_NE(FirstError("a: *nope\n").find("f.yaml:1:4"), std::string::npos);
}

TEST(YamlReaderTest, AnAliasBombIsRefusedWithoutBeingExpanded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    absl::StrAppend(&bomb, "a", i, ": &a", i, " [");
    for (int k = 0; k < 10; ++k) absl::StrAppend(&bomb, k == 0 ? "" : ", ", "*a", i - 1);
    bomb += "]\n";
  }
  EXPECT_NE(FirstError(bomb).find("20000 values"), std::string::npos) << FirstError(bomb);
}

TEST(YamlReaderTest, TwentyThousandValuesAreTheMost) {
  std::string block = "base: &b [";
  for (int i = 0; i < 998; ++i) absl::StrAppend(&block, i == 0 ? "" : ", ", "x");
  block += "]\nuse:\n";
  const auto uses = [](int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += "  - *b\n";
    return text;
  };
  EXPECT_EQ(FirstError(block + uses(19)), "");
  EXPECT_NE(FirstError(block + uses(20)).find("20000 values"), std::string::npos);
}

TEST(YamlReaderTest, ManyMergesOfOneMappingAreRefusedQuickly) {
  std::string text = "base: &b {";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", "k", i, ": 1");
  text += "}\nuse: {";
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", "<<: *b");
  text += "}\n";
  EXPECT_NE(FirstError(text).find("20000 values"), std::string::npos) << FirstError(text);
}

TEST(YamlReaderTest, DeepNestingIsRefused) {
  const std::string open(50'000, '[');
  EXPECT_NE(FirstError(open), "");
  EXPECT_NE(FirstError(std::string(17, '[') + std::string(17, ']')).find("deeper than 16"), std::string::npos);
  EXPECT_EQ(FirstError(std::string(15, '[') + std::string(15, ']')), "");
}

TEST(YamlReaderTest, NoInputThrows) {
  for (const char* piece :
       {"[", "{", "? ", "- ", "!", "&a ", "* ", "'", "\"", "a:\n ", "|", "%", "--- ", "{? ", "[a,"}) {
    std::string text;
    while (text.size() < 16 * 1024) text += piece;
    (void)Read(text);
  }
}

}  // namespace
}  // namespace squall

#include "harness/plan/yaml_reader.h"

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/parser.h"

namespace squall {
namespace {

Position At(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Ends the parse from inside a callback; caught in ReadYaml and never seen outside.
struct Stop {};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(absl::string_view text, PlanErrors* errors) : text_(text), errors_(errors) {}

  YamlNodePtr root() const { return root_; }
  // The first node of the document, for "second document" errors.
  Position start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = At(mark); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = std::make_shared<YamlNode>();
    node->at = At(mark);
    Finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto it = anchors_.find(anchor);
    if (it == anchors_.end()) Fail(At(mark), "an alias inside the value it stands for");
    Place(it->second, At(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    CheckTag(mark, tag);
    auto node = std::make_shared<YamlNode>();
    node->kind = YamlNode::kScalar;
    node->at = node->text_at = At(mark);
    node->scalar = value;
    FindText(mark, node.get());
    if (!QuoteCloses(mark)) Fail(At(mark), "syntax: a quote that is not closed");
    Finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(YamlNode::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(YamlNode::kMapping, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor = 0;
    YamlNodePtr key;                                       // of a mapping, while its value is awaited
    Position key_at;                                       // an alias as a key stands where it is used
    std::map<std::string, Position> seen;                  // keys
    std::vector<std::pair<Position, YamlNodePtr>> merges;  // values of "<<"
  };

  [[noreturn]] void Fail(Position at, std::string message) {
    errors_->Add(at, "", std::move(message));
    throw Stop();
  }

  void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") errors_->Add(At(mark), "", "tags (`!...`) have no meaning in a plan");
  }

  void FindText(const YAML::Mark& mark, YamlNode* node) {
    if (mark.pos < 0 || static_cast<size_t>(mark.pos) >= text_.size()) return;
    const size_t at = mark.pos;
    const bool quoted = text_[at] == '"' || text_[at] == '\'';
    if (quoted) ++node->text_at.column;
    node->verbatim = node->scalar.find('\n') == std::string::npos &&
                     text_.substr(at + (quoted ? 1 : 0), node->scalar.size()) == node->scalar;
  }

  // The parser lets the last quoted text of a file run to the file's end.
  bool QuoteCloses(const YAML::Mark& mark) const {
    if (mark.pos < 0 || static_cast<size_t>(mark.pos) >= text_.size()) return true;
    const char quote = text_[mark.pos];
    if (quote != '"' && quote != '\'') return true;
    for (size_t i = mark.pos + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        return true;  // of a doubled '' the first is enough: another quote follows
      }
    }
    return false;
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    CheckTag(mark, tag);
    if (levels_.size() >= kDeepestYaml) Fail(At(mark), absl::StrCat("nested deeper than ", kDeepestYaml, " levels"));
    Level level;
    level.node = std::make_shared<YamlNode>();
    level.node->kind = kind;
    level.node->at = At(mark);
    level.anchor = anchor;
    levels_.push_back(std::move(level));
  }

  void Close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    for (const auto& [at, value] : level.merges) Merge(&level, at, *value);
    Finish(std::move(level.node), level.anchor);
  }

  void Finish(std::shared_ptr<YamlNode> node, YAML::anchor_t anchor) {
    const Position at = node->at;
    YamlNodePtr done = std::move(node);
    if (anchor != 0) anchors_[anchor] = done;
    Place(std::move(done), at);
  }

  // Puts a finished value where it belongs in the innermost open node. `at`: where it is used.
  void Place(YamlNodePtr value, Position at) {
    if (static_cast<int>(levels_.size()) + value->depth > kDeepestYaml + 1) {
      Fail(at, absl::StrCat("nested deeper than ", kDeepestYaml, " levels"));
    }
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    Level& level = levels_.back();
    if (level.node->kind == YamlNode::kSequence) {
      Grow(level.node.get(), *value, at);
      level.node->items.push_back(std::move(value));
      return;
    }
    if (level.key == nullptr) {
      level.key = std::move(value);
      level.key_at = at;
      return;
    }
    YamlNodePtr key = std::exchange(level.key, nullptr);
    if (key->kind != YamlNode::kScalar) {
      errors_->Add(level.key_at, "", absl::StrCat("a key must be plain text, not ", Describe(*key)));
    } else if (key->scalar == "<<") {
      level.merges.emplace_back(at, std::move(value));
    } else {
      AddEntry(&level, {key->scalar, level.key_at, std::move(value)}, /*merged=*/false);
    }
  }

  void AddEntry(Level* level, YamlEntry entry, bool merged) {
    if (merged) Count(++merged_, entry.at);
    auto [it, fresh] = level->seen.emplace(entry.key, entry.at);
    if (!fresh) {
      if (merged) return;  // what stands in the mapping itself wins over what is merged
      errors_->Add(entry.at, "", absl::StrCat("duplicate key `", entry.key, "`; first on line ", it->second.line));
      return;
    }
    Grow(level->node.get(), *entry.value, entry.at);
    level->node->entries.push_back(std::move(entry));
  }

  void Merge(Level* level, Position at, const YamlNode& value) {
    if (value.kind == YamlNode::kMapping) {
      for (const YamlEntry& entry : value.entries) AddEntry(level, entry, /*merged=*/true);
      return;
    }
    if (value.kind == YamlNode::kSequence) {
      for (const YamlNodePtr& item : value.items) {
        if (item->kind != YamlNode::kMapping) {
          errors_->Add(at, "", absl::StrCat("`<<` merges mappings, not ", Describe(*item)));
          return;
        }
        for (const YamlEntry& entry : item->entries) AddEntry(level, entry, /*merged=*/true);
      }
      return;
    }
    errors_->Add(at, "", absl::StrCat("`<<` merges mappings, not ", Describe(value)));
  }

  void Count(size_t nodes, Position at) {
    if (nodes > kMostYamlNodes) {
      Fail(at, absl::StrCat("more than ", kMostYamlNodes, " values once aliases are expanded"));
    }
  }

  void Grow(YamlNode* node, const YamlNode& child, Position at) {
    node->size += child.size;
    Count(node->size, at);
    node->depth = std::max(node->depth, child.depth + 1);
  }

  absl::string_view text_;
  PlanErrors* errors_;
  Position start_;
  YamlNodePtr root_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, YamlNodePtr> anchors_;
  size_t merged_ = 0;  // entries looked at for "<<", taken or not
};

// yaml-cpp's words, said with the usual cause where that is known.
std::string Explain(const std::string& message) {
  if (message == "illegal map value") {
    return "syntax: a `:` that starts a value in a wrong place; is the line indented rightly, or should the text be "
           "quoted?";
  }
  if (message == "end of sequence flow not found") return "syntax: a `[` that is not closed";
  if (message == "end of map flow not found") return "syntax: a `{` that is not closed";
  if (message == "illegal EOF in scalar") return "syntax: a quote that is not closed";
  if (message == "unknown token") return "syntax: text cannot start with this character; quote it";
  return absl::StrCat("syntax: ", message);
}

// The parser takes tabs in some places and gives odd errors in others; a plan has none in its indentation.
bool TabsInIndentation(absl::string_view text, PlanErrors* errors) {
  int line = 1;
  for (size_t start = 0; start < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const absl::string_view row = text.substr(start, end - start);
    const size_t content = row.find_first_not_of(" \t\r");
    const size_t tab = row.substr(0, content).find('\t');
    if (content != absl::string_view::npos && tab != absl::string_view::npos && row[content] != '#') {
      errors->Add({line, static_cast<int>(tab) + 1}, "", "a tab in the indentation; YAML wants spaces");
      return true;
    }
    start = end + 1;
  }
  return false;
}

}  // namespace

std::string Describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::kNull:
      return "nothing";
    case YamlNode::kScalar:
      return absl::StrCat("text `", node.scalar.substr(0, 40), node.scalar.size() > 40 ? "..." : "", "`");
    case YamlNode::kSequence:
      return "a list";
    case YamlNode::kMapping:
      return "a mapping";
  }
  return "";
}

YamlNodePtr ReadYaml(absl::string_view text, PlanErrors* errors) {
  if (TabsInIndentation(text, errors)) return nullptr;
  TreeBuilder first(text, errors);
  TreeBuilder second(text, errors);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(first) || first.root() == nullptr) {
      errors->Add({1, 1}, "", "the file is empty");
      return nullptr;
    }
    if (parser.HandleNextDocument(second)) {
      errors->Add(second.start(), "", "a second document starts here; a plan file holds one");
      return nullptr;
    }
  } catch (const Stop&) {
    return nullptr;
  } catch (const YAML::Exception& e) {
    errors->Add(At(e.mark), "", Explain(e.msg));
    return nullptr;
  } catch (const std::exception& e) {
    errors->Add({1, 1}, "", absl::StrCat("cannot be read: ", e.what()));
    return nullptr;
  }
  return first.root();
}

}  // namespace squall

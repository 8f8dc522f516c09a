// Where in a plan's text each field stands, and problems with their place.
//
//   PositionIndex index = ...;
//   index.Find("steps[2].fault.delay.latency");   // {12, 31}: the value; keyed ones by name:
//   "targets[support].argv[1]" FormatError({"f.yaml", {12, 7}, "steps[2].fault", "unknown field `dealy`"});
//       // "f.yaml:12:7: steps[2].fault: unknown field `dealy`"
//
// Lines and columns count from 1; columns count bytes. Value types, not thread-safe.
#ifndef HARNESS_PLAN_POSITION_H_
#define HARNESS_PLAN_POSITION_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace squall {

struct Position {
  int line = 0;  // 0 = unknown
  int column = 0;
  bool operator==(const Position&) const = default;
};

class PositionIndex {
 public:
  // The place of the value at exactly this field path.
  std::optional<Position> Find(std::string_view field_path) const;
  // The same, or of the nearest field around it that was written; {1, 1} if none is.
  Position Nearest(std::string_view field_path) const;
  // The place of the `column`th character (from 1) of a string field's text, where the text stands as it was written.
  Position Inside(std::string_view field_path, int column) const;

  // `verbatim`: the field's text stands in the source from `at` on, unchanged and on one line.
  void Set(std::string field_path, Position at, bool verbatim = false);

 private:
  struct Entry {
    Position at;
    bool verbatim = false;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

struct PlanError {
  std::string file;
  Position at;       // line 0: of the file as a whole
  std::string path;  // of the field; "" = none
  std::string message;
};

// "file:line:column: path: message", without what is unknown.
std::string FormatError(const PlanError& error);

// Collects the problems of one file. At most kMost are kept, and the rest counted, so that a broken file of 256 KiB
// does not give a megabyte of messages.
class PlanErrors {
 public:
  static constexpr size_t kMost = 100;

  explicit PlanErrors(std::string file) : file_(std::move(file)) {}
  void Add(Position at, std::string path, std::string message);
  bool empty() const { return errors_.empty(); }
  const std::vector<PlanError>& kept() const { return errors_; }
  // Takes over what `other` has, but for what `unless` is true of.
  void Join(const PlanErrors& other, const std::function<bool(const PlanError&)>& unless = nullptr);
  const std::string& file() const { return file_; }
  // In order of position; equal ones once.
  std::vector<PlanError> Take();

 private:
  std::string file_;
  std::vector<PlanError> errors_;
  size_t left_out_ = 0;
};

}  // namespace squall

#endif  // HARNESS_PLAN_POSITION_H_

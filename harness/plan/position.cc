#include "harness/plan/position.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace squall {

std::optional<Position> PositionIndex::Find(std::string_view field_path) const {
  auto it = entries_.find(field_path);
  if (it == entries_.end()) return std::nullopt;
  return it->second.at;
}

Position PositionIndex::Nearest(std::string_view field_path) const {
  while (true) {
    if (auto found = Find(field_path)) return *found;
    if (field_path.empty()) return {1, 1};
    // A name in brackets may hold dots, so a path that ends in one loses the whole bracket.
    size_t cut = field_path.back() == ']' ? field_path.rfind('[') : field_path.find_last_of(".]");
    if (cut == std::string_view::npos) cut = 0;
    if (cut < field_path.size() && field_path[cut] == ']') ++cut;
    field_path = field_path.substr(0, cut);
  }
}

Position PositionIndex::Inside(std::string_view field_path, int column) const {
  auto it = entries_.find(field_path);
  if (it == entries_.end() || !it->second.verbatim || column < 1) return Nearest(field_path);
  return {it->second.at.line, it->second.at.column + column - 1};
}

void PositionIndex::Set(std::string field_path, Position at, bool verbatim) {
  entries_[std::move(field_path)] = {at, verbatim};
}

std::string FormatError(const PlanError& error) {
  std::string place = error.file;
  if (error.at.line > 0) absl::StrAppend(&place, ":", error.at.line, ":", error.at.column);
  return absl::StrCat(place, place.empty() ? "" : ": ", error.path, error.path.empty() ? "" : ": ", error.message);
}

void PlanErrors::Add(Position at, std::string path, std::string message) {
  if (errors_.size() >= kMost) {
    ++left_out_;
    return;
  }
  errors_.push_back({file_, at, std::move(path), std::move(message)});
}

void PlanErrors::Join(const PlanErrors& other, const std::function<bool(const PlanError&)>& unless) {
  for (const PlanError& error : other.errors_) {
    if (unless == nullptr || !unless(error)) Add(error.at, error.path, error.message);
  }
  left_out_ += other.left_out_;
}

std::vector<PlanError> PlanErrors::Take() {
  auto key = [](const PlanError& e) { return std::tie(e.at.line, e.at.column, e.path, e.message); };
  std::stable_sort(errors_.begin(), errors_.end(),
                   [&](const PlanError& a, const PlanError& b) { return key(a) < key(b); });
  errors_.erase(std::unique(errors_.begin(), errors_.end(),
                            [&](const PlanError& a, const PlanError& b) { return key(a) == key(b); }),
                errors_.end());
  if (left_out_ > 0) errors_.push_back({file_, {}, "", absl::StrCat("and ", left_out_, " more problems")});
  left_out_ = 0;
  return std::move(errors_);
}

}  // namespace squall

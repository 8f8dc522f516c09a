#include "harness/plan/params.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "harness/plan/near_match.h"
#include "harness/plan/references.h"
#include "harness/plan/scalars.h"

namespace squall {
namespace {

std::string TypeOf(absl::string_view value) {
  if (ParseBool(value).ok()) return "true or false";
  if (ParseNumber(value).ok() || ParseRatio(value).ok() || ParseRate(value).ok() || ParseBytes(value).ok()) {
    return "a number";
  }
  if (ParseDuration(value).ok()) return "a duration";
  return "text";
}

bool SameType(const std::string& declared, absl::string_view value) {
  return declared == "text" || declared == TypeOf(value) || (declared == "a duration" && value == "0");
}

Position Within(const TextSite& site, size_t offset) {
  if (!site.verbatim) return site.at;
  return {site.at.line, site.at.column + static_cast<int>(offset)};
}

constexpr absl::string_view kNoNesting = "holds `${`; a param's value refers to nothing";

}  // namespace

void PlanParams::Declare(const std::string& name, Position at, const std::string& value, PlanErrors* errors) {
  const std::string path = absl::StrCat("params[", name, "]");
  if (ParseLateName(name)) {
    errors->Add(at, path, absl::StrCat("`${", name, "}` has a meaning of its own; choose another name"));
    return;
  }
  if (absl::StrContains(value, "${")) errors->Add(at, path, std::string(kNoNesting));
  params_[name] = {value, at, false};
}

void PlanParams::Set(const std::map<std::string, std::string>& sets, PlanErrors* errors) {
  for (const auto& [name, value] : sets) {
    const std::string path = absl::StrCat("--set ", name);
    auto it = params_.find(name);
    if (it == params_.end()) {
      std::vector<std::string> names;
      for (const auto& [declared, unused] : params_) names.push_back(declared);
      const std::string near = DidYouMean(name, names);
      errors->Add({}, path,
                  absl::StrCat("the plan declares no such param", near.empty() ? "; it declares " : near,
                               near.empty() ? ListNames(names) : ""));
      continue;
    }
    const std::string type = TypeOf(it->second.value);
    if (!SameType(type, value)) {
      errors->Add({}, path, absl::StrCat("wants ", type, ", as in `", it->second.value, "`, not `", value, "`"));
    } else if (absl::StrContains(value, "${")) {
      errors->Add({}, path, std::string(kNoNesting));
    } else {
      it->second.value = value;
    }
  }
}

std::string PlanParams::Unknown(absl::string_view name, bool late) const {
  if (ParseLateName(name)) {
    return absl::StrCat("`${", name,
                        "}` is known only when a target starts; it may stand in argv, env, cwd and `to` of a load");
  }
  std::vector<std::string> names;
  for (const auto& [declared, unused] : params_) names.push_back(declared);
  if (late) names.insert(names.end(), LateForms().begin(), LateForms().end());
  std::string hint = DidYouMean(name, names);
  if (hint.empty()) hint = absl::StrCat("; known are ", ListNames(names));
  return absl::StrCat("nothing is known as `${", name, "}`", hint);
}

std::optional<std::string> PlanParams::Replace(absl::string_view text, const TextSite& site, PlanErrors* errors) {
  if (!absl::StrContains(text, "${")) return std::string(text);
  auto pieces = SplitReferences(text);
  if (!pieces.ok()) {
    errors->Add(Within(site, text.find("${")), site.path, std::string(pieces.status().message()));
    return std::nullopt;
  }
  std::string out;
  bool failed = false;
  for (const TextPiece& piece : *pieces) {
    if (!piece.reference) {
      out += site.late ? absl::StrReplaceAll(piece.text, {{"${", "$${"}}) : piece.text;
    } else if (auto it = params_.find(piece.text); it != params_.end()) {
      it->second.used = true;
      out += it->second.value;
    } else if (site.late && ParseLateName(piece.text)) {
      absl::StrAppend(&out, "${", piece.text, "}");
    } else {
      errors->Add(Within(site, piece.offset), site.path, Unknown(piece.text, site.late));
      failed = true;
    }
  }
  if (failed) return std::nullopt;
  return out;
}

void PlanParams::CheckUsed(PlanErrors* errors) const {
  for (const auto& [name, param] : params_) {
    if (!param.used) {
      errors->Add(param.at, absl::StrCat("params[", name, "]"), absl::StrCat("nothing uses `${", name, "}`"));
    }
  }
}

std::map<std::string, std::string> PlanParams::values() const {
  std::map<std::string, std::string> values;
  for (const auto& [name, param] : params_) values[name] = param.value;
  return values;
}

}  // namespace squall

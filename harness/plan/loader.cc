#include "harness/plan/loader.h"

#include <openssl/evp.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "harness/plan/descriptor_mapper.h"
#include "harness/plan/params.h"
#include "harness/plan/text_check.h"
#include "harness/plan/text_proto.h"
#include "harness/plan/validator.h"
#include "harness/plan/yaml_reader.h"

namespace squall {
namespace {

std::string Sha256(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_Digest(text.data(), text.size(), digest, &length, EVP_sha256(), nullptr);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), length));
}

bool IsTextProto(absl::string_view path) {
  return absl::EndsWith(path, ".textproto") || absl::EndsWith(path, ".txtpb") || absl::EndsWith(path, ".pbtxt");
}

// `params:` stands before everything else: the other fields cannot be read without it.
void DeclareParams(const YamlNode& root, PlanParams* params, PositionIndex* positions, PlanErrors* errors) {
  for (const YamlEntry& entry : root.entries) {
    if (entry.key != "params") continue;
    positions->Set("params", entry.value->at);
    if (entry.value->kind != YamlNode::kMapping) {
      errors->Add(entry.at, "params",
                  absl::StrCat("wants a mapping from names to values, not ", Describe(*entry.value)));
      return;
    }
    for (const YamlEntry& param : entry.value->entries) {
      const std::string path = absl::StrCat("params[", param.key, "]");
      positions->Set(path, param.at);
      if (param.value->kind == YamlNode::kScalar) {
        params->Declare(param.key, param.value->text_at, param.value->scalar, errors);
      } else {
        errors->Add(param.at, path, absl::StrCat("wants one value, not ", Describe(*param.value)));
      }
    }
  }
}

// Problems of the YAML alone go to `errors`, those of a field to `fields`. False if there is nothing to go on with.
bool ReadYamlPlan(absl::string_view text, const std::map<std::string, std::string>& sets, LoadedPlan* loaded,
                  PlanParams* params, PlanErrors* errors, PlanErrors* fields) {
  const YamlNodePtr root = ReadYaml(text, errors);
  if (root == nullptr) return false;
  if (root->kind != YamlNode::kMapping) {
    errors->Add(root->at, "", absl::StrCat("a plan is a mapping that begins with `squall: 1`, not ", Describe(*root)));
    return false;
  }
  DeclareParams(*root, params, &loaded->positions, errors);
  params->Set(sets, errors);
  DescriptorMapper(params, &loaded->positions, fields).Map(*root, &loaded->plan);
  for (const auto& [name, value] : params->values()) {
    plan::v1::Param* param = loaded->plan.add_params();
    param->set_name(name);
    param->set_value(value);
  }
  return true;
}

// A field that could not be read is not there to be checked: what the validator says around it would mislead.
bool Overshadowed(const PlanError& error, const std::vector<PlanError>& unread) {
  for (const PlanError& e : unread) {
    if (absl::StartsWith(error.path, e.path) || absl::StartsWith(e.path, error.path)) return true;
  }
  return false;
}

}  // namespace

LoadResult LoadPlan(std::string_view bytes, std::string path, const std::map<std::string, std::string>& sets) {
  LoadResult result;
  absl::string_view text(bytes.data(), bytes.size());
  PlanErrors errors(path), fields(path), invalid(path);
  LoadedPlan loaded;
  PlanParams params;
  bool read = CheckText(text, &errors);
  if (read && absl::StartsWith(text, "\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  if (read && IsTextProto(path)) {
    read = ReadTextProto(text, sets, &loaded.plan, &params, &loaded.positions, &errors);
  } else if (read) {
    read = ReadYamlPlan(text, sets, &loaded, &params, &errors, &fields);
  }
  if (read) {
    if (fields.empty()) params.CheckUsed(&errors);
    ValidatePlan(loaded.plan, loaded.positions, &invalid);
    errors.Join(fields);
    errors.Join(invalid, [&](const PlanError& error) { return Overshadowed(error, fields.kept()); });
  }
  result.errors = errors.Take();
  if (!result.errors.empty()) return result;
  loaded.params = params.values();
  for (plan::v1::Param& param : *loaded.plan.mutable_params()) param.set_value(loaded.params[param.name()]);
  loaded.sha256 = Sha256(bytes);
  loaded.text = std::string(bytes);
  loaded.path = std::move(path);
  result.plan = std::move(loaded);
  return result;
}

LoadResult LoadPlanFile(const std::string& path, const std::map<std::string, std::string>& sets) {
  const absl::StatusOr<std::string> text = ReadPlanFile(path);
  if (text.ok()) return LoadPlan(*text, path, sets);
  LoadResult result;
  result.errors.push_back({path, {}, "", std::string(text.status().message())});
  return result;
}

}  // namespace squall

#include "faults/selection.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/probability.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

using faults::v1::Exclude;
using faults::v1::Selection;
using Labels = google::protobuf::RepeatedPtrField<faults::v1::Label>;

absl::Status Wrong(const char* field, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", what));
}

absl::Status CheckLabels(const char* field, const Labels& labels) {
  std::set<std::string> seen;
  for (const auto& label : labels) {
    if (label.name().empty()) return Wrong(field, "a label needs a name");
    if (!seen.insert(label.name()).second) return Wrong(field, absl::StrCat("`", label.name(), "` stands there twice"));
  }
  return absl::OkStatus();
}

// A link or load is hit as a whole: what picks among instances has no meaning there.
absl::Status CheckWhole(const Selection& on, const char* what) {
  const char* field = !on.labels().empty()                            ? "labels"
                      : on.amount_case() != Selection::AMOUNT_NOT_SET ? "amount"
                      : !on.exclude().empty()                         ? "exclude"
                      : !on.stratify().empty()                        ? "stratify"
                      : on.live()                                     ? "live"
                                                                      : nullptr;
  if (field == nullptr) return absl::OkStatus();
  if (on.has_count()) field = "count";
  if (on.has_percent()) field = "percent";
  if (on.has_all()) field = "all";
  return Wrong(field, absl::StrCat("picks instances of a role, but a ", what, " is selected"));
}

absl::Status CheckAmount(const Selection& on) {
  switch (on.amount_case()) {
    case Selection::kCount:
      if (on.count() == 0) return Wrong("count", "must be at least 1");
      return absl::OkStatus();
    case Selection::kPercent: {
      const auto share = Probability::Of(on.percent());
      if (!share.ok()) return Wrong("percent", share.status().message());
      if (share->value() == 0) return Wrong("percent", "0 % selects nobody");
      return absl::OkStatus();
    }
    case Selection::kAll:
      if (!on.all()) return Wrong("all", "false selects nobody; leave it out, or say true");
      if (!on.stratify().empty()) return Wrong("stratify", "has no use where all are selected");
      return absl::OkStatus();
    case Selection::AMOUNT_NOT_SET:
      if (!on.stratify().empty()) return Wrong("stratify", "needs a count or a percentage to share out");
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

bool Has(const Candidate& candidate, const Labels& labels) {
  return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    const auto found = candidate.labels.find(label.name());
    return found != candidate.labels.end() && found->second == label.value();
  });
}

bool Excludes(const Exclude& exclude, const Candidate& candidate) {
  const auto& indices = exclude.index();
  const bool index = indices.empty() || std::find(indices.begin(), indices.end(), candidate.index) != indices.end();
  return index && Has(candidate, exclude.labels());
}

std::string Describe(const Selection& on, size_t candidates) {
  return absl::StrCat(candidates, candidates == 1 ? " instance of `" : " instances of `", on.role(), "`",
                      on.labels().empty() && on.exclude().empty() ? "" : " that match");
}

absl::StatusOr<size_t> AmountOf(const Selection& on, size_t candidates) {
  size_t amount = 1;
  if (on.has_all()) amount = candidates;
  if (on.has_count()) amount = on.count();
  if (on.has_percent()) {
    ASSIGN_OR_RETURN(const Probability share, Probability::Of(on.percent()));
    amount = share.Share(candidates);
    if (amount == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(share.value() * 100, " % of ", Describe(on, candidates), " selects nobody"));
    }
  }
  if (amount > candidates) return Wrong("count", absl::StrCat(amount, " of ", Describe(on, candidates)));
  return amount;
}

// How many of each stratum, whose sizes are given: as equal as can be, the surplus by draw. `amount` <= their sum.
std::vector<size_t> ShareOut(size_t amount, const std::vector<size_t>& sizes, RandomStream* stream) {
  std::vector<size_t> shares(sizes.size(), 0);
  while (amount > 0) {
    std::vector<size_t> open;  // strata that have some left
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (shares[i] < sizes[i]) open.push_back(i);
    }
    if (amount >= open.size()) {
      for (const size_t i : open) ++shares[i];
      amount -= open.size();
    } else {
      for (const size_t place : stream->Sample(open.size(), amount)) ++shares[open[place]];
      amount = 0;
    }
  }
  return shares;
}

// Places among `places` (positions in `all`), drawn evenly over the label's values.
absl::StatusOr<std::vector<size_t>> Stratified(const std::string& label, size_t amount, absl::Span<const Candidate> all,
                                               const std::vector<size_t>& places, RandomStream* stream) {
  std::map<std::string, std::vector<size_t>> strata;
  for (const size_t place : places) {
    const auto found = all[place].labels.find(label);
    if (found == all[place].labels.end()) {
      return Wrong("stratify", absl::StrCat(all[place].role, "/", all[place].index, " has no label `", label, "`"));
    }
    strata[found->second].push_back(place);
  }
  std::vector<size_t> sizes;
  for (const auto& [value, members] : strata) sizes.push_back(members.size());
  const std::vector<size_t> shares = ShareOut(amount, sizes, stream);
  std::vector<size_t> chosen;
  size_t i = 0;
  for (const auto& [value, members] : strata) {
    for (const size_t member : stream->Sample(members.size(), shares[i])) chosen.push_back(members[member]);
    ++i;
  }
  return chosen;
}

}  // namespace

absl::Status CheckSelection(const Selection& on) {
  const int what = !on.role().empty() + !on.link().empty() + !on.load().empty();
  if (what == 0) return Wrong("role", "nothing is selected; name a role, a link or a load");
  if (what > 1) return Wrong("role", "only one of role, link and load can be selected");
  if (!on.link().empty()) return CheckWhole(on, "link");
  if (!on.load().empty()) return CheckWhole(on, "load");
  RETURN_IF_ERROR(CheckLabels("labels", on.labels()));
  for (const Exclude& exclude : on.exclude()) {
    if (exclude.index().empty() && exclude.labels().empty()) return Wrong("exclude", "an entry names nobody");
    RETURN_IF_ERROR(CheckLabels("exclude", exclude.labels()));
  }
  return CheckAmount(on);
}

absl::StatusOr<std::vector<size_t>> Select(const Selection& on, absl::Span<const Candidate> all, RandomStream stream) {
  RETURN_IF_ERROR(CheckSelection(on));
  if (on.role().empty()) return Wrong("role", "a link or a load has no instances to pick from");
  std::vector<size_t> places;
  bool role_exists = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].role != on.role()) continue;
    role_exists = true;
    const bool excluded = std::any_of(on.exclude().begin(), on.exclude().end(),
                                      [&](const Exclude& exclude) { return Excludes(exclude, all[i]); });
    if (Has(all[i], on.labels()) && !excluded) places.push_back(i);
  }
  if (!role_exists) return Wrong("role", absl::StrCat("there is no instance of `", on.role(), "`"));
  if (places.empty()) return Wrong("role", absl::StrCat("no instance of `", on.role(), "` matches labels and exclude"));
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) { return all[a].index < all[b].index; });
  ASSIGN_OR_RETURN(const size_t amount, AmountOf(on, places.size()));
  std::vector<size_t> chosen;
  if (!on.stratify().empty()) {
    ASSIGN_OR_RETURN(chosen, Stratified(on.stratify(), amount, all, places, &stream));
  } else {
    for (const size_t place : stream.Sample(places.size(), amount)) chosen.push_back(places[place]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace squall

#include "harness/signals/prometheus.h"

#include <charconv>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace squall {
namespace {

constexpr size_t kMostSamples = 100'000;
constexpr size_t kMostBytesOfALine = 8192;

bool StartsName(char c) { return absl::ascii_isalpha(c) || c == '_' || c == ':'; }
bool InName(char c) { return StartsName(c) || absl::ascii_isdigit(c); }

enum class Type { kUntyped, kCounter, kGauge, kHistogram, kSummary };

class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  // False: error() says why.
  bool Read(PrometheusSample* sample) {
    Blanks();
    if (!Name(&sample->metric)) return Fail("expected the name of a metric");
    Blanks();
    if (Take('{') && !ReadLabels(&sample->labels)) return false;
    return ReadValue(sample);
  }

  const std::string& error() const { return error_; }

 private:
  bool Fail(std::string why) {
    error_ = std::move(why);
    return false;
  }

  void Blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }

  bool Take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool Name(std::string* name) {
    if (rest_.empty() || !StartsName(rest_[0])) return false;
    size_t n = 1;
    while (n < rest_.size() && InName(rest_[n])) ++n;
    *name = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return true;
  }

  std::string_view Word() {
    Blanks();
    size_t n = 0;
    while (n < rest_.size() && rest_[n] != ' ' && rest_[n] != '\t') ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return word;
  }

  bool ReadLabels(std::map<std::string, std::string>* labels) {
    while (true) {
      Blanks();
      if (Take('}')) return true;  // also after a trailing comma
      std::string name, value;
      if (!Name(&name)) return Fail("expected the name of a label or `}`");
      Blanks();
      if (!Take('=')) return Fail(absl::StrCat("label `", name, "` has no `=`"));
      Blanks();
      if (!Take('"')) return Fail(absl::StrCat("label `", name, "` has no value in quotes"));
      if (!Quoted(&value)) return Fail(absl::StrCat("label `", name, "` has no closing quote"));
      if (!labels->emplace(name, value).second) return Fail(absl::StrCat("label `", name, "` stands twice"));
      Blanks();
      if (Take(',')) continue;
      if (!Take('}')) return Fail("expected `,` or `}` after a label");
      return true;
    }
  }

  bool Quoted(std::string* value) {
    while (!rest_.empty()) {
      const char c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c != '\\' || rest_.empty()) {
        *value += c;
        continue;
      }
      const char escaped = rest_[0];
      rest_.remove_prefix(1);
      if (escaped == 'n') {
        *value += '\n';
      } else {
        if (escaped != '\\' && escaped != '"') *value += '\\';
        *value += escaped;
      }
    }
    return false;
  }

  bool ReadValue(PrometheusSample* sample) {
    const std::string_view value = Word();
    if (value.empty()) return Fail("expected a value");
    // SimpleAtod reads NaN, Inf and hexadecimal as Go's ParseFloat does; 1e999 becomes infinity there as well.
    if (!absl::SimpleAtod(absl::string_view(value.data(), value.size()), &sample->value)) {
      return Fail(
          absl::StrCat("`", absl::string_view(value.data(), std::min<size_t>(value.size(), 40)), "` is no number"));
    }
    const std::string_view stamp = Word();
    if (!stamp.empty()) {
      int64_t ms = 0;
      const auto [end, bad] = std::from_chars(stamp.data(), stamp.data() + stamp.size(), ms);
      if (bad != std::errc() || end != stamp.data() + stamp.size()) return Fail("the time stamp is no whole number");
      sample->timestamp_ms = ms;
    }
    Blanks();
    if (!rest_.empty()) return Fail("something follows the value");
    return true;
  }

  std::string_view rest_;
  std::string error_;
};

// "# TYPE name counter"
void ReadType(std::string_view line, std::map<std::string, Type, std::less<>>* types) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while (at < line.size() && words.size() < 5) {
    while (at < line.size() && absl::ascii_isspace(line[at])) ++at;
    const size_t begin = at;
    while (at < line.size() && !absl::ascii_isspace(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  if (words.size() != 4 || words[1] != "TYPE") return;
  const Type type = words[3] == "counter"     ? Type::kCounter
                    : words[3] == "gauge"     ? Type::kGauge
                    : words[3] == "histogram" ? Type::kHistogram
                    : words[3] == "summary"   ? Type::kSummary
                                              : Type::kUntyped;
  types->insert_or_assign(std::string(words[2]), type);
}

bool Cumulative(const std::string& metric, const std::map<std::string, Type, std::less<>>& types) {
  if (const auto found = types.find(metric); found != types.end() && found->second != Type::kUntyped) {
    return found->second == Type::kCounter;
  }
  for (const std::string_view suffix : {"_bucket", "_count", "_sum"}) {
    if (!absl::EndsWith(metric, absl::string_view(suffix.data(), suffix.size()))) continue;
    const auto family = types.find(std::string_view(metric).substr(0, metric.size() - suffix.size()));
    if (family == types.end()) continue;
    return family->second == Type::kHistogram || (family->second == Type::kSummary && suffix != "_bucket");
  }
  return absl::EndsWith(metric, "_total");
}

}  // namespace

PrometheusText ParsePrometheus(std::string_view text) {
  PrometheusText result;
  std::map<std::string, Type, std::less<>> types;
  const auto bad = [&](size_t number, std::string_view why) {
    if (result.bad_lines++ == 0) result.first_error = absl::StrCat("line ", number, ": ", std::string(why));
  };
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    if (line.size() > kMostBytesOfALine) {
      bad(number, "longer than 8192 bytes");
    } else if (line[first] == '#') {
      ReadType(line.substr(first), &types);
    } else if (result.samples.size() >= kMostSamples) {
      bad(number, "more than 100000 samples");
    } else {
      PrometheusSample sample;
      LineReader reader(line);
      if (reader.Read(&sample)) {
        sample.cumulative = Cumulative(sample.metric, types);
        result.samples.push_back(std::move(sample));
      } else {
        bad(number, reader.error());
      }
    }
  }
  return result;
}

}  // namespace squall

#include "faults/process/signal_name.h"

#include <signal.h>
#include <string.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "faults/core/params.h"

namespace squall {
namespace {
constexpr int kNamedSignals = 32;  // those above have no names of their own
}

absl::StatusOr<int> SignalByName(const std::string& name) {
  std::string word = absl::AsciiStrToUpper(name);
  if (absl::StartsWith(word, "SIG")) word = word.substr(3);
  std::vector<std::string> known;
  for (int signo = 1; signo < kNamedSignals; ++signo) {
    const char* abbreviation = sigabbrev_np(signo);
    if (abbreviation == nullptr) continue;
    if (word == abbreviation) return signo;
    known.push_back(abbreviation);
  }
  const std::string near = NearMatch(word, known);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown signal \"", name, "\"", near.empty() ? "" : absl::StrCat("; did you mean ", near, "?")));
}

std::string SignalName(int signo) {
  const char* abbreviation = sigabbrev_np(signo);
  return abbreviation == nullptr ? absl::StrCat("signal ", signo) : absl::StrCat("SIG", abbreviation);
}

bool EndsByDefault(int signo) {
  switch (signo) {
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
      return false;
    default:
      return true;
  }
}

}  // namespace squall

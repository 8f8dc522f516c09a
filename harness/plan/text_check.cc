#include "harness/plan/text_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "faults/core/unique_fd.h"

namespace squall {
namespace {

// Length of the UTF-8 sequence at the start of `text`, 0 if it is none (RFC 3629: no overlong forms, no surrogates).
size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

bool IsControl(uint8_t byte) { return (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F; }

}  // namespace

bool CheckText(absl::string_view text, PlanErrors* errors) {
  if (text.size() > kMostPlanBytes) {
    errors->Add({}, "", absl::StrCat("longer than ", kMostPlanBytes / 1024, " KiB; no plan is"));
    return false;
  }
  int line = 1;
  size_t line_start = 0;
  bool blank = true;
  for (size_t i = 0; i < text.size();) {
    const uint8_t byte = text[i];
    const Position at{line, static_cast<int>(i - line_start) + 1};
    if (IsControl(byte)) {
      errors->Add(at, "", absl::StrFormat("not text: a byte 0x%02x; is this a binary file?", byte));
      return false;
    }
    const size_t length = Utf8Length(text.substr(i));
    if (length == 0) {
      errors->Add(at, "", absl::StrFormat("not UTF-8: a byte 0x%02x; is this a binary file?", byte));
      return false;
    }
    blank = blank && (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t');
    i += length;
    if (byte == '\n') {
      ++line;
      line_start = i;
    }
  }
  if (blank) errors->Add({1, 1}, "", "the file is empty");
  return !blank;
}

absl::StatusOr<std::string> ReadPlanFile(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return absl::NotFoundError(absl::StrCat("cannot be opened: ", strerror(errno)));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return absl::InternalError(absl::StrCat("cannot be read: ", strerror(errno)));
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError("is a directory, not a plan");
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError("is not a regular file");
  std::string text(kMostPlanBytes + 1, '\0');
  size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = read(fd.get(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::InternalError(absl::StrCat("cannot be read: ", strerror(errno)));
    if (got == 0) break;
    length += got;
  }
  text.resize(length);
  return text;
}

}  // namespace squall

#include "targets/process/log_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace squall {
namespace {
constexpr size_t kChunk = 64 << 10;
constexpr off_t kMostForMessages = 4096;
}  // namespace

bool LogTail::Open() {
  if (!file_.valid()) file_.reset(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  return file_.valid();
}

bool LogTail::Poll(const OnLine& on_line) {
  if (!Open()) return false;
  char buffer[kChunk];
  int lines = kMostLinesPerPoll;
  for (size_t total = 0; total < kMostPerPoll && lines > 0;) {
    const ssize_t count = pread(file_.get(), buffer, sizeof(buffer), read_to_);
    if (count <= 0) return false;
    const size_t taken = Take({buffer, static_cast<size_t>(count)}, &lines, on_line);
    total += taken;
    read_to_ += static_cast<off_t>(taken);
  }
  return true;
}

size_t LogTail::Take(std::string_view bytes, int* lines, const OnLine& on_line) {
  const size_t given = bytes.size();
  while (!bytes.empty() && *lines > 0) {
    const size_t end = bytes.find('\n');
    const bool ended = end != bytes.npos;
    const std::string_view piece = bytes.substr(0, end);
    bytes.remove_prefix(ended ? end + 1 : bytes.size());
    if (!passing_over_ && ended && partial_.empty() && piece.size() <= kLongestLine) {
      --*lines;
      on_line(piece);  // the usual case, without a copy
      continue;
    }
    if (!passing_over_) {
      partial_.append(piece.substr(0, kLongestLine - partial_.size()));
      if (ended || partial_.size() == kLongestLine) {
        const std::string line = std::exchange(partial_, {});
        passing_over_ = !ended;
        --*lines;
        on_line(line);
      }
    }
    if (ended) passing_over_ = false;
  }
  return given - bytes.size();
}

void LogTail::Flush(const OnLine& on_line) {
  passing_over_ = false;
  if (const std::string line = std::exchange(partial_, {}); !line.empty()) on_line(line);
}

void LogTail::Skip() {
  if (!Open()) return;
  struct stat info{};
  if (fstat(file_.get(), &info) != 0 || info.st_size <= read_to_) return;
  read_to_ = info.st_size;
  partial_.clear();
  char last = '\n';
  passing_over_ = pread(file_.get(), &last, 1, read_to_ - 1) == 1 && last != '\n';
}

void LogTail::Restart() {
  Skip();
  partial_.clear();
  passing_over_ = false;
}

std::string LogTail::LastLines(int lines) const {
  UniqueFd file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (!file.valid() || fstat(file.get(), &info) != 0) return "";
  const off_t from = std::max<off_t>(0, info.st_size - kMostForMessages);
  std::string text(static_cast<size_t>(info.st_size - from), '\0');
  const ssize_t count = pread(file.get(), text.data(), text.size(), from);
  text.resize(std::max<ssize_t>(0, count));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t start = text.size();
  for (int i = 0; i < lines; ++i) {
    const size_t before = start == 0 ? text.npos : text.rfind('\n', start - 1);
    if (before == text.npos) return text;
    start = before;
  }
  return text.substr(std::min(start + 1, text.size()));
}

}  // namespace squall

#include "targets/process/log_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace squall {

void LogTail::Poll(const std::function<void(std::string_view)>& on_line) {
  if (file_.get() < 0) file_.reset(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file_.get() < 0) return;
  char buffer[64 << 10];
  for (size_t taken = 0; taken < kMostPerPoll;) {
    const ssize_t count = read(file_.get(), buffer, sizeof(buffer));
    if (count <= 0) break;
    taken += count;
    std::string_view rest(buffer, count);
    while (!rest.empty()) {
      const size_t end = rest.find('\n');
      partial_.append(rest.substr(0, std::min(end, rest.size())));
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
      if (end == rest.npos && partial_.size() < kLongestLine) break;
      on_line(std::string_view(partial_).substr(0, kLongestLine));
      partial_.clear();
    }
  }
}

std::string LogTail::LastLines(int lines) const {
  UniqueFd file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (file.get() < 0 || fstat(file.get(), &info) != 0) return "";
  const off_t from = std::max<off_t>(0, info.st_size - 4096);
  std::string text(static_cast<size_t>(info.st_size - from), '\0');
  const ssize_t count = pread(file.get(), text.data(), text.size(), from);
  text.resize(std::max<ssize_t>(0, count));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  size_t start = text.size();
  for (int i = 0; i < lines && start != std::string::npos && start > 0; ++i) start = text.rfind('\n', start - 1);
  return start == std::string::npos ? text : text.substr(start == text.size() ? 0 : start + 1);
}

}  // namespace squall

// Follows a file that a target writes its output to, line by line.
#ifndef TARGETS_PROCESS_LOG_TAIL_H_
#define TARGETS_PROCESS_LOG_TAIL_H_

#include <functional>
#include <string>
#include <string_view>

#include "faults/core/unique_fd.h"

namespace squall {

// A line is what ends in \n; a longer one than 64 KiB is cut there. Bytes may be anything.
class LogTail {
 public:
  static constexpr size_t kLongestLine = 64 << 10;
  static constexpr size_t kMostPerPoll = 1 << 20;  // bytes; the rest waits for the next Poll

  explicit LogTail(std::string path) : path_(std::move(path)) {}
  // Hands over each whole line that has come since the last call. The file may not exist yet.
  void Poll(const std::function<void(std::string_view line)>& on_line);
  // The last `lines` lines of the file, for messages.
  std::string LastLines(int lines) const;

 private:
  const std::string path_;
  UniqueFd file_;
  std::string partial_;
};

}  // namespace squall

#endif  // TARGETS_PROCESS_LOG_TAIL_H_

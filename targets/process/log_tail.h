// Follows a file that a target writes its output to, line by line.
//
//   LogTail tail(dir + "/server.0.log");
//   tail.Restart();                       // before each start: what is there already is of earlier incarnations
//   bool more = tail.Poll([](std::string_view line) { ... });
#ifndef TARGETS_PROCESS_LOG_TAIL_H_
#define TARGETS_PROCESS_LOG_TAIL_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "faults/core/unique_fd.h"

namespace squall {

// A line is what ends in \n. Of a line longer than 64 KiB the first 64 KiB are handed over, the rest is passed over.
// Bytes may be anything. The file may not exist yet. One thread.
class LogTail {
 public:
  using OnLine = std::function<void(std::string_view line)>;
  static constexpr size_t kLongestLine = 64 << 10;
  // So that a fast writer cannot hold its reader up.
  static constexpr size_t kMostPerPoll = 256 << 10;  // bytes
  static constexpr int kMostLinesPerPoll = 2048;

  explicit LogTail(std::string path) : path_(std::move(path)) {}

  // Hands over each whole line that has come since the last call, within bounds. True: there is more.
  bool Poll(const OnLine& on_line);
  // Hands over the last line though no \n ended it: its writer is gone.
  void Flush(const OnLine& on_line);
  void Skip();     // passes over what has come, and over the rest of a line that has begun
  void Restart();  // passes over what has come; the next byte begins a line
  // The last `lines` lines of the file, at most 4 KiB, for messages.
  std::string LastLines(int lines) const;

 private:
  bool Open();
  // At most `lines` of them, less those handed over. Returns how many bytes were taken.
  size_t Take(std::string_view bytes, int* lines, const OnLine& on_line);

  const std::string path_;
  UniqueFd file_;
  off_t read_to_ = 0;
  std::string partial_;
  bool passing_over_ = false;  // up to the next \n
};

}  // namespace squall

#endif  // TARGETS_PROCESS_LOG_TAIL_H_

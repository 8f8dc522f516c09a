// Runs programs in tests: argv only, output captured, a deadline always.
#ifndef HARNESS_CLI_TEST_PROGRAM_H_
#define HARNESS_CLI_TEST_PROGRAM_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "faults/core/unique_fd.h"

namespace squall {

struct Ended {
  int code = -1;  // 128 + signal if it was killed
  std::string out, err;
};

// A started program. Killed (its own process only) if the test leaves it running.
class Program {
 public:
  explicit Program(std::vector<std::string> argv, std::string directory = "");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signo);
  // Waits for its end; kills it and fails the test after 60 s.
  Ended Wait();
  std::string out() const;  // so far
  std::string err() const;

 private:
  pid_t pid_ = -1;
  UniqueFd pidfd_;
  std::string out_path_, err_path_;
};

Ended RunProgram(std::vector<std::string> argv, std::string directory = "");

// Polls until true, at most 60 s. False on time-out.
bool Eventually(const std::function<bool()>& condition);

// Path of one of our own programs in the test's runfiles.
std::string OurProgram(const std::string& label_path);
// A fresh private directory with a short name, for sockets.
std::string ShortDirectory();
// Pids of all processes below `root`, from /proc.
std::vector<pid_t> Descendants(pid_t root);
// Is it there, and not a zombie?
bool Alive(pid_t pid);
// State letter of /proc/PID/stat; 0 if gone.
char StateOf(pid_t pid);
std::string CommandOf(pid_t pid);  // its name, at most 15 characters

}  // namespace squall

#endif  // HARNESS_CLI_TEST_PROGRAM_H_

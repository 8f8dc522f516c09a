// The command line of a program: --name=value, nothing else.
//
//   Flags flags(argc, argv);
//   int port = flags.Int("port", 0, 0, 65535);
//   std::string support = flags.Text("support", "");
//   if (absl::Status status = flags.Check(); !status.ok()) ...   // unknown names, values out of range: all at once
#ifndef TARGETS_SKYPE_FLAGS_H_
#define TARGETS_SKYPE_FLAGS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace skype {

class Flags {
 public:
  Flags(int argc, const char* const* argv);

  std::string Text(std::string_view name, std::string_view otherwise);
  int64_t Int(std::string_view name, int64_t otherwise, int64_t low, int64_t high);
  double Number(std::string_view name, double otherwise, double low, double high);
  bool YesNo(std::string_view name, bool otherwise);
  // The value, which must be one of `allowed`.
  std::string OneOf(std::string_view name, std::string_view otherwise, const std::vector<std::string>& allowed);

  // After all reads: OK, or every complaint.
  absl::Status Check() const;

 private:
  const std::string* Take(std::string_view name);
  void Complain(std::string_view name, std::string_view wanted);

  std::map<std::string, std::string, std::less<>> given_;
  std::map<std::string, bool, std::less<>> read_;
  std::vector<std::string> complaints_;
};

// Prints the complaints to standard error and exits with 2 if there are any.
void CheckOrExit(const Flags& flags);

}  // namespace skype

#endif  // TARGETS_SKYPE_FLAGS_H_

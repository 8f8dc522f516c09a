#include "targets/process/proc.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace squall {
namespace {

namespace fs = std::filesystem;

// The fields of a stat file after the name: [0] is the state.
std::vector<std::string> StatFields(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t close = text.rfind(')');  // the name may hold anything, brackets too
  std::vector<std::string> fields;
  if (close == text.npos) return fields;
  std::istringstream rest(text.substr(close + 1));
  for (std::string field; rest >> field;) fields.push_back(field);
  return fields;
}

double Number(const std::vector<std::string>& fields, size_t place) {
  return place < fields.size() ? std::strtod(fields[place].c_str(), nullptr) : 0;
}

}  // namespace

InstanceUsage UsageOf(int pid) {
  InstanceUsage usage;
  if (pid <= 0) return usage;
  const std::vector<std::string> fields = StatFields(absl::StrCat("/proc/", pid, "/stat"));
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  usage.cpu_seconds = (Number(fields, 11) + Number(fields, 12)) / ticks;
  usage.rss_bytes = Number(fields, 21) * static_cast<double>(sysconf(_SC_PAGESIZE));
  std::error_code error;
  fs::directory_iterator entries(absl::StrCat("/proc/", pid, "/fd"), error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) usage.fds += 1;
  return usage;
}

bool IsStopped(int pid) {
  if (pid <= 0) return false;
  std::error_code error;
  fs::directory_iterator tasks(absl::StrCat("/proc/", pid, "/task"), error);
  bool any = false;
  for (; !error && tasks != fs::directory_iterator(); tasks.increment(error)) {
    const std::vector<std::string> fields = StatFields((tasks->path() / "stat").string());
    // One that has just ended, or a main thread that ended before its others, runs no more.
    if (fields.empty() || fields[0] == "Z" || fields[0] == "X") continue;
    if (fields[0] != "T") return false;
    any = true;
  }
  return any;
}

}  // namespace squall

#include "targets/guardian/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <unordered_set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "faults/core/unique_fd.h"

namespace squall {
namespace {

bool ReadFile(const std::string& path, std::string* text) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return false;
  text->clear();
  char buffer[4096];
  for (ssize_t got; (got = read(fd.get(), buffer, sizeof(buffer))) > 0;) text->append(buffer, static_cast<size_t>(got));
  return true;
}

// Calls back with every numeric name in a directory.
template <typename Callback>
bool ForEachNumber(const std::string& directory, Callback callback) {
  DIR* dir = opendir(directory.c_str());
  if (dir == nullptr) return false;
  while (dirent* entry = readdir(dir)) {
    int number;
    if (absl::SimpleAtoi(entry->d_name, &number)) callback(number);
  }
  closedir(dir);
  return true;
}

// Kernels without CONFIG_PROC_CHILDREN: everybody is asked for his parent.
std::vector<pid_t> ChildrenByScan(pid_t parent) {
  std::vector<pid_t> children;
  ForEachNumber("/proc", [&](pid_t pid) {
    ProcessInfo info;
    if (ReadProcess(pid, &info) && info.parent == parent) children.push_back(pid);
  });
  return children;
}

}  // namespace

bool ReadProcess(pid_t pid, ProcessInfo* info) {
  std::string text;
  if (!ReadFile(absl::StrCat("/proc/", pid, "/stat"), &text)) return false;
  const size_t name_end = text.rfind(')');  // the name may hold anything, brackets too
  if (name_end == std::string::npos) return false;
  *info = ProcessInfo{};
  info->pid = pid;
  return sscanf(text.c_str() + name_end + 1, " %c %d %d %d", &info->state, &info->parent, &info->group,
                &info->session) == 4;
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  bool listed = false;
  ForEachNumber(absl::StrCat("/proc/", pid, "/task"), [&](pid_t thread) {
    std::string text;
    if (!ReadFile(absl::StrCat("/proc/", pid, "/task/", thread, "/children"), &text)) return;
    listed = true;
    for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
      int child;
      if (absl::SimpleAtoi(word, &child)) children.push_back(child);
    }
  });
  ProcessInfo self;
  if (!listed && ReadProcess(pid, &self)) return ChildrenByScan(pid);
  return children;
}

std::vector<pid_t> DescendantsOf(pid_t pid) {
  std::vector<pid_t> all = ChildrenOf(pid);
  std::unordered_set<pid_t> seen(all.begin(), all.end());
  for (size_t i = 0; i < all.size(); ++i) {
    for (pid_t child : ChildrenOf(all[i])) {
      if (child != pid && seen.insert(child).second) all.push_back(child);
    }
  }
  return all;
}

// A number may be another's by the time it is opened: so open first, then look whether it still hangs in our tree.
size_t KillDescendants(Os* os) {
  const pid_t self = getpid();
  const std::vector<pid_t> all = DescendantsOf(self);
  std::unordered_set<pid_t> parents(all.begin(), all.end());
  parents.insert(self);
  size_t killed = 0;
  for (const pid_t pid : all) {
    const UniqueFd pidfd(os->PidfdOpen(pid));
    ProcessInfo info;
    if (!pidfd.valid() || !ReadProcess(pid, &info) || info.state == 'Z' || !parents.contains(info.parent)) continue;
    if (os->SendSignal(pidfd.get(), SIGKILL) == 0) ++killed;
  }
  return killed;
}

bool EnvironmentHolds(pid_t pid, const std::string& entry) {
  std::string text;
  if (!ReadFile(absl::StrCat("/proc/", pid, "/environ"), &text)) return false;
  for (absl::string_view part : absl::StrSplit(text, '\0')) {
    if (part == entry) return true;
  }
  return false;
}

}  // namespace squall

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "faults/core/status_macros.h"
#include "harness/agent/run_agent.h"
#include "harness/cli/agent_sockets.h"
#include "harness/cli/binaries.h"
#include "harness/cli/commands.h"
#include "harness/cli/local_run.h"

namespace squall {
namespace {

// Starts this very command line again, as a child of a guardian. Returns only on failure.
absl::Status BecomeGuardian(const AgentFlags& flags, const Binaries& binaries) {
  std::vector<std::string> arguments = {binaries.guardian, flags.test_mode ? "--mode=test" : "--mode=attach", "--",
                                        binaries.squall};
  arguments.insert(arguments.end(), flags.original.begin() + 1, flags.original.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  return absl::ErrnoToStatus(errno, absl::StrCat("starting ", binaries.guardian));
}

absl::StatusOr<StaticLink> ParseLink(const std::string& text) {
  const std::vector<std::string> name_rest = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const std::vector<std::string> ends =
      name_rest.size() == 2 ? absl::StrSplit(name_rest[1], ',') : std::vector<std::string>();
  if (ends.size() != 2 || name_rest[0].empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--link=", text,
                                                   ": write NAME=LISTEN,UPSTREAM, "
                                                   "e.g. in=127.0.0.1:6400,127.0.0.1:6379"));
  }
  return StaticLink{name_rest[0], ends[0], ends[1]};
}

absl::StatusOr<TargetSpec> OwnTarget(const AgentFlags& flags, const std::string& role) {
  TargetSpec spec;
  spec.role = role;
  spec.argv = flags.argv;
  // A program started by hand keeps the caller's environment.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::vector<std::string> parts = absl::StrSplit(*variable, absl::MaxSplits('=', 1));
    if (parts.size() == 2) spec.env.emplace_back(parts[0], parts[1]);
  }
  spec.cwd = std::filesystem::current_path().string();
  ASSIGN_OR_RETURN(spec.common_labels, ParsePairs("--label", flags.labels));
  ASSIGN_OR_RETURN(spec.fixed_ports, ParsePairs("--port", flags.ports));
  spec.ports.clear();
  for (const auto& [name, address] : spec.fixed_ports) spec.ports.push_back(name);
  if (!flags.ready_log.empty()) {
    spec.ready.how = Readiness::LOG_LINE;
    spec.ready.regex = flags.ready_log;
  } else if (!flags.ready_tcp.empty()) {
    spec.ready.how = Readiness::TCP_CONNECT;
    spec.ready.port = flags.ready_tcp;
  }
  return spec;
}

absl::StatusOr<std::string> FreshDirectory() {
  const char* base = std::getenv("TMPDIR");  // this is a main: the one place that may ask
  std::string path = absl::StrCat(base == nullptr ? "/tmp" : base, "/squall-agent-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("making ", path));
  return path;
}

absl::StatusOr<AgentOptions> Resolve(const AgentFlags& flags, const Binaries& binaries) {
  AgentOptions options;
  options.guardian_fd = flags.guardian_fd;
  options.lease_fd = flags.lease_fd;
  options.role = flags.role;
  if (options.role.empty() && !flags.argv.empty()) {
    options.role = std::filesystem::path(flags.argv[0]).filename().string();
  }
  options.name =
      flags.name.empty() ? absl::StrCat(options.role.empty() ? "agent" : options.role, "-", getpid()) : flags.name;
  ASSIGN_OR_RETURN(const auto labels, ParsePairs("--label", flags.labels));
  for (const auto& [name, value] : labels) {
    options.labels.emplace_back();
    options.labels.back().set_name(name);
    options.labels.back().set_value(value);
  }
  options.test_mode = flags.test_mode;
  options.version = kVersion;
  options.relay_binary = binaries.relay;
  options.load_binary = binaries.load;
  options.halt_file = flags.halt_file;
  if (!flags.controller.empty()) {
    ASSIGN_OR_RETURN(options.controller, ParseAddress(flags.controller, flags.token_file));
  }
  if (flags.socket != "none") {
    ASSIGN_OR_RETURN(const std::string socket, flags.socket.empty() ? DefaultAgentSocket(options.name)
                                                                    : absl::StatusOr<std::string>(flags.socket));
    ASSIGN_OR_RETURN(options.local, ParseAddress(AbsolutePath(socket), ""));
  }
  for (const std::string& link : flags.links) {
    ASSIGN_OR_RETURN(StaticLink parsed, ParseLink(link));
    options.links.push_back(std::move(parsed));
  }
  if (!flags.argv.empty()) {
    ASSIGN_OR_RETURN(options.own, OwnTarget(flags, options.role));
  }
  if (flags.argv.empty() && flags.controller.empty()) {
    return absl::InvalidArgumentError("nothing to do: give a program after --, or a --controller");
  }
  options.directory = AbsolutePath(flags.directory);
  if (options.directory.empty()) {
    ASSIGN_OR_RETURN(options.directory, FreshDirectory());
  }
  return options;
}

int Complain(const absl::Status& status) {
  std::cerr << "squall agent: " << status.message() << "\n";
  return absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status) ? kBadUsage : kToolError;
}

}  // namespace

int AgentCommand(const AgentFlags& flags) {
  const auto binaries = FindBinaries();
  if (!binaries.ok()) return Complain(binaries.status());
  if (flags.guardian_fd < 0) {
    // Everything that can be wrong with the flags is said before anything is started.
    const bool standalone = flags.argv.empty() && flags.controller.empty();
    if (standalone)
      return Complain(absl::InvalidArgumentError("nothing to do: give a program after --, or a --controller"));
    for (const std::string& link : flags.links) {
      if (const auto parsed = ParseLink(link); !parsed.ok()) return Complain(parsed.status());
    }
    if (!flags.controller.empty()) {
      const auto address = ParseAddress(flags.controller, flags.token_file);
      if (!address.ok()) return Complain(address.status());
    }
    return Complain(BecomeGuardian(flags, *binaries));
  }
  auto options = Resolve(flags, *binaries);
  if (!options.ok()) return Complain(options.status());
  if (options->local.has_value()) {
    std::cerr << "squall agent " << options->name << ": socket " << options->local->path << ", logs in "
              << options->directory << (flags.test_mode ? ", mode test\n" : ", mode attach\n");
  }
  return RunAgent(*std::move(options));
}

}  // namespace squall

// The commands of `squall`, one function each: options are read, work is done elsewhere. Each returns the exit code:
// 2 = bad usage or bad plan; others as docs/exit_codes.md says.
#ifndef HARNESS_CLI_COMMANDS_H_
#define HARNESS_CLI_COMMANDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace squall {

inline constexpr char kVersion[] = "0.1.0";
inline constexpr int kBadUsage = 2;
inline constexpr int kToolError = 5;

struct PlanFlags {
  std::string plan;
  std::vector<std::string> sets;      // k=v
  std::vector<std::string> binaries;  // name=path
  std::optional<uint64_t> seed;
};

struct RunFlags {
  PlanFlags plan;
  std::string report_dir;
  std::string controller;  // "" = start one
  std::string token_file;
  bool quiet = false;
};
int RunCommand(const RunFlags& flags);
int CheckCommand(const PlanFlags& flags);
int ExplainCommand(const PlanFlags& flags);

struct AgentFlags {
  std::string controller, token_file;
  std::string name, role;
  std::vector<std::string> labels;  // k=v
  std::vector<std::string> links;   // NAME=LISTEN,UPSTREAM
  std::vector<std::string> ports;   // NAME=HOST:PORT
  std::string ready_log, ready_tcp;
  std::string socket, directory, halt_file;
  bool test_mode = false;
  std::vector<std::string> argv;        // of the target, after --
  int guardian_fd = -1, lease_fd = -1;  // given by the guardian only
  std::vector<std::string> original;    // our own command line, to start again below a guardian
};
int AgentCommand(const AgentFlags& flags);

struct ControllerFlags {
  std::string listen, token_file;
};
int ControllerCommand(const ControllerFlags& flags);

struct ByHandFlags {
  std::string agent;  // socket; "" = the only one there is
  std::string kind;
  std::string on;    // role=server,count=1
  std::string for_;  // 30s
  std::string name;
  uint64_t seed = 0;
  std::vector<std::string> parameters;  // latency=1s
  bool all = false;
  bool clear = false;
};
int ArmCommand(const ByHandFlags& flags);
int LiftCommand(const ByHandFlags& flags);
int ListCommand(const ByHandFlags& flags);
int HaltCommand(const ByHandFlags& flags);

}  // namespace squall

#endif  // HARNESS_CLI_COMMANDS_H_

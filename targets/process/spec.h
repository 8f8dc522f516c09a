// How to start, watch and restart the instances of one role. Plain values: the agent fills them from a plan or from its
// command line.
#ifndef TARGETS_PROCESS_SPEC_H_
#define TARGETS_PROCESS_SPEC_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "faults/core/clock.h"

namespace squall {

struct Readiness {
  enum How { RUNNING, LOG_LINE, TCP_CONNECT, GRPC_HEALTH };
  How how = RUNNING;
  std::string regex;    // LOG_LINE: RE2, searched in each line of output
  std::string port;     // TCP_CONNECT, GRPC_HEALTH: port name; "" = the first
  std::string service;  // GRPC_HEALTH
  int64_t within_ns = 30 * kSecond;
};

struct RestartPolicy {
  enum When { NEVER, ON_CRASH, ALWAYS };  // ON_CRASH: by signal, or with an exit code other than 0
  When when = NEVER;
  int64_t after_ns = 0;
  double jitter = 0;     // uniform +- share of after_ns
  uint32_t at_most = 0;  // restarts of one instance; 0 = no limit
};

struct EventRule {
  std::string name;
  std::string regex;  // RE2; a named group "value" gives the event its number
};

struct TargetSpec {
  std::string role;
  uint32_t count = 1;                                      // started by Begin
  std::vector<std::map<std::string, std::string>> labels;  // of index i: labels[i]; empty beyond its end
  std::map<std::string, std::string> common_labels;        // of all instances
  // ${port}, ${port.NAME}, ${label.NAME}, ${index}, ${role}, ${dir} and the caller's variables are replaced.
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;  // the whole environment but PATH
  std::string cwd;                                       // "" = a fresh directory below the fleet's
  std::vector<std::string> needs;
  std::vector<std::string> ports = {"port"};
  // Ports that are not the kernel's to choose: name -> HOST:PORT (a program started by hand with its own settings).
  std::map<std::string, std::string> fixed_ports;
  Readiness ready;
  RestartPolicy restart;
  std::vector<EventRule> events;
  bool job = false;  // runs once; ready = exited with 0
};

}  // namespace squall

#endif  // TARGETS_PROCESS_SPEC_H_

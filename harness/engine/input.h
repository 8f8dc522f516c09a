// What goes into and comes out of one step of the engine. Value types.
#ifndef HARNESS_ENGINE_INPUT_H_
#define HARNESS_ENGINE_INPUT_H_

#include <cstdint>
#include <string>
#include <variant>

#include "harness/api/agent.pb.h"

namespace squall {

struct Tick {};  // time has passed

// Anything an agent said. Its Register is how an agent that comes after the engine was made joins the run.
struct FromAgentMsg {
  std::string agent;
  agent::v1::FromAgent message;
};

struct AgentLost {
  std::string agent;
};

// A person or a signal wants the run to end. `exit_code` is 130 or 143 after SIGINT or SIGTERM (the run is then ABORTED
// "interrupted"), 0 otherwise (ABORTED "halted").
struct HaltRequest {
  std::string why;
  int exit_code = 0;
};

struct Input {
  int64_t now = 0;  // ns of CLOCK_BOOTTIME; never falls (an earlier one counts as the last)
  std::variant<Tick, FromAgentMsg, AgentLost, HaltRequest> what;
};

struct Outgoing {
  std::string agent;
  agent::v1::ToAgent message;
};

}  // namespace squall

#endif  // HARNESS_ENGINE_INPUT_H_

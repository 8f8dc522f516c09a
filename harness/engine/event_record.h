// One line of events.jsonl: something that happened in a run, in order, for people and scripts.
//
//   {"t_s": 12.004, "kind": "fault_armed", "subject": "trigger", "detail": "im/0"}
//
// kind is one of: agent_joined agent_lost phase target_started target_ready target_exited target_failed step_released
// step_started step_ended step_skipped run_ended fault_armed fault_lifted fault_failed halt problem verdict. Value
// type.
#ifndef HARNESS_ENGINE_EVENT_RECORD_H_
#define HARNESS_ENGINE_EVENT_RECORD_H_

#include <string>

namespace squall {

struct EventRecord {
  double t_s =
      0;  // s since the start of the run; negative while it was made ready; since the first input if it never started
  std::string kind;
  std::string subject;  // an agent, "role/index", a step; "" for the run itself
  std::string detail;
};

}  // namespace squall

#endif  // HARNESS_ENGINE_EVENT_RECORD_H_

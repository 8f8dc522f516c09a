// The agent's session with a controller: dials out, registers, and dials again when it breaks.
#ifndef HARNESS_AGENT_SESSION_H_
#define HARNESS_AGENT_SESSION_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "faults/core/event_loop.h"
#include "harness/agent/core.h"
#include "harness/api/agent.grpc.pb.h"
#include "harness/controller/address.h"

namespace squall {

// Runs its own threads; talks to the core only on the loop. `refused` is called on the loop when the controller says
// no: there is no point in dialling again.
class Session {
 public:
  Session(EventLoop* loop, AgentCore* core, Address controller, std::function<void(const std::string&)> refused);
  ~Session();  // cancels and joins

 private:
  struct State;
  void DialForever();
  void RunOnce();
  void WriteLoop(grpc::ClientReaderWriter<agent::v1::FromAgent, agent::v1::ToAgent>* stream);

  EventLoop* const loop_;
  AgentCore* const core_;
  const Address controller_;
  const std::function<void(const std::string&)> refused_;
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_SESSION_H_

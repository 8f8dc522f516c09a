// The agent's own socket: arm, lift, list and halt by hand. Handlers run on gRPC's threads and hand the work to the
// loop.
#ifndef HARNESS_AGENT_LOCAL_SERVICE_H_
#define HARNESS_AGENT_LOCAL_SERVICE_H_

#include <functional>

#include "faults/core/event_loop.h"
#include "harness/agent/core.h"
#include "harness/api/agent.grpc.pb.h"

namespace squall {

class LocalService : public agent::v1::AgentLocal::Service {
 public:
  LocalService(EventLoop* loop, AgentCore* core) : loop_(loop), core_(core) {}

  grpc::Status Arm(grpc::ServerContext*, const agent::v1::ArmRequest* request, agent::v1::ArmReply* reply) override;
  grpc::Status Lift(grpc::ServerContext*, const agent::v1::LiftRequest* request, agent::v1::LiftReply* reply) override;
  grpc::Status List(grpc::ServerContext*, const agent::v1::ListRequest* request, agent::v1::ListReply* reply) override;
  grpc::Status Halt(grpc::ServerContext*, const agent::v1::HaltRequest* request, agent::v1::HaltReply* reply) override;

 private:
  // Runs `work` on the loop and waits; Unavailable if the loop does not get to it within 5 s.
  grpc::Status OnLoop(std::function<absl::Status()> work);

  EventLoop* const loop_;
  AgentCore* const core_;
};

}  // namespace squall

#endif  // HARNESS_AGENT_LOCAL_SERVICE_H_

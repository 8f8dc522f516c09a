// The controller's end of the agents' sessions: who is connected, messages in, messages out.
//
//   AgentHub hub(address, [&](AgentHub::Event event) { queue.Push(std::move(event)); });
//   Serve(address, {&hub}, nullptr);
//   hub.Send("local", message);
//
// Thread-safe. An agent that registers a name in use is refused; so is one without a common protocol version, with both
// ranges named.
#ifndef HARNESS_CONTROLLER_HUB_H_
#define HARNESS_CONTROLLER_HUB_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "faults/core/clock.h"
#include "faults/core/mutex.h"
#include "harness/api/agent.grpc.pb.h"
#include "harness/controller/address.h"

namespace squall {

inline constexpr uint32_t kProtocol = 1;  // spoken by this controller and this agent

class AgentHub : public agent::v1::AgentHub::Service {
 public:
  struct Event {
    std::string agent;
    bool lost = false;  // the session is over; `message` is empty
    agent::v1::FromAgent message;
  };
  using Sink = std::function<void(Event)>;

  explicit AgentHub(Address address) : address_(std::move(address)) {}

  // Where events go from now on; null drops them. Returns the agents that are connected at that moment.
  std::vector<agent::v1::Register> SetSink(Sink sink);
  // False if it is not connected.
  bool Send(const std::string& agent, agent::v1::ToAgent message);
  std::vector<agent::v1::Register> Agents() const;
  void Shutdown();  // ends every session

  grpc::Status Session(grpc::ServerContext* context,
                       grpc::ServerReaderWriter<agent::v1::ToAgent, agent::v1::FromAgent>* stream) override;

 private:
  struct Peer;
  std::string Refusal(const agent::v1::Register& registration) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Deliver(Event event);

  const Address address_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<Peer>> peers_ ABSL_GUARDED_BY(mutex_);
  Mutex sink_mutex_;
  Sink sink_ ABSL_GUARDED_BY(sink_mutex_);
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace squall

#endif  // HARNESS_CONTROLLER_HUB_H_

#include "harness/controller/hub.h"

#include <deque>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace squall {

using agent::v1::FromAgent;
using agent::v1::Register;
using agent::v1::ToAgent;

// One connected agent. The handler's thread reads; a thread of its own writes, so a slow agent blocks nobody else.
struct AgentHub::Peer {
  explicit Peer(Register registration) : registration(std::move(registration)) {}

  const Register registration;
  grpc::ServerContext* context = nullptr;
  Mutex mutex;
  CondVar changed;
  std::deque<ToAgent> outbox ABSL_GUARDED_BY(mutex);
  bool closed ABSL_GUARDED_BY(mutex) = false;

  void Push(ToAgent message) {
    MutexLock lock(&mutex);
    outbox.push_back(std::move(message));
    changed.Notify();
  }

  void Close() {
    MutexLock lock(&mutex);
    closed = true;
    changed.Notify();
  }

  void WriteTo(grpc::ServerReaderWriter<ToAgent, FromAgent>* stream) {
    while (true) {
      ToAgent next;
      {
        MutexLock lock(&mutex);
        while (outbox.empty() && !closed) changed.WaitFor(&mutex, kSecond);
        if (outbox.empty()) return;
        next = std::move(outbox.front());
        outbox.pop_front();
      }
      if (!stream->Write(next)) return;
    }
  }
};

std::vector<Register> AgentHub::SetSink(Sink sink) {
  MutexLock sink_lock(&sink_mutex_);
  sink_ = std::move(sink);
  return Agents();
}

std::vector<Register> AgentHub::Agents() const {
  MutexLock lock(&mutex_);
  std::vector<Register> agents;
  for (const auto& [name, peer] : peers_) agents.push_back(peer->registration);
  return agents;
}

bool AgentHub::Send(const std::string& agent, ToAgent message) {
  MutexLock lock(&mutex_);
  const auto found = peers_.find(agent);
  if (found == peers_.end()) return false;
  found->second->Push(std::move(message));
  return true;
}

void AgentHub::Shutdown() {
  MutexLock lock(&mutex_);
  shut_down_ = true;
  for (auto& [name, peer] : peers_) {
    peer->Close();
    peer->context->TryCancel();
  }
}

void AgentHub::Deliver(Event event) {
  MutexLock lock(&sink_mutex_);
  if (sink_) sink_(std::move(event));
}

std::string AgentHub::Refusal(const Register& registration) const {
  if (shut_down_) return "the controller is shutting down";
  if (registration.agent().empty() || registration.agent().size() > 64) return "an agent needs a name of 1 to 64 bytes";
  if (peers_.contains(registration.agent())) {
    return absl::StrCat("an agent named ", registration.agent(), " is connected already");
  }
  if (registration.protocol_min() > kProtocol || registration.protocol_max() < kProtocol) {
    return absl::StrCat("no common protocol: the agent speaks ", registration.protocol_min(), " to ",
                        registration.protocol_max(), ", this controller ", kProtocol);
  }
  return "";
}

grpc::Status AgentHub::Session(grpc::ServerContext* context, grpc::ServerReaderWriter<ToAgent, FromAgent>* stream) {
  if (const grpc::Status allowed = Authorize(address_, *context); !allowed.ok()) return allowed;
  FromAgent first;
  if (!stream->Read(&first) || !first.has_register_()) {
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "a session starts with Register");
  }
  const std::string name = first.register_().agent();
  auto peer = std::make_shared<Peer>(first.register_());
  peer->context = context;
  std::string refusal;
  {
    MutexLock lock(&mutex_);
    refusal = Refusal(first.register_());
    if (refusal.empty()) peers_[name] = peer;
  }
  ToAgent welcome;
  welcome.mutable_welcome()->set_protocol(kProtocol);
  welcome.mutable_welcome()->set_refused(refusal);
  if (!refusal.empty()) {
    stream->Write(welcome);
    return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, refusal);
  }
  peer->Push(welcome);
  std::thread writer([peer, stream] { peer->WriteTo(stream); });
  Deliver({name, false, std::move(first)});
  FromAgent message;
  while (stream->Read(&message)) Deliver({name, false, std::move(message)});
  peer->Close();
  writer.join();
  {
    MutexLock lock(&mutex_);
    peers_.erase(name);
  }
  Deliver({name, true, {}});
  return grpc::Status::OK;
}

}  // namespace squall

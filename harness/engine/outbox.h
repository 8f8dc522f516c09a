// What the engine says to agents: numbers each command and remembers what an answer answers.
#ifndef HARNESS_ENGINE_OUTBOX_H_
#define HARNESS_ENGINE_OUTBOX_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/engine/input.h"

namespace squall::run {

// Not thread-safe. Sequence numbers rise over all agents of the run, from 1.
class Outbox {
 public:
  Outbox(std::string run_id, uint64_t epoch) : run_id_(std::move(run_id)), epoch_(epoch) {}

  struct Sent {
    agent::v1::ToAgent::CommandCase command;
    std::string action;  // of Prepare, Release and Lift
  };

  void Send(const std::string& agent, agent::v1::ToAgent message) {
    message.set_seq(++seq_);
    message.set_epoch(epoch_);
    message.set_run_id(run_id_);
    std::string action;
    if (message.has_prepare()) action = message.prepare().action();
    if (message.has_release()) action = message.release().action();
    if (message.has_lift()) action = message.lift().action();
    open_[{agent, seq_}] = {message.command_case(), std::move(action)};
    out_.push_back({agent, std::move(message)});
  }

  // What the answer is for; each command is answered once, a repeated or unknown answer is none.
  std::optional<Sent> OnAck(const std::string& agent, uint64_t seq) {
    auto it = open_.find({agent, seq});
    if (it == open_.end()) return std::nullopt;
    Sent sent = std::move(it->second);
    open_.erase(it);
    return sent;
  }

  std::vector<Outgoing> Take() { return std::exchange(out_, {}); }

 private:
  std::string run_id_;
  uint64_t epoch_;
  uint64_t seq_ = 0;
  std::map<std::pair<std::string, uint64_t>, Sent> open_;
  std::vector<Outgoing> out_;
};

}  // namespace squall::run

#endif  // HARNESS_ENGINE_OUTBOX_H_

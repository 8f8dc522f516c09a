// What agents, and people, say to a run.
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/engine/reasons.h"
#include "harness/engine/state.h"

namespace squall {

using agent::v1::FaultEdge;
using agent::v1::FromAgent;
using agent::v1::TargetEdge;
using agent::v1::ToAgent;

void Engine::State::OnMessage(const std::string& agent, const FromAgent& message) {
  if (message.has_register_()) {
    const auto& who = message.register_();
    if (roster.Find(agent) != nullptr) return;
    if (roster.Join(agent, who.role(), {who.capabilities().begin(), who.capabilities().end()})) {
      Log("agent_joined", agent, who.role());
    }
    return;
  }
  if (roster.Find(agent) == nullptr || phase < OPENING) return;  // it has no part in this run
  switch (message.message_case()) {
    case FromAgent::kAck:
      return OnAck(agent, message.ack());
    case FromAgent::kOpened:
      return OnOpened(agent, message.opened());
    case FromAgent::kBatch:
      return judging->Feed(agent, message.batch());
    case FromAgent::kEdge:
      return OnEdge(message.edge());
    case FromAgent::kTarget:
      return OnTarget(agent, message.target());
    case FromAgent::kClosed:
      return OnClosed(agent, message.closed());
    default:
      return;
  }
}

void Engine::State::OnAck(const std::string& agent, const agent::v1::Ack& ack) {
  const std::optional<run::Outbox::Sent> sent = outbox.OnAck(agent, ack.seq());
  if (!sent) return;
  run::Member* member = roster.Find(agent);
  if (sent->command == ToAgent::kPrepare) --member->prepares_open;
  if (ack.code() == 0) {
    if (sent->command == ToAgent::kBegin) member->begun = true;
    return;
  }
  const std::string why = absl::StrCat(agent, ": ", ack.error());
  if (sent->command == ToAgent::kOpenRun) member->refused = true;
  if (member->refused && sent->command != ToAgent::kOpenRun) return;
  if (ack.code() == static_cast<int>(absl::StatusCode::kPermissionDenied)) {
    return Stop(reason::kRefusedByPolicy, sent->action.empty() ? why : absl::StrCat(sent->action, ": ", why));
  }
  switch (sent->command) {
    case ToAgent::kPrepare:
    case ToAgent::kRelease:
      if (ending()) return;  // the end was quicker than the release
      for (const Finding& finding : faults.Refuse(sent->action, why)) {
        Log("fault_failed", sent->action, why);
        Stop(finding.code, finding.detail);
      }
      return;
    case ToAgent::kLift:
      return Stop(reason::kFaultNotLifted, absl::StrCat(sent->action, ": ", why));
    case ToAgent::kRenew:
      // After CloseRun the agent no longer has the run.
      if (phase < CLOSING) Stop(reason::kLeaseLost, why);
      return;
    case ToAgent::kHalt:
    case ToAgent::kCloseRun:
      notes.push_back(absl::StrCat("refused to end the run: ", why));
      if (sent->command == ToAgent::kCloseRun) member->closed = true;
      return Stop(reason::kAgentRefused, why);
    default:
      return Stop(reason::kAgentRefused, why);
  }
}

void Engine::State::OnOpened(const std::string& agent, const agent::v1::Opened& opened) {
  run::Member* member = roster.Find(agent);
  if (phase != OPENING || member->opened) return;
  member->opened = true;
  for (agent::v1::TargetInfo info : opened.targets()) {
    info.set_agent(agent);
    if (!targets.Add(info)) {
      return Stop(reason::kInventoryConflict, absl::StrCat(run::TargetBook::Name(info), " of ", agent));
    }
  }
  for (const auto& [name, address] : opened.addresses()) addresses[name] = address;
}

void Engine::State::OnTarget(const std::string& agent, TargetEdge edge) {
  if (edge.target().role().empty()) {  // the agent itself failed
    return Stop(reason::kAgentRefused, absl::StrCat(agent, ": ", edge.cause()));
  }
  edge.mutable_target()->set_agent(agent);
  targets.OnEdge(edge);
  const std::string name = run::TargetBook::Name(edge.target());
  switch (edge.edge()) {
    case TargetEdge::STARTED:
      return LogAt(edge.at_ns(), "target_started", name, absl::StrCat("incarnation ", edge.target().incarnation()));
    case TargetEdge::READY:
      return LogAt(edge.at_ns(), "target_ready", name, "");
    case TargetEdge::EXITED:
      return LogAt(edge.at_ns(), "target_exited", name,
                   edge.signal() != 0 ? absl::StrCat(edge.cause(), ", signal ", edge.signal())
                                      : absl::StrCat(edge.cause(), ", code ", edge.code()));
    case TargetEdge::FAILED:
      return LogAt(edge.at_ns(), "target_failed", name, edge.cause());
    default:
      return;
  }
}

void Engine::State::OnEdge(const FaultEdge& edge) {
  const bool news = edge.edge() != FaultEdge::EDGE_UNSPECIFIED;
  const std::vector<Finding> bad = faults.OnEdge(edge);
  const std::optional<size_t> index = timeline ? timeline->IndexOf(edge.action()) : std::nullopt;
  if (!news || !index) return;
  const char* kind = edge.edge() == FaultEdge::ARMED    ? "fault_armed"
                     : edge.edge() == FaultEdge::LIFTED ? "fault_lifted"
                                                        : "fault_failed";
  LogAt(edge.at_ns(), kind, edge.action(),
        edge.why().empty() ? edge.instance() : absl::StrCat(edge.instance(), ": ", edge.why()));
  FollowFaults(*index);
  for (const Finding& finding : bad) {
    // A release that the end of the run overtook is refused by the agent: nothing was to be armed any more.
    if (ending() && finding.code == reason::kFaultNotArmed) continue;
    Stop(finding.code, finding.detail);
  }
  if (edge.edge() == FaultEdge::LIFTED && edge.why() == "halted" && !ending()) {
    Stop(reason::kHaltedOnHost, edge.instance());
  }
}

void Engine::State::OnClosed(const std::string& agent, const agent::v1::Closed& message) {
  run::Member* member = roster.Find(agent);
  if (member->closed || phase != CLOSING) return;
  member->closed = true;
  closed.push_back(message);
  for (const std::string& note : message.notes()) notes.push_back(absl::StrCat(agent, ": ", note));
}

void Engine::State::OnLost(const std::string& agent) {
  run::Member* member = roster.Find(agent);
  if (member == nullptr || member->lost || member->closed) return;
  roster.Lose(agent);
  Log("agent_lost", agent, "");
  if (phase == AGENTS) return;  // another may come
  judging->LoseAgent(agent);
  Stop(reason::kAgentLost, agent);
}

void Engine::State::OnHaltRequest(const HaltRequest& halt) {
  Log("halt", "", halt.why);
  if (halt.exit_code == 0) return Stop(reason::kHalted, halt.why);
  if (interrupt_exit != 0) return;  // the first signal counts
  interrupt_exit = halt.exit_code;
  Stop(reason::kInterrupted, halt.why);
}

}  // namespace squall

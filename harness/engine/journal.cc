#include "harness/engine/journal.h"

#include <iterator>
#include <utility>

namespace squall {

using engine::v1::JournalEntry;

JournalEntry ToEntry(const Input& input) {
  JournalEntry entry;
  entry.set_now_ns(input.now);
  if (std::holds_alternative<Tick>(input.what)) entry.set_tick(true);
  if (const auto* said = std::get_if<FromAgentMsg>(&input.what)) {
    entry.mutable_said()->set_agent(said->agent);
    *entry.mutable_said()->mutable_message() = said->message;
  }
  if (const auto* lost = std::get_if<AgentLost>(&input.what)) entry.set_lost(lost->agent);
  if (const auto* halt = std::get_if<HaltRequest>(&input.what)) {
    entry.mutable_halt()->set_why(halt->why);
    entry.mutable_halt()->set_exit_code(halt->exit_code);
  }
  return entry;
}

Input ToInput(const JournalEntry& entry) {
  switch (entry.what_case()) {
    case JournalEntry::kSaid:
      return {entry.now_ns(), FromAgentMsg{entry.said().agent(), entry.said().message()}};
    case JournalEntry::kLost:
      return {entry.now_ns(), AgentLost{entry.lost()}};
    case JournalEntry::kHalt:
      return {entry.now_ns(), HaltRequest{entry.halt().why(), entry.halt().exit_code()}};
    default:
      return {entry.now_ns(), Tick{}};
  }
}

std::vector<Outgoing> Replay(const engine::v1::Journal& journal, Engine* engine) {
  std::vector<Outgoing> said;
  for (const JournalEntry& entry : journal.entries()) {
    if (engine->done()) break;
    std::vector<Outgoing> step = engine->Step(ToInput(entry));
    said.insert(said.end(), std::make_move_iterator(step.begin()), std::make_move_iterator(step.end()));
  }
  return said;
}

}  // namespace squall

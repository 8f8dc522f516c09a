// Records what went into an engine, so that a run can be replayed.
//
//   engine::v1::Journal journal;
//   *journal.add_entries() = ToEntry(input);
//   engine.Step(input);
//   ...
//   Engine again(plan, options);
//   Replay(journal, &again);        // the same messages, the same report
#ifndef HARNESS_ENGINE_JOURNAL_H_
#define HARNESS_ENGINE_JOURNAL_H_

#include <vector>

#include "harness/engine/engine.h"
#include "harness/engine/input.h"
#include "harness/engine/journal.pb.h"

namespace squall {

engine::v1::JournalEntry ToEntry(const Input& input);
Input ToInput(const engine::v1::JournalEntry& entry);  // an entry of no known kind is a Tick

// Everything the engine said, in order. Stops early when the engine is done.
std::vector<Outgoing> Replay(const engine::v1::Journal& journal, Engine* engine);

}  // namespace squall

#endif  // HARNESS_ENGINE_JOURNAL_H_

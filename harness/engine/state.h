// The inside of the engine: what it knows, and one file of methods for each stretch of a run.
#ifndef HARNESS_ENGINE_STATE_H_
#define HARNESS_ENGINE_STATE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "harness/engine/engine.h"
#include "harness/engine/fault_book.h"
#include "harness/engine/outbox.h"
#include "harness/engine/roster.h"
#include "harness/engine/target_book.h"
#include "harness/engine/timeline.h"
#include "harness/engine/verdict.h"
#include "harness/plan/schedule.h"

namespace squall {

struct Engine::State {
  enum Phase { AGENTS, OPENING, PREPARING, READYING, RUNNING, SETTLING, CLOSING, DONE };

  State(LoadedPlan loaded, EngineOptions given);

  // engine.cc
  void Handle(const Input& input);
  void Log(std::string kind, std::string subject, std::string detail);
  void LogAt(int64_t t_ns, std::string kind, std::string subject, std::string detail);
  void Enter(Phase next);
  void RenewLeases();
  void PlanWakeup();

  // messages.cc: what agents say
  void OnMessage(const std::string& agent, const agent::v1::FromAgent& message);
  void OnAck(const std::string& agent, const agent::v1::Ack& ack);
  void OnOpened(const std::string& agent, const agent::v1::Opened& opened);
  void OnTarget(const std::string& agent, agent::v1::TargetEdge edge);
  void OnEdge(const agent::v1::FaultEdge& edge);
  void OnClosed(const std::string& agent, const agent::v1::Closed& closed);
  void OnLost(const std::string& agent);
  void OnHaltRequest(const HaltRequest& halt);

  // phases_start.cc: until the run starts
  void StepAgents();
  void StepOpening();
  void StepPreparing();
  void StepReadying();
  void OpenRun();
  void PrepareAll();
  bool Prepare(const Action& action);  // false: the run was stopped
  void Begin();
  void StartRun();

  // phases_run.cc: while it runs
  void StepRunning();
  void Carry(const run::Decision& decision);
  void Release(size_t index, int64_t at_ns);
  void AnnounceRequests();
  void FollowFaults(size_t index);
  void CheckConfirmations();
  void CheckEnd();
  std::vector<std::string> OwnersOf(const Action& action) const;
  std::string OwnerOf(const Action& action, const agent::v1::FaultInstance& instance) const;
  std::optional<int64_t> EndAt() const;  // by run.length

  // phases_end.cc: from the end on
  void Stop(absl::string_view code, const std::string& detail);  // something ends the run before its time
  void Complete(int64_t at_ns);                                  // it has run its course
  void StepSettling();
  void FinishJudging();
  void CloseAll();
  void StepClosing();
  void Finish();

  // report_builder.cc
  report::v1::RunReport BuildReport() const;
  void AddIdentity(report::v1::RunReport* out) const;
  void AddStepsAndFaults(report::v1::RunReport* out) const;
  double DurationSeconds() const;
  VerdictFacts Facts() const;
  std::vector<report::v1::InvariantResult> Invariants() const;
  std::vector<report::v1::ConditionResult> Conditions() const;
  std::vector<report::v1::MeasureResult> Measures() const;
  report::v1::Overhead BuildOverhead() const;

  // status_line.cc
  std::string BuildStatusLine() const;

  bool started() const { return run_start_ns != 0; }
  bool ending() const { return phase >= SETTLING; }
  int64_t origin_ns() const { return started() ? run_start_ns : first_now; }

  const LoadedPlan plan;
  const EngineOptions options;
  const int64_t lease_ns;
  const int64_t every_ns;

  Phase phase = AGENTS;
  int64_t first_now = 0, now = 0, phase_since = 0;
  int64_t run_start_ns = 0, run_end_ns = 0;
  int64_t judged_until = 0;
  int64_t next_renew = 0, next_wakeup = 0;
  int64_t tick_late_max_ns = 0;

  run::Roster roster;
  run::Outbox outbox;
  run::FaultBook faults;
  run::TargetBook targets;
  std::unique_ptr<Judging> judging;
  Schedule schedule;
  std::optional<run::Timeline> timeline;  // over schedule.actions
  std::set<size_t> requested;             // steps whose time has come
  std::map<std::string, std::string> addresses;

  std::vector<Finding> findings;
  std::vector<std::string> notes;
  int interrupt_exit = 0;
  bool stopped = false;  // before its time: by Stop
  bool judged = false;   // Judging::Finish was called
  std::set<std::string> violated_before_stop;
  std::vector<agent::v1::Closed> closed;
  double controller_cpu_s = 0, controller_rss_mib = 0;

  struct Happened {
    int64_t t_ns;
    std::string kind, subject, detail;
  };
  std::vector<Happened> log;
};

}  // namespace squall

#endif  // HARNESS_ENGINE_STATE_H_

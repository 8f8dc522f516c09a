// squall: see `squall --help`.
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "harness/cli/commands.h"

namespace {

using squall::AgentFlags;
using squall::ByHandFlags;
using squall::ControllerFlags;
using squall::PlanFlags;
using squall::RunFlags;

void AddPlanFlags(CLI::App* app, PlanFlags* flags) {
  app->add_option("plan", flags->plan, "the plan: a .yaml or .textproto file")->required();
  app->add_option("--set", flags->sets, "set a param of the plan: NAME=VALUE (repeatable)");
  app->add_option("--bin", flags->binaries, "what ${bin.NAME} stands for: NAME=PATH (repeatable)");
  app->add_option("--seed", flags->seed, "seed of every random draw; drawn and printed if absent");
}

void AddRun(CLI::App* root, RunFlags* flags, std::function<void()> chosen) {
  CLI::App* app = root->add_subcommand("run", "carry out a plan and judge it");
  AddPlanFlags(app, &flags->plan);
  app->add_option("--report_dir", flags->report_dir, "where the report goes (default: squall-reports/RUN_ID)");
  app->add_option("--controller", flags->controller,
                  "use a running controller: unix:/path, or 127.0.0.1:PORT with --token_file");
  app->add_option("--token_file", flags->token_file, "shared secret for loopback TCP, mode 0600");
  app->add_flag("--quiet", flags->quiet, "no live line; the last screen only");
  app->footer(
      "Exit: 0 PASS, 1 FAIL, 2 bad plan or usage, 3 INCONCLUSIVE, 4 ABORTED, 5 ERROR, 130/143 interrupted.\n"
      "Example: squall run examples/redis/redis.yaml --bin server=/usr/bin/redis-server --seed 7");
  app->callback(std::move(chosen));
}

void AddPlanCommands(CLI::App* root, PlanFlags* flags, std::function<void()> check, std::function<void()> explain) {
  CLI::App* app = root->add_subcommand("check", "read a plan and name every problem in it; nothing is started");
  AddPlanFlags(app, flags);
  app->footer("Example: squall check outage.yaml --set buggy=10%");
  app->callback(std::move(check));
  app = root->add_subcommand("explain", "dry run: resolved targets, draws and actions; nothing is started");
  AddPlanFlags(app, flags);
  app->footer("Example: squall explain outage.yaml --seed 7");
  app->callback(std::move(explain));
}

void AddAgent(CLI::App* root, AgentFlags* flags, std::function<void()> chosen) {
  CLI::App* app = root->add_subcommand("agent", "start a target below an agent that can hurt it on request");
  app->add_option("--controller", flags->controller, "controller to dial: unix:/path or 127.0.0.1:PORT");
  app->add_option("--token_file", flags->token_file, "shared secret for loopback TCP, mode 0600");
  app->add_option("--name", flags->name, "name of the agent (default: role-PID)");
  app->add_option("--role", flags->role, "role of the target in plans (default: name of the program)");
  app->add_option("--label", flags->labels, "label of the target: NAME=VALUE (repeatable)");
  app->add_option(
      "--link", flags->links,
      "carry traffic: NAME=LISTEN,UPSTREAM, e.g. in=127.0.0.1:6400,127.0.0.1:6379 (repeatable; port 0 = any)");
  app->add_option("--port", flags->ports, "a port that the target listens on: NAME=HOST:PORT (repeatable)");
  app->add_option("--ready_log", flags->ready_log, "ready once a line of output matches this regular expression");
  app->add_option("--ready_tcp", flags->ready_tcp, "ready once this named --port accepts a connection");
  app->add_option("--socket", flags->socket, "own socket for arm, lift, list, halt (default: in a private directory)");
  app->add_option("--directory", flags->directory, "for the target's log (default: a fresh one)");
  app->add_option("--halt_file", flags->halt_file, "while this file exists, nothing is armed");
  app->add_flag("--test", flags->test_mode, "everything ends with the agent (default: the target lives on)");
  app->add_option("--guardian_fd", flags->guardian_fd)->group("");
  app->add_option("--lease_fd", flags->lease_fd)->group("");
  app->add_option("argv", flags->argv, "the target's program and arguments, after --");
  app->footer(
      "Example: squall agent --role=cache --link=in=127.0.0.1:6400,127.0.0.1:6379 -- redis-server --port 6379\n"
      "         squall arm delay --on link=in --for 30s latency=200ms");
  app->callback(std::move(chosen));
}

void AddController(CLI::App* root, ControllerFlags* flags, std::function<void()> chosen) {
  CLI::App* app = root->add_subcommand("controller", "wait for agents, carry out plans for `squall run --controller`");
  app->add_option("--listen", flags->listen, "unix:/path, or 127.0.0.1:PORT with --token_file")->required();
  app->add_option("--token_file", flags->token_file, "shared secret for loopback TCP, mode 0600");
  app->footer("Example: squall controller --listen=unix:/run/user/1000/squall/controller.sock");
  app->callback(std::move(chosen));
}

void AddByHand(CLI::App* root, ByHandFlags* flags, int* exit_code) {
  CLI::App* arm = root->add_subcommand("arm", "arm a fault at a running agent; it ends by itself");
  arm->add_option("kind", flags->kind, "fault kind: crash, hang, delay, load_spike, start, drain")->required();
  arm->add_option("--on", flags->on,
                  "whom: role=ROLE[,count=N|percent=P|all=true][,label.NAME=VALUE], link=NAME, load=NAME")
      ->required();
  arm->add_option("--for", flags->for_, "how long, at most 15m")->required();
  arm->add_option("--name", flags->name, "name for list and lift (default: made up)");
  arm->add_option("--seed", flags->seed, "seed of its draws");
  arm->add_option("parameters", flags->parameters, "of the kind: FIELD=VALUE, e.g. latency=1s direction=DOWNSTREAM");
  arm->footer(
      "Example: squall arm delay --on link=in --for 30s latency=200ms jitter=50ms\n"
      "         squall arm hang --on role=cache --for 5s");
  arm->callback([=] { *exit_code = squall::ArmCommand(*flags); });
  CLI::App* lift = root->add_subcommand("lift", "end an armed fault now");
  lift->add_option("name", flags->name, "its name, as arm and list print it");
  lift->add_flag("--all", flags->all, "all of them");
  lift->footer("Example: squall lift delay-1");
  lift->callback([=] { *exit_code = squall::LiftCommand(*flags); });
  CLI::App* list = root->add_subcommand("list", "show the agent's targets, links and armed faults");
  list->footer("Example: squall list");
  list->callback([=] { *exit_code = squall::ListCommand(*flags); });
  CLI::App* halt = root->add_subcommand("halt", "lift everything now and refuse new faults until --clear");
  halt->add_flag("--clear", flags->clear, "allow faults again");
  halt->footer("Example: squall halt");
  halt->callback([=] { *exit_code = squall::HaltCommand(*flags); });
  for (CLI::App* app : {arm, lift, list, halt}) {
    app->add_option("--agent", flags->agent, "socket of the agent (default: the only one that runs)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Squall: fault injection for real processes, judged by invariants.");
  app.name("squall");
  app.require_subcommand(1);
  app.footer("squall COMMAND --help shows an example of each.");
  int exit_code = 0;
  RunFlags run;
  PlanFlags plan;
  AgentFlags agent;
  ControllerFlags controller;
  ByHandFlags by_hand;
  agent.original.assign(argv, argv + argc);
  AddRun(&app, &run, [&] { exit_code = squall::RunCommand(run); });
  AddPlanCommands(
      &app, &plan, [&] { exit_code = squall::CheckCommand(plan); }, [&] { exit_code = squall::ExplainCommand(plan); });
  AddAgent(&app, &agent, [&] { exit_code = squall::AgentCommand(agent); });
  AddController(&app, &controller, [&] { exit_code = squall::ControllerCommand(controller); });
  AddByHand(&app, &by_hand, &exit_code);
  app.add_subcommand("version", "print the version")->callback([] {
    std::cout << "squall " << squall::kVersion << "\n";
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : squall::kBadUsage;
  }
  return exit_code;
}

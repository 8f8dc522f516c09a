// arm, lift, list, halt: a call to the agent's own socket.
#include <chrono>
#include <iostream>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "faults/core/clock.h"
#include "faults/core/status_macros.h"
#include "harness/api/agent.grpc.pb.h"
#include "harness/cli/agent_sockets.h"
#include "harness/cli/binaries.h"
#include "harness/cli/commands.h"
#include "harness/cli/fault_flags.h"
#include "harness/controller/address.h"

namespace squall {
namespace {

using agent::v1::AgentLocal;

absl::Status ToStatus(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

template <typename Request, typename Reply>
absl::StatusOr<Reply> Call(const ByHandFlags& flags, const Request& request,
                           grpc::Status (AgentLocal::Stub::*method)(grpc::ClientContext*, const Request&, Reply*)) {
  std::string socket = AbsolutePath(flags.agent);
  if (socket.empty()) {
    ASSIGN_OR_RETURN(socket, OnlyAgentSocket());
  }
  ASSIGN_OR_RETURN(const Address address, ParseAddress(socket, ""));
  const auto stub = AgentLocal::NewStub(Dial(address));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  Reply reply;
  RETURN_IF_ERROR(ToStatus((stub.get()->*method)(&context, request, &reply)));
  return reply;
}

int Complain(const char* command, const absl::Status& status) {
  std::cerr << "squall " << command << ": " << status.message() << "\n";
  return absl::IsInvalidArgument(status) ? kBadUsage : kToolError;
}

double Seconds(int64_t ns) { return static_cast<double>(ns) / kSecond; }

}  // namespace

int ArmCommand(const ByHandFlags& flags) {
  const auto request = ParseArm(flags);
  if (!request.ok()) return Complain("arm", request.status());
  const auto reply = Call(flags, *request, &AgentLocal::Stub::Arm);
  if (!reply.ok()) return Complain("arm", reply.status());
  std::cout << reply->name() << " armed on " << absl::StrJoin(reply->targets(), ", ") << " for "
            << Seconds(request->duration_ns()) << " s; it ends by itself. Earlier: squall lift " << reply->name()
            << "\n";
  return 0;
}

int LiftCommand(const ByHandFlags& flags) {
  if (flags.name.empty() != flags.all) return Complain("lift", absl::InvalidArgumentError("give a name or --all"));
  agent::v1::LiftRequest request;
  request.set_name(flags.name);
  request.set_all(flags.all);
  const auto reply = Call(flags, request, &AgentLocal::Stub::Lift);
  if (!reply.ok()) return Complain("lift", reply.status());
  std::cout << (reply->lifted().empty() ? "nothing was armed" : "lifted " + absl::StrJoin(reply->lifted(), ", "))
            << "\n";
  return 0;
}

int ListCommand(const ByHandFlags& flags) {
  const auto reply = Call(flags, agent::v1::ListRequest(), &AgentLocal::Stub::List);
  if (!reply.ok()) return Complain("list", reply.status());
  for (int i = 0; i < reply->targets_size(); ++i) {
    const auto& target = reply->targets(i);
    std::cout << target.role() << "/" << target.index() << "  " << reply->states(i) << "  incarnation "
              << target.incarnation() << "\n";
  }
  const std::map<std::string, std::string> addresses(reply->addresses().begin(), reply->addresses().end());
  for (const auto& [name, address] : addresses) std::cout << name << "  " << address << "\n";
  for (const auto& armed : reply->armed()) {
    std::cout << armed.name() << "  " << armed.kind() << " on " << absl::StrJoin(armed.targets(), ", ") << "  "
              << Seconds(armed.remaining_ns()) << " s left  " << armed.witness().detail() << "\n";
  }
  if (reply->armed().empty()) std::cout << "no fault is armed\n";
  if (reply->halted()) std::cout << "HALTED: squall halt --clear allows faults again\n";
  return 0;
}

int HaltCommand(const ByHandFlags& flags) {
  agent::v1::HaltRequest request;
  request.set_clear(flags.clear);
  const auto reply = Call(flags, request, &AgentLocal::Stub::Halt);
  if (!reply.ok()) return Complain("halt", reply.status());
  if (flags.clear) {
    std::cout << "faults are allowed again\n";
  } else {
    std::cout << "halted; lifted " << reply->lifted_size() << ". Nothing is armed until: squall halt --clear\n";
  }
  return 0;
}

}  // namespace squall

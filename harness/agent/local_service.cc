#include "harness/agent/local_service.h"

#include <memory>
#include <string>
#include <utility>

#include "faults/core/mutex.h"

namespace squall {

grpc::Status LocalService::OnLoop(std::function<absl::Status()> work) {
  struct Call {
    Mutex mutex;
    CondVar done_changed;
    bool done ABSL_GUARDED_BY(mutex) = false;
    bool abandoned ABSL_GUARDED_BY(mutex) = false;
    absl::Status status ABSL_GUARDED_BY(mutex);
  };
  auto call = std::make_shared<Call>();
  loop_->Post([call, work = std::move(work)] {
    MutexLock lock(&call->mutex);
    if (call->abandoned) return;  // the caller's reply is gone
    call->status = work();
    call->done = true;
    call->done_changed.Notify();
  });
  MutexLock lock(&call->mutex);
  for (int waited = 0; !call->done && waited < 50; ++waited) {
    call->done_changed.WaitFor(&call->mutex, 100 * kMillisecond);
  }
  if (!call->done) {
    call->abandoned = true;
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the agent is too busy to answer");
  }
  return grpc::Status(static_cast<grpc::StatusCode>(call->status.code()), std::string(call->status.message()));
}

grpc::Status LocalService::Arm(grpc::ServerContext*, const agent::v1::ArmRequest* request, agent::v1::ArmReply* reply) {
  return OnLoop([this, request, reply] {
    auto result = core_->Arm(*request);
    if (result.ok()) *reply = *std::move(result);
    return result.status();
  });
}

grpc::Status LocalService::Lift(grpc::ServerContext*, const agent::v1::LiftRequest* request,
                                agent::v1::LiftReply* reply) {
  return OnLoop([this, request, reply] {
    auto result = core_->Lift(*request);
    if (result.ok()) *reply = *std::move(result);
    return result.status();
  });
}

grpc::Status LocalService::List(grpc::ServerContext*, const agent::v1::ListRequest*, agent::v1::ListReply* reply) {
  return OnLoop([this, reply] {
    *reply = core_->List();
    return absl::OkStatus();
  });
}

grpc::Status LocalService::Halt(grpc::ServerContext*, const agent::v1::HaltRequest* request,
                                agent::v1::HaltReply* reply) {
  return OnLoop([this, request, reply] {
    *reply = core_->Halt(*request);
    return absl::OkStatus();
  });
}

}  // namespace squall

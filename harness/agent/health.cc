#include "harness/agent/health.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/mutex.h"
#include "harness/agent/health.grpc.pb.h"

namespace squall {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

struct HealthChecker::State {
  Mutex mutex;
  CondVar idle;
  int outstanding ABSL_GUARDED_BY(mutex) = 0;
  std::map<std::string, std::shared_ptr<grpc::Channel>> channels;  // loop thread
};

HealthChecker::HealthChecker(EventLoop* loop) : loop_(loop), state_(std::make_shared<State>()) {}

HealthChecker::~HealthChecker() {
  MutexLock lock(&state_->mutex);
  while (state_->outstanding > 0) state_->idle.WaitFor(&state_->mutex, kSecond);
}

void HealthChecker::Check(const std::string& address, const std::string& service, int64_t timeout_ns,
                          std::function<void(absl::Status)> done) {
  struct Call {
    grpc::ClientContext context;
    HealthCheckRequest request;
    HealthCheckResponse response;
    std::unique_ptr<Health::Stub> stub;
  };
  auto& channel = state_->channels[address];
  if (channel == nullptr) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  }
  auto call = std::make_shared<Call>();
  call->stub = Health::NewStub(channel);
  call->request.set_service(service);
  call->context.set_deadline(std::chrono::system_clock::now() + std::chrono::nanoseconds(timeout_ns));
  {
    MutexLock lock(&state_->mutex);
    ++state_->outstanding;
  }
  // The loop outlives the calls: the destructor waits for them.
  call->stub->async()->Check(&call->context, &call->request, &call->response,
                             [call, done = std::move(done), loop = loop_, state = state_](grpc::Status status) {
                               absl::Status result;
                               if (!status.ok()) {
                                 result = absl::UnavailableError(status.error_message());
                               } else if (call->response.status() != HealthCheckResponse::SERVING) {
                                 result = absl::UnavailableError("not serving");
                               }
                               loop->Post([done, result] { done(result); });
                               MutexLock lock(&state->mutex);
                               --state->outstanding;
                               state->idle.Notify();
                             });
}

}  // namespace squall

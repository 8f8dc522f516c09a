#include "targets/skype/rpc.h"

namespace skype {

std::shared_ptr<grpc::Channel> OwnChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

InFlight::~InFlight() {
  std::unique_lock lock(mutex_);
  for (grpc::ClientContext* context : contexts_) context->TryCancel();
  none_left_.wait(lock, [this] { return contexts_.empty(); });
}

size_t InFlight::size() const {
  std::lock_guard lock(mutex_);
  return contexts_.size();
}

void InFlight::Begin(grpc::ClientContext* context) {
  std::lock_guard lock(mutex_);
  contexts_.insert(context);
}

void InFlight::End(grpc::ClientContext* context) {
  std::lock_guard lock(mutex_);
  contexts_.erase(context);
  none_left_.notify_all();  // under the lock: the owner may be gone right after it is released
}

}  // namespace skype

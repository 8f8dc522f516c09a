// Unary gRPC calls for a program that lives on a Loop: started there, answered there, cancelled and waited for at the
// end.
//
//   InFlight calls(&loop);
//   auto call = std::make_shared<Call<v1::HostsRequest, v1::HostsReply>>();
//   calls.Run(call,
//             [&](auto& c, auto done) { stub->async()->Hosts(&c.context, &c.request, &c.reply, std::move(done)); },
//             [&](const grpc::Status& status, int64_t received) { use(call->reply); });
#ifndef TARGETS_SKYPE_RPC_H_
#define TARGETS_SKYPE_RPC_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "targets/skype/net.h"

namespace skype {

// A channel with a TCP connection of its own, as another process would have.
std::shared_ptr<grpc::Channel> OwnChannel(const std::string& address);

template <typename Request, typename Reply>
struct Call {
  grpc::ClientContext context;
  Request request;
  Reply reply;
};

// Destroy it after the loop has stopped and before the loop is destroyed.
class InFlight {
 public:
  explicit InFlight(Loop* loop) : loop_(loop) {}
  ~InFlight();

  // `start` hands the call to gRPC; `done` runs on the loop with the time at which the reply was received.
  template <typename C, typename Start>
  void Run(std::shared_ptr<C> call, Start start, std::function<void(const grpc::Status&, int64_t)> done) {
    Begin(&call->context);
    start(*call, [this, call, done = std::move(done)](grpc::Status status) {
      const int64_t received = Loop::Now();
      loop_->Post([done, status, received, call] { done(status, received); });
      End(&call->context);
    });
  }
  size_t size() const;

 private:
  void Begin(grpc::ClientContext* context);
  void End(grpc::ClientContext* context);

  Loop* const loop_;
  mutable std::mutex mutex_;
  std::condition_variable none_left_;
  std::set<grpc::ClientContext*> contexts_;  // under mutex_
};

}  // namespace skype

#endif  // TARGETS_SKYPE_RPC_H_

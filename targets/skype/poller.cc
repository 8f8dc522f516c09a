#include "targets/skype/poller.h"

#include <utility>

namespace skype {

Poller::Poller(Loop* loop, const PollerOptions& options, std::function<void(int64_t, int64_t)> on_reply)
    : loop_(loop),
      options_(options),
      on_reply_(std::move(on_reply)),
      rng_(options.seed, 0x9011),
      channel_(OwnChannel(options.address)),
      stub_(v1::OfflineMessages::NewStub(channel_)),
      calls_(loop) {
  channel_->GetState(/*try_to_connect=*/true);
  loop_->At(Loop::Now() + Seconds(options_.first_after_s), [this] { Tick(); });
}

void Poller::Tick() {
  loop_->At(Loop::Now() + Seconds(options_.period_s * rng_.Uniform(0.9, 1.1)), [this] { Tick(); });
  if (channel_->GetState(/*try_to_connect=*/true) == GRPC_CHANNEL_READY && calls_.size() < kMaxOutstanding) {
    Send();
  } else {
    ++failed_;
  }
}

void Poller::Send() {
  ++sent_;
  auto call = std::make_shared<Call<v1::PollRequest, v1::PollReply>>();
  call->request.set_client(options_.client);
  call->request.set_slice(options_.slice);
  const int64_t sent = Loop::Now();
  calls_.Run(
      call, [this](auto& c, auto done) { stub_->async()->Poll(&c.context, &c.request, &c.reply, std::move(done)); },
      [this, sent](const grpc::Status& status, int64_t received) {
        if (status.ok()) {
          on_reply_(sent, received);
        } else {
          ++failed_;
        }
      });
}

}  // namespace skype

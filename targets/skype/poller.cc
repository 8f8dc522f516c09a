#include "targets/skype/poller.h"

#include <utility>

namespace skype {

Poller::Poller(Loop* loop, const PollerOptions& options, std::function<void(int64_t, int64_t)> on_late)
    : loop_(loop),
      options_(options),
      on_late_(std::move(on_late)),
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
          OnReply(sent, received);
        } else {
          ++failed_;
        }
      });
}

void Poller::OnReply(int64_t sent, int64_t received) {
  if (received - sent <= Seconds(options_.late_after_s)) {
    signed_in_ = true;
  } else if (signed_in_) {
    ++late_;
    on_late_(sent, received);
  }
}

}  // namespace skype

#include "targets/skype/bootstrap_client.h"

#include <chrono>
#include <utility>

namespace skype {
namespace {
void SetDeadline(grpc::ClientContext& context) {
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
}
}  // namespace

Registration::Registration(Loop* loop, const std::string& bootstrap, const v1::Host& host,
                           std::function<void()> on_first)
    : loop_(loop),
      host_(host),
      on_first_(std::move(on_first)),
      stub_(v1::Bootstrap::NewStub(OwnChannel(bootstrap))),
      calls_(loop) {
  Send();
}

void Registration::Send() {
  auto call = std::make_shared<Call<v1::Host, v1::RegisterReply>>();
  call->request = host_;
  SetDeadline(call->context);
  calls_.Run(
      call, [this](auto& c, auto done) { stub_->async()->Register(&c.context, &c.request, &c.reply, std::move(done)); },
      [this](const grpc::Status& status, int64_t) {
        if (status.ok() && on_first_ != nullptr) std::exchange(on_first_, nullptr)();
        loop_->At(Loop::Now() + (status.ok() ? 5 * kSecond : 250 * kMillisecond), [this] { Send(); });
      });
}

HostWatch::HostWatch(Loop* loop, const std::string& bootstrap, double every_s,
                     std::function<void(const v1::Host&)> on_new)
    : loop_(loop),
      every_s_(every_s),
      on_new_(std::move(on_new)),
      stub_(v1::Bootstrap::NewStub(OwnChannel(bootstrap))),
      calls_(loop) {
  Send();
}

void HostWatch::Send() {
  auto call = std::make_shared<Call<v1::HostsRequest, v1::HostsReply>>();
  SetDeadline(call->context);
  calls_.Run(
      call, [this](auto& c, auto done) { stub_->async()->Hosts(&c.context, &c.request, &c.reply, std::move(done)); },
      [this, call](const grpc::Status& status, int64_t) {
        for (const v1::Host& host : call->reply.hosts()) {
          if (known_.insert(host.address()).second) on_new_(host);
        }
        loop_->At(Loop::Now() + Seconds(every_s_), [this] { Send(); });
      });
}

}  // namespace skype

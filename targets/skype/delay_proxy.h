// For tests: a TCP proxy that can hold what flows from the server to the client back for a while, in order.
#ifndef TARGETS_SKYPE_DELAY_PROXY_H_
#define TARGETS_SKYPE_DELAY_PROXY_H_

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "targets/skype/dial.h"
#include "targets/skype/net.h"

namespace skype {

class DelayProxy {
 public:
  DelayProxy(Loop* loop, int upstream_port) : loop_(loop), upstream_(upstream_port), listener_(*ListenLoopback(0)) {
    loop_->Watch(listener_, EPOLLIN, [this](uint32_t) { Accept(); });
  }
  ~DelayProxy() {
    while (!open_.empty()) Close(*open_.begin());
    loop_->Unwatch(listener_);
    close(listener_);
  }
  int port() const { return PortOf(listener_); }
  void set_delay_s(double delay_s) { delay_s_ = delay_s; }

 private:
  struct Pair {
    int client, server;
    int64_t last_due = 0;
  };
  using PairPtr = std::shared_ptr<Pair>;

  void Accept() {
    const int client = AcceptNonBlocking(listener_);
    if (client < 0) return;
    const Dialed server = Dialer().Dial(*ParseAddress("127.0.0.1:" + std::to_string(upstream_)), "");
    if (server.fd < 0) return ResetAndClose(client);
    auto pair = std::make_shared<Pair>(Pair{client, server.fd});
    open_.insert(pair);
    loop_->Watch(client, EPOLLIN, [this, pair](uint32_t) { Up(pair); });
    loop_->Watch(server.fd, EPOLLIN, [this, pair](uint32_t) { Down(pair); });
  }

  // What can be read now; closes the pair at the end of the stream.
  std::string Read(const PairPtr& pair, int fd) {
    std::string bytes(65536, '\0');
    const ssize_t count = recv(fd, bytes.data(), bytes.size(), 0);
    if (count == 0 || (count < 0 && errno != EAGAIN)) Close(pair);
    bytes.resize(count > 0 ? count : 0);
    return bytes;
  }
  void Up(const PairPtr& pair) { SendAll(pair->server, Read(pair, pair->client)); }
  void Down(const PairPtr& pair) {
    std::string bytes = Read(pair, pair->server);
    if (bytes.empty()) return;
    pair->last_due = std::max(pair->last_due, Loop::Now() + Seconds(delay_s_));
    loop_->At(pair->last_due, [this, pair, bytes = std::move(bytes)] {
      if (open_.contains(pair)) SendAll(pair->client, bytes);
    });
  }
  void Close(PairPtr pair) {
    if (open_.erase(pair) == 0) return;
    for (const int fd : {pair->client, pair->server}) {
      loop_->Unwatch(fd);
      ResetAndClose(fd);
    }
  }

  Loop* const loop_;
  const int upstream_;
  const int listener_;
  double delay_s_ = 0;
  std::set<PairPtr> open_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_DELAY_PROXY_H_

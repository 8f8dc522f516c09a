// A client's side of the host list: put yourself on it, and keep a copy of it.
#ifndef TARGETS_SKYPE_BOOTSTRAP_CLIENT_H_
#define TARGETS_SKYPE_BOOTSTRAP_CLIENT_H_

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "targets/skype/net.h"
#include "targets/skype/rpc.h"
#include "targets/skype/skype.grpc.pb.h"

namespace skype {

// Registers `host`, again every 250 ms until it worked, then every 5 s in case the list was lost.
class Registration {
 public:
  Registration(Loop* loop, const std::string& bootstrap, const v1::Host& host, std::function<void()> on_first);

 private:
  void Send();

  Loop* const loop_;
  const v1::Host host_;
  std::function<void()> on_first_;
  std::unique_ptr<v1::Bootstrap::Stub> stub_;
  InFlight calls_;
};

// Fetches the list every `every_s` seconds and hands over each address once, in the order of registration.
class HostWatch {
 public:
  HostWatch(Loop* loop, const std::string& bootstrap, double every_s, std::function<void(const v1::Host&)> on_new);

 private:
  void Send();

  Loop* const loop_;
  const double every_s_;
  const std::function<void(const v1::Host&)> on_new_;
  std::unique_ptr<v1::Bootstrap::Stub> stub_;
  std::set<std::string> known_;
  InFlight calls_;
};

}  // namespace skype

#endif  // TARGETS_SKYPE_BOOTSTRAP_CLIENT_H_

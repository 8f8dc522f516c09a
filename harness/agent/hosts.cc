#include "harness/agent/hosts.h"

#include <unistd.h>

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"

namespace squall {

using host::v1::HostReply;
using host::v1::HostRequest;

struct Hosts::Host {
  std::string key;
  bool is_relay = false;
  int pid = 0;
  std::unique_ptr<HostClient> channel;  // null while it is down
  std::function<void(absl::Status)> on_first_up;
};

namespace {

// Undo and observation of a fault that lives in another process. Shared by both, since either may come last.
struct RemoteFault {
  std::weak_ptr<void> alive;
  std::function<absl::StatusOr<HostReply>(HostRequest)> call;
  std::string instance;
  faults::v1::Witness last;
  bool lifted = false;
};

absl::Status LiftRemote(RemoteFault* fault) {
  HostRequest request;
  request.mutable_lift()->set_instance(fault->instance);
  ASSIGN_OR_RETURN(const HostReply reply, fault->call(std::move(request)));
  fault->last = reply.witness();
  fault->lifted = true;
  return absl::OkStatus();
}

faults::v1::Witness ObserveRemote(RemoteFault* fault) {
  HostRequest request;
  request.mutable_witness()->set_instance(fault->instance);
  const auto reply = fault->call(std::move(request));
  if (reply.ok()) fault->last = reply->witness();
  return fault->last;
}

}  // namespace

Hosts::Hosts(EventLoop* loop, GuardianClient* guardian, Options options)
    : loop_(loop), guardian_(guardian), options_(std::move(options)) {}

Hosts::~Hosts() { Forget(); }

void Hosts::Forget() {
  for (auto& [key, host] : hosts_) {
    if (host->channel != nullptr) loop_->Unwatch(host->channel->fd());
    host->channel.reset();
  }
}

void Hosts::StartRelay(const std::string& key, const std::vector<LinkListener>& listeners,
                       std::function<void(absl::Status)> done) {
  guardian::v1::SpawnHost spawn;
  spawn.add_argv(options_.relay_binary);
  spawn.set_outlives_agent(true);
  spawn.set_respawn(true);
  for (const LinkListener& listener : listeners) {
    auto* added = spawn.add_listeners();
    added->set_name(listener.object);
    added->set_address(listener.listen);
    spawn.add_argv(absl::StrCat("--upstream=", listener.object, "=", listener.upstream));
    objects_[listener.object] = key;
  }
  Spawn(key, std::move(spawn), std::move(done));
}

void Hosts::StartLoad(const host::v1::StartLoad& load, std::function<void(absl::Status)> done) {
  const std::string key = absl::StrCat("load/", load.name());
  guardian::v1::SpawnHost spawn;
  spawn.add_argv(options_.load_binary);
  objects_[load.name()] = key;
  Spawn(key, std::move(spawn), [this, key, load, done = std::move(done)](absl::Status up) {
    if (!up.ok()) return done(up);
    const auto& host = hosts_[key];
    HostRequest request;
    *request.mutable_start_load() = load;
    const auto reply = host->channel->Call(std::move(request));
    done(reply.ok() ? absl::OkStatus() : reply.status());
  });
}

void Hosts::Spawn(const std::string& key, guardian::v1::SpawnHost spawn, std::function<void(absl::Status)> done) {
  auto host = std::make_shared<Host>();
  host->key = key;
  host->is_relay = spawn.outlives_agent();
  host->on_first_up = std::move(done);
  hosts_[key] = host;
  spawn.set_key(key);
  std::string file = key;
  for (char& c : file) {
    if (c == '/') c = '.';
  }
  spawn.set_output(absl::StrCat(options_.directory, "/", file, ".log"));
  guardian::v1::Request request;
  *request.mutable_spawn_host() = std::move(spawn);
  const auto reply = guardian_->Call(std::move(request));
  if (reply.ok()) return;  // HostUp follows
  loop_->After(0, [host, status = reply.status()] {
    if (auto first = std::exchange(host->on_first_up, nullptr)) first(status);
  });
}

void Hosts::OnHostUp(const guardian::v1::HostUp& up, int fd) {
  const auto found = hosts_.find(up.key());
  if (found == hosts_.end()) {
    close(fd);
    return;
  }
  const std::shared_ptr<Host> host = found->second;
  if (host->channel != nullptr) loop_->Unwatch(host->channel->fd());
  host->pid = up.pid();
  HostClient::Events events;
  events.stats = options_.stats;
  events.ended = options_.ended;
  events.gone = [this, weak = std::weak_ptr<Host>(host)] {
    // Not from inside the channel's own callback: it would be destroyed while it runs.
    if (const auto gone = weak.lock(); gone != nullptr && gone->channel != nullptr) loop_->Unwatch(gone->channel->fd());
  };
  host->channel = std::make_unique<HostClient>(fd, std::move(events));
  loop_->Watch(fd, EPOLLIN, [weak = std::weak_ptr<Host>(host)](uint32_t) {
    if (const auto readable = weak.lock(); readable != nullptr && readable->channel != nullptr) {
      readable->channel->OnReadable();
    }
  });
  for (const auto& [name, address] : up.addresses()) addresses_[name] = address;
  if (auto first = std::exchange(host->on_first_up, nullptr)) first(absl::OkStatus());
}

bool Hosts::OnExited(const guardian::v1::Exited& exited) {
  const auto found = hosts_.find(exited.key());
  if (found == hosts_.end()) return false;
  const std::shared_ptr<Host> host = found->second;
  host->pid = 0;
  if (host->channel != nullptr) loop_->Unwatch(host->channel->fd());
  host->channel.reset();
  if (auto first = std::exchange(host->on_first_up, nullptr)) {
    first(absl::UnavailableError(absl::StrCat(exited.key(), " ended as soon as it was started")));
  }
  options_.lost(exited.key(), host->is_relay);
  return true;
}

absl::StatusOr<ArmedFault> Hosts::Arm(const faults::v1::Fault& fault, const std::string& object,
                                      const std::string& instance, const ArmContext& context) {
  const auto key = objects_.find(object);
  if (key == objects_.end()) return absl::NotFoundError(absl::StrCat("no link or load named ", object, " here"));
  const std::shared_ptr<Host> host = hosts_[key->second];
  auto remote = std::make_shared<RemoteFault>();
  remote->instance = instance;
  remote->call = [weak = std::weak_ptr<Host>(host)](HostRequest request) -> absl::StatusOr<HostReply> {
    const auto alive = weak.lock();
    if (alive == nullptr || alive->channel == nullptr) return absl::UnavailableError("its fault host is down");
    return alive->channel->Call(std::move(request));
  };
  HostRequest request;
  auto* arm = request.mutable_arm();
  arm->set_instance(instance);
  *arm->mutable_fault() = fault;
  arm->set_object(object);
  arm->set_deadline_ns(context.deadline_ns);
  arm->set_seed(context.seed);
  arm->set_site(context.site);
  ASSIGN_OR_RETURN(const HostReply reply, remote->call(std::move(request)));
  remote->last = reply.witness();
  return ArmedFault([remote] { return LiftRemote(remote.get()); }, [remote] { return ObserveRemote(remote.get()); });
}

double Hosts::CpuSeconds() const {
  double total = 0;
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const auto& [key, host] : hosts_) {
    if (host->pid == 0) continue;
    std::ifstream stat(absl::StrCat("/proc/", host->pid, "/stat"));
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    const size_t close = text.rfind(')');  // the name before it may hold anything
    if (close == text.npos) continue;
    std::istringstream fields(text.substr(close + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0, system = 0;
    fields >> user >> system;
    total += (user + system) / ticks;
  }
  return total;
}

}  // namespace squall

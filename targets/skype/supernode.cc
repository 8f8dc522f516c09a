#include "targets/skype/supernode.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_format.h"

namespace skype {
namespace {
constexpr int64_t kLoginWithin = 2 * kSecond;
constexpr int kAcceptsPerRound = 64;  // so that a flood of connections cannot starve the users who are in

v1::LoginReply::Answer ToReply(Admission::Answer answer) {
  switch (answer) {
    case Admission::kOk:
      return v1::LoginReply::ANSWER_OK;
    case Admission::kFull:
      return v1::LoginReply::ANSWER_FULL;
    case Admission::kShed:
      return v1::LoginReply::ANSWER_SHED;
  }
  return v1::LoginReply::ANSWER_UNSPECIFIED;
}
}  // namespace

Supernode::Supernode(Loop* loop, const SupernodeOptions& options)
    : loop_(loop),
      options_(options),
      admission_(options.admission),
      rng_(options.seed ^ 0x5a5a, options.index),
      port_(options.port) {
  Sweep();
}

Supernode::~Supernode() {
  drained_ = nullptr;
  loop_->Cancel(sweep_timer_);
  loop_->Cancel(away_timer_);
  loop_->Cancel(goodbye_timer_);
  CloseListener();
  CloseAll();
  if (holder_ >= 0) close(holder_);
}

absl::Status Supernode::Open() {
  if (holder_ < 0) {
    absl::StatusOr<int> holder = HoldLoopback(port_);
    if (!holder.ok()) return holder.status();
    holder_ = *holder;
    port_ = PortOf(holder_);
  }
  absl::StatusOr<int> listener = ListenLoopback(port_);
  if (!listener.ok()) return listener.status();
  listener_ = *listener;
  loop_->Watch(listener_, EPOLLIN, [this](uint32_t) { Accept(); });
  return absl::OkStatus();
}

void Supernode::Accept() {
  for (int i = 0; i < kAcceptsPerRound && listener_ >= 0; ++i) {
    const int fd = AcceptNonBlocking(listener_);
    if (fd < 0) return;
    connections_[fd].since = Loop::Now();
    loop_->Watch(fd, EPOLLIN, [this, fd](uint32_t) { Read(fd); });
  }
}

void Supernode::Read(int fd) {
  char buffer[4096];
  const ssize_t count = read(fd, buffer, sizeof(buffer));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return Close(fd);
  Connection& connection = connections_[fd];
  connection.reader.Append({buffer, static_cast<size_t>(count)});
  v1::Frame frame;
  for (;;) {
    const absl::StatusOr<bool> got = connection.reader.Next(&frame);
    if (got.ok() && !*got) break;
    if (!got.ok() || !Handle(fd, connection, frame)) {
      ++protocol_errors_total_;
      return Close(fd);
    }
  }
  DropIfOverloaded();
}

bool Supernode::Handle(int fd, Connection& connection, const v1::Frame& frame) {
  switch (frame.kind_case()) {
    case v1::Frame::kLogin:
      if (connection.logged_in) return false;
      HandleLogin(fd, connection, frame.login());
      return true;
    case v1::Frame::kLookup: {
      if (!connection.logged_in) return false;
      admission_.Lookup(Loop::Now());
      v1::Frame reply;
      reply.mutable_lookup_reply()->set_user(frame.lookup().user());
      reply.mutable_lookup_reply()->set_online_here(users_.contains(frame.lookup().user()));
      return SendAll(fd, EncodeFrame(reply));
    }
    default:
      return false;
  }
}

void Supernode::HandleLogin(int fd, Connection& connection, const v1::Login& login) {
  const Admission::Answer answer = draining_ ? Admission::kFull : admission_.Login(Loop::Now(), login.first());
  if (answer == Admission::kOk) {
    connection.logged_in = true;
    connection.user = login.user();
    users_[connection.user] = fd;
  }
  v1::Frame reply;
  reply.mutable_login_reply()->set_answer(ToReply(answer));
  SendAll(fd, EncodeFrame(reply));  // a user who is gone already shows at the next read
}

void Supernode::DropIfOverloaded() {
  if (in_role() && admission_.Overloaded(Loop::Now())) Drop();
}

void Supernode::Drop() {
  ++drops_total_;
  PrintLine(absl::StrFormat("role dropped load=%.1f limit=%.1f users=%d", admission_.Level(Loop::Now()),
                            admission_.depth(), admission_.users()));
  CloseListener();
  CloseAll();
  admission_.Reset();
  away_timer_ = loop_->At(Loop::Now() + Seconds(options_.away_s * rng_.Uniform(0.8, 1.2)), [this] { Resume(); });
}

void Supernode::Resume() {
  if (draining_) return;
  if (const absl::Status status = Open(); !status.ok()) {
    PrintLine(absl::StrFormat("role waits: %s", status.ToString()));
    away_timer_ = loop_->At(Loop::Now() + kSecond, [this] { Resume(); });
    return;
  }
  PrintLine("role resumed");
}

void Supernode::Close(int fd) {
  const auto found = connections_.find(fd);
  if (found == connections_.end()) return;
  if (found->second.logged_in) {
    admission_.Logout();
    const auto user = users_.find(found->second.user);
    if (user != users_.end() && user->second == fd) users_.erase(user);
  }
  connections_.erase(found);
  loop_->Unwatch(fd);
  ResetAndClose(fd);
  if (draining_ && connections_.empty() && to_say_goodbye_.empty() && drained_ != nullptr) {
    std::exchange(drained_, nullptr)();
  }
}

void Supernode::CloseAll() {
  while (!connections_.empty()) Close(connections_.begin()->first);
}

void Supernode::CloseListener() {
  if (listener_ < 0) return;
  loop_->Unwatch(listener_);
  close(listener_);
  listener_ = -1;
}

void Supernode::Sweep() {
  const int64_t now = Loop::Now();
  std::vector<int> idle;
  for (const auto& [fd, connection] : connections_) {
    if (!connection.logged_in && now - connection.since > kLoginWithin) idle.push_back(fd);
  }
  for (const int fd : idle) Close(fd);
  sweep_timer_ = loop_->At(now + kSecond / 2, [this] { Sweep(); });
}

void Supernode::Drain(double over_s, std::function<void()> done) {
  if (draining_) return;
  draining_ = true;
  CloseListener();
  PrintLine(absl::StrFormat("draining users=%d", admission_.users()));
  for (const auto& [fd, connection] : connections_) to_say_goodbye_.push_back(fd);
  if (to_say_goodbye_.empty()) return done();
  drained_ = std::move(done);
  SayGoodbye(over_s / static_cast<double>(to_say_goodbye_.size()));
}

void Supernode::SayGoodbye(double gap_s) {
  v1::Frame frame;
  frame.mutable_goodbye();
  if (connections_.empty()) to_say_goodbye_ = {-1};  // everybody left early
  do {
    const int fd = to_say_goodbye_.back();
    to_say_goodbye_.pop_back();
    if (connections_.contains(fd)) SendAll(fd, EncodeFrame(frame));
  } while (gap_s <= 0 && !to_say_goodbye_.empty());
  if (!to_say_goodbye_.empty()) {
    goodbye_timer_ = loop_->At(Loop::Now() + Seconds(gap_s), [this, gap_s] { SayGoodbye(gap_s); });
    return;
  }
  goodbye_timer_ = loop_->At(Loop::Now() + 2 * kSecond, [this] {
    if (drained_ != nullptr) std::exchange(drained_, nullptr)();
  });
}

}  // namespace skype

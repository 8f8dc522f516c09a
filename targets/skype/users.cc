#include "targets/skype/users.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace skype {

Users::Users(Loop* loop, const UsersOptions& options)
    : loop_(loop),
      options_(options),
      retry_(options.retry),
      rng_(options.seed ^ 0x05e2, options.population),
      users_(options.users),
      integrated_to_(Loop::Now()) {
  const std::vector<Software> software =
      AssignSoftware(options.users, options.buggy_share, options.crash_share, options.seed ^ options.population);
  for (size_t i = 0; i < users_.size(); ++i) {
    users_[i].software = software[i];
    buggy_ += software[i].buggy;
    vulnerable_ += software[i].vulnerable;
  }
}

Users::~Users() {
  for (User& user : users_) {
    CloseCandidate(user);
    SetOffline(user);
    loop_->Cancel(user.try_timer);
  }
}

void Users::AddHost(const sockaddr_in& host) {
  order_.push_back(static_cast<uint32_t>(hosts_.size()));
  hosts_.push_back(host);
}

void Users::Start() {
  const int64_t now = Loop::Now();
  for (size_t i = 0; i < users_.size(); ++i) {
    users_[i].running_since = now;
    ScheduleTry(i, now + Seconds(rng_.Uniform(0, options_.ramp_s)));
  }
}

void Users::ScheduleTry(size_t i, int64_t when) {
  User& user = users_[i];
  user.due = when;
  loop_->Cancel(user.try_timer);
  user.try_timer = loop_->At(when, [this, i] { BeginTry(i); });
}

void Users::BeginTry(size_t i) {
  User& user = users_[i];
  user.try_timer = {};
  user.begun = Loop::Now();
  user.attempts = 0;
  user.next = 0;
  user.picked = static_cast<int>(std::min<size_t>(options_.probes, hosts_.size()));
  rng_.ShuffleFront(order_, user.picked);
  std::copy_n(order_.begin(), user.picked, user.picks.begin());
  NextAttempt(i);
}

void Users::NextAttempt(size_t i) {
  User& user = users_[i];
  const std::string login = LoginFrame(i);
  while (user.next < user.picked) {
    const Dialed dialed = dialer_.Dial(hosts_[user.picks[user.next++]], login);
    ++counts_.scheduled;
    ++user.attempts;
    if (dialed.state != Dialed::kNotMade) ++counts_.made;
    if (dialed.state == Dialed::kRefused) ++counts_.refused;
    if (dialed.fd >= 0) return Await(i, dialed);
  }
  TryFailed(i);
}

void Users::Await(size_t i, const Dialed& dialed) {
  User& user = users_[i];
  user.candidate = dialed.fd;
  user.sent = dialed.state == Dialed::kSent;
  loop_->Watch(user.candidate, user.sent ? EPOLLIN : EPOLLOUT, [this, i](uint32_t events) { OnCandidate(i, events); });
  user.login_timer = loop_->At(Loop::Now() + Seconds(options_.login_timeout_s), [this, i] {
    users_[i].login_timer = {};
    AttemptFailed(i, counts_.timed_out);
  });
}

void Users::AttemptFailed(size_t i, uint64_t& why) {
  ++why;
  CloseCandidate(users_[i]);
  NextAttempt(i);
}

void Users::TryFailed(size_t i) {
  User& user = users_[i];
  ++user.failures;
  const int64_t now = Loop::Now();
  // As if the try had begun in time: a late process does not stretch the interval, and what it missed is counted.
  int64_t next = now - (user.begun - user.due);
  for (;;) {
    next += Seconds(retry_.After(user.failures, rng_));
    if (next > now) break;
    counts_.scheduled += user.attempts;
    ++user.failures;
  }
  ScheduleTry(i, next);
}

void Users::OnCandidate(size_t i, uint32_t events) {
  User& user = users_[i];
  if (!user.sent) {
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(user.candidate, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return AttemptFailed(i, counts_.refused);
    if (!SendAll(user.candidate, LoginFrame(i))) return AttemptFailed(i, counts_.broken);
    user.sent = true;
    loop_->Watch(user.candidate, EPOLLIN, [this, i](uint32_t e) { OnCandidate(i, e); });
    return;
  }
  char buffer[512];
  const ssize_t count = read(user.candidate, buffer, sizeof(buffer));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return AttemptFailed(i, counts_.broken);
  user.candidate_reader.Append({buffer, static_cast<size_t>(count)});
  v1::Frame frame;
  const absl::StatusOr<bool> got = user.candidate_reader.Next(&frame);
  if (got.ok() && !*got) return;
  // Anything else is no supernode. It may even be ourselves: on loopback a connection to a closed port can meet itself.
  if (!got.ok() || !frame.has_login_reply()) return AttemptFailed(i, counts_.broken);
  OnReply(i, frame.login_reply());
}

void Users::OnReply(size_t i, const v1::LoginReply& reply) {
  switch (reply.answer()) {
    case v1::LoginReply::ANSWER_OK:
      return LoggedIn(i);
    case v1::LoginReply::ANSWER_FULL:
      return AttemptFailed(i, counts_.full);
    case v1::LoginReply::ANSWER_SHED:
      return AttemptFailed(i, counts_.shed);
    default:
      return AttemptFailed(i, counts_.broken);
  }
}

void Users::LoggedIn(size_t i) {
  User& user = users_[i];
  ++counts_.logins;
  loop_->Cancel(user.login_timer);
  if (user.fd >= 0) {  // the one that said goodbye
    loop_->Unwatch(user.fd);
    close(user.fd);
  } else {
    Integrate();
    ++online_;
    ScheduleLookup(i);
  }
  user.fd = std::exchange(user.candidate, -1);
  user.reader = std::exchange(user.candidate_reader, {});
  user.first = user.leaving = false;
  user.failures = 0;
  loop_->Watch(user.fd, EPOLLIN, [this, i](uint32_t) { OnOnline(i); });
}

void Users::OnOnline(size_t i) {
  User& user = users_[i];
  char buffer[2048];
  const ssize_t count = read(user.fd, buffer, sizeof(buffer));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return Lost(i);
  user.reader.Append({buffer, static_cast<size_t>(count)});
  v1::Frame frame;
  for (;;) {
    const absl::StatusOr<bool> got = user.reader.Next(&frame);
    if (got.ok() && !*got) return;
    if (!got.ok() || !HandleOnline(i, frame)) return Lost(i);
  }
}

bool Users::HandleOnline(size_t i, const v1::Frame& frame) {
  User& user = users_[i];
  if (frame.has_lookup_reply()) {
    ++counts_.lookup_replies;
    return true;
  }
  if (!frame.has_goodbye()) return false;
  ++counts_.goodbyes;
  if (!std::exchange(user.leaving, true)) ScheduleTry(i, Loop::Now());
  return true;
}

void Users::Lost(size_t i) {
  User& user = users_[i];
  ++counts_.orphaned;
  const bool looking = user.leaving;  // for another one, already
  SetOffline(user);
  if (!looking) ScheduleTry(i, Loop::Now() + Seconds(retry_.First(Offline::kOrphaned, rng_)));
}

void Users::LateReply(uint32_t slice, int64_t sent) {
  for (size_t i = slice; i < users_.size(); i += options_.slices) {
    // A copy that was not running when the poll was sent never asked.
    if (users_[i].software.vulnerable && users_[i].running_since <= sent) Crash(i);
  }
}

void Users::Crash(size_t i) {
  User& user = users_[i];
  ++counts_.crashes;
  CloseCandidate(user);
  SetOffline(user);
  user.failures = 0;
  user.running_since = Loop::Now() + Seconds(retry_.First(Offline::kCrashed, rng_));
  ScheduleTry(i, user.running_since);
}

void Users::ScheduleLookup(size_t i) {
  if (options_.lookups_per_s <= 0) return;
  users_[i].lookup_timer =
      loop_->At(Loop::Now() + Seconds(rng_.Exponential(1 / options_.lookups_per_s)), [this, i] { Lookup(i); });
}

void Users::Lookup(size_t i) {
  v1::Frame frame;
  frame.mutable_lookup()->set_user(Id(rng_.Below(users_.size())));
  ++counts_.lookups;
  ScheduleLookup(i);
  if (!SendAll(users_[i].fd, EncodeFrame(frame))) Lost(i);
}

void Users::CloseCandidate(User& user) {
  loop_->Cancel(user.login_timer);
  user.candidate_reader = {};
  if (user.candidate < 0) return;
  loop_->Unwatch(user.candidate);
  ResetAndClose(std::exchange(user.candidate, -1));
}

void Users::SetOffline(User& user) {
  user.leaving = false;
  if (user.fd < 0) return;
  Integrate();
  --online_;
  loop_->Cancel(user.lookup_timer);
  loop_->Unwatch(user.fd);
  ResetAndClose(std::exchange(user.fd, -1));
  user.reader = {};
}

void Users::Integrate() {
  const int64_t now = Loop::Now();
  failed_user_seconds_ += ToSeconds(now - integrated_to_) * static_cast<double>(users_.size() - online_);
  integrated_to_ = now;
}

double Users::FailedUserSeconds() {
  Integrate();
  return failed_user_seconds_;
}

std::string Users::LoginFrame(size_t i) const {
  v1::Frame frame;
  frame.mutable_login()->set_user(Id(i));
  frame.mutable_login()->set_first(users_[i].first);
  return EncodeFrame(frame);
}

}  // namespace skype

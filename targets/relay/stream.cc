#include "targets/relay/stream.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <utility>

namespace squall {
namespace {

constexpr uint32_t kEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
constexpr int kRounds = 8;  // reads of one lane before the others get their turn
constexpr size_t kReadBytes = 256 << 10;
constexpr uint64_t kLeastRead = 4096;  // a lane that is nearly full waits rather than reading crumbs

void ResetOnClose(int fd) {
  const linger none{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

ssize_t SendSpans(int fd, iovec* spans, int count) {
  msghdr header{};
  header.msg_iov = spans;
  header.msg_iovlen = count;
  return sendmsg(fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool WouldBlockError(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Stream::Stream(RelayCore* core, StreamOwner* owner, LaneStats* stats, UniqueFd client, UniqueFd target, bool connecting)
    : core_(core), owner_(owner), stats_(stats), lanes_{Lane(&core->pool), Lane(&core->pool)}, connecting_(connecting) {
  ends_[kClient].fd = std::move(client);
  ends_[kTarget].fd = std::move(target);
  lanes_[kTarget].from = kTarget;
}

Stream::~Stream() {
  if (!closed_) {
    for (Lane& lane : lanes_) CancelTimer(lane);
    for (End& end : ends_) core_->loop->Unwatch(end.fd.get());
    for (Lane& lane : lanes_) lane.line.Drop();
    for (Lane& lane : lanes_) Account(lane);
  }
}

void Stream::Start() {
  for (int side : {kClient, kTarget}) {
    core_->loop->Watch(ends_[side].fd.get(), kEvents, [this, side](uint32_t events) { OnEvents(side, events); });
  }
}

faults::v1::Direction Stream::DirectionOf(const Lane& lane) const {
  return lane.from == kClient ? faults::v1::UPSTREAM : faults::v1::DOWNSTREAM;
}

void Stream::AddEffect(faults::v1::Direction direction, uint64_t fault, std::unique_ptr<StreamEffect> effect) {
  Lane& lane = lanes_[direction == faults::v1::UPSTREAM ? kClient : kTarget];
  lane.effects.push_back({fault, std::move(effect)});
}

void Stream::RemoveFault(uint64_t fault) {
  const int64_t now = core_->clock->Now();
  for (Lane& lane : lanes_) {
    std::erase_if(lane.effects, [&](const Effect& effect) { return effect.fault == fault; });
    lane.line.Forget(fault, now);
    if (!closed_ && !connecting_) Pump(lane);
  }
}

void Stream::OnEvents(int side, uint32_t events) {
  event_ns_ = core_->clock->Now();
  owner_->Check();
  if (closed_) return;
  Lane& out = lanes_[side];
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) ends_[side].ending = true;
  if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) out.readable = true;
  if (connecting_) {
    if (side == kTarget && events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) {
      OnConnected();
    } else if (side == kClient && events & EPOLLERR) {
      Close(true);
    }
    return;
  }
  if (events & EPOLLERR && !out.open) {
    SideReset(side);
  } else if (out.open && out.readable) {
    Pump(out);
  }
  if (closed_) return;
  Lane& in = lanes_[1 - side];
  if (events & EPOLLOUT && in.blocked) {
    in.blocked = false;
    Pump(in);
  }
}

void Stream::OnConnected() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(ends_[kTarget].fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    owner_->ConnectFailed();
    Close(true);
    return;
  }
  connecting_ = false;
  for (Lane& lane : lanes_) {
    if (!closed_ && lane.readable) Pump(lane);
  }
}

void Stream::Pump(Lane& lane) {
  int round = 0;
  bool more = true;
  while (true) {
    Flush(lane);
    if (closed_) return;
    if (!more || !Wants(lane)) break;
    if (round++ == kRounds) break;
    more = Read(lane);
    if (closed_) return;
  }
  Account(lane);
  SetTimer(lane);
  if (round > kRounds && !lane.timer) {  // the others' turn, then again
    lane.timer = core_->loop->At(0, [this, &lane] {
      lane.timer.reset();
      event_ns_ = core_->clock->Now();
      owner_->Check();
      if (!closed_) Pump(lane);
    });
  }
}

bool Stream::Wants(const Lane& lane) const {
  if (!lane.open || !lane.readable || lane.line.chunks() >= core_->limits.chunks) return false;
  const bool delayed = !lane.effects.empty() && core_->buffered < core_->limits.total;
  const uint64_t budget = delayed ? core_->limits.delayed : core_->limits.plain;
  return lane.line.size() + std::min(kLeastRead, budget) <= budget;
}

bool Stream::Read(Lane& lane) {
  if (lane.effects.empty() && lane.line.empty()) return ReadThrough(lane);
  const bool delayed = !lane.effects.empty() && core_->buffered < core_->limits.total;
  const uint64_t budget = delayed ? core_->limits.delayed : core_->limits.plain;
  iovec spans[ByteFifo::kSpans];
  const size_t asked = std::min<uint64_t>(kReadBytes, budget - lane.line.size());
  const int count = lane.line.fifo().Room(asked, spans);
  const ssize_t got = readv(ends_[lane.from].fd.get(), spans, count);
  lane.line.fifo().Commit(got > 0 ? got : 0);
  if (got > 0) Take(lane, got, DelayLine::End::kNone);
  return AfterRead(lane, got, asked);
}

bool Stream::ReadThrough(Lane& lane) {
  std::vector<char>& scratch = core_->scratch;
  const ssize_t got = recv(ends_[lane.from].fd.get(), scratch.data(), scratch.size(), MSG_DONTWAIT);
  if (got > 0) {
    const int to = 1 - lane.from;
    ssize_t sent = lane.blocked ? 0 : send(ends_[to].fd.get(), scratch.data(), got, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && !WouldBlockError(errno)) {
      SideReset(to);
      return false;
    }
    sent = std::max<ssize_t>(sent, 0);
    LaneStats& stats = stats_[lane.from];
    stats.bytes += sent;
    if (sent == got) {
      stats.passive_ns.Add(core_->clock->Now() - event_ns_);
    } else {
      lane.blocked = true;
      lane.line.fifo().Append(scratch.data() + sent, got - sent);
      lane.line.Pass(got - sent, event_ns_);
    }
  }
  return AfterRead(lane, got, scratch.size());
}

// True if there may be more. A read that came back short emptied the socket: the next bytes make a new edge.
bool Stream::AfterRead(Lane& lane, ssize_t got, size_t asked) {
  End& end = ends_[lane.from];
  if (got > 0) {
    lane.readable = static_cast<size_t>(got) == asked || end.ending;
    return lane.readable;
  }
  if (got < 0 && WouldBlockError(errno)) {
    lane.readable = errno == EINTR;
    return lane.readable;
  }
  if (got < 0) {
    SideReset(lane.from);
  } else {
    lane.open = false;
    Take(lane, 0, end.reset ? DelayLine::End::kReset : DelayLine::End::kFin);
  }
  return false;
}

// Decides when what was just read may leave.
void Stream::Take(Lane& lane, uint64_t bytes, DelayLine::End end) {
  if (lane.effects.empty()) {
    lane.line.Pass(bytes, event_ns_, end);
    return;
  }
  const int64_t now = core_->clock->Now();
  int64_t at = now;
  DelayLine::Shares shares;
  for (Effect& effect : lane.effects) {  // one behind the other: delays add up
    const int64_t leaves = std::max(at, effect.decide->ReleaseAt(at, bytes));
    shares.push_back({effect.fault, leaves - at});
    at = leaves;
  }
  lane.line.Hold(bytes, now, std::move(shares), end);
}

void Stream::Flush(Lane& lane) {
  if (lane.line.empty()) return;
  if (lane.line.holding()) {
    const int64_t now = core_->clock->Now();
    lane.line.Advance(now, [&](const DelayLine::Chunk& chunk) { owner_->Released(DirectionOf(lane), chunk, now); });
  }
  const int to = 1 - lane.from;
  while (lane.line.due() > 0 && !lane.blocked) {
    iovec spans[ByteFifo::kSpans];
    const int count = lane.line.fifo().Front(lane.line.due(), spans);
    const ssize_t sent = SendSpans(ends_[to].fd.get(), spans, count);
    if (sent >= 0) {
      lane.line.Sent(sent);
      stats_[lane.from].bytes += sent;
    } else if (errno == EINTR) {
      continue;
    } else if (WouldBlockError(errno)) {
      lane.blocked = true;
    } else {
      SideReset(to);
      return;
    }
  }
  if (lane.line.due_end() != DelayLine::End::kNone) Finish(lane);
}

void Stream::Finish(Lane& lane) {
  if (lane.line.due_end() == DelayLine::End::kReset) {
    Close(true);
    return;
  }
  if (lane.line.due() > 0 || lane.finished) return;
  shutdown(ends_[1 - lane.from].fd.get(), SHUT_WR);
  lane.finished = true;
  lane.line.Drop();
  if (lanes_[kClient].finished && lanes_[kTarget].finished) Close(false);
}

// The connection on that side is gone: nothing can be sent to it; what it sent before still travels, then the reset.
void Stream::SideReset(int side) {
  if (ends_[side].reset || closed_) return;
  ends_[side].reset = true;
  Lane& toward = lanes_[1 - side];
  toward.open = false;
  toward.finished = true;
  toward.line.Drop();
  CancelTimer(toward);
  Account(toward);
  Lane& from = lanes_[side];
  while (from.open && from.line.size() < core_->limits.delayed) {
    iovec spans[ByteFifo::kSpans];
    const int count = from.line.fifo().Room(kReadBytes, spans);
    const ssize_t got = readv(ends_[side].fd.get(), spans, count);
    from.line.fifo().Commit(got > 0 ? got : 0);
    if (got <= 0) break;
    Take(from, got, DelayLine::End::kNone);
  }
  from.open = false;
  from.finished = false;
  Take(from, 0, DelayLine::End::kReset);
  Pump(from);
}

void Stream::SetTimer(Lane& lane) {
  if (!lane.line.holding()) return;
  const int64_t when = lane.line.next();
  if (lane.timer && lane.timer->first == when) return;
  CancelTimer(lane);
  lane.timer = core_->loop->At(when, [this, &lane] {
    lane.timer.reset();
    owner_->Check();
    if (!closed_) Pump(lane);
  });
}

void Stream::CancelTimer(Lane& lane) {
  if (lane.timer) core_->loop->Cancel(*lane.timer);
  lane.timer.reset();
}

void Stream::Account(Lane& lane) {
  core_->buffered += lane.line.size() - lane.buffered;
  stats_[lane.from].held += lane.line.held() - lane.held;
  lane.buffered = lane.line.size();
  lane.held = lane.line.held();
}

void Stream::Close(bool reset) {
  closed_ = true;
  for (Lane& lane : lanes_) {
    CancelTimer(lane);
    lane.line.Drop();
    Account(lane);
  }
  for (End& end : ends_) {
    if (reset) ResetOnClose(end.fd.get());
    core_->loop->Unwatch(end.fd.get());
    end.fd.reset();
  }
  owner_->Closed(this);
}

}  // namespace squall

#include "targets/relay/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace squall {
namespace {

constexpr int kAcceptsAtOnce = 64;
constexpr int64_t kPause = 100 * kMillisecond;

UniqueFd OpenSpare() { return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

void CloseWithReset(UniqueFd fd) {
  const linger none{1, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

void AddSeries(host::v1::HostStats* stats, const char* metric, const std::string& object, const char* direction,
               double value, bool counter) {
  host::v1::HostSeries* series = stats->add_series();
  series->set_metric(metric);
  series->set_object(object);
  series->set_direction(direction);
  series->set_value(value);
  series->set_counter(counter);
}

}  // namespace

Link::Link(RelayCore* core, std::string name, UniqueFd listener, SocketAddress upstream)
    : core_(core), name_(std::move(name)), listener_(std::move(listener)), spare_(OpenSpare()), upstream_(upstream) {
  fcntl(listener_.get(), F_SETFL, fcntl(listener_.get(), F_GETFL) | O_NONBLOCK);
  const int on = 1;  // accepted sockets inherit it
  setsockopt(listener_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Link::~Link() {
  StopAccepting();
  if (sweep_) core_->loop->Cancel(*sweep_);
  for (const Live& live : faults_) core_->loop->Cancel(live.timer);
}

void Link::Start() {
  core_->loop->Watch(listener_.get(), EPOLLIN, [this](uint32_t) { Accept(); });
}

void Link::StopAccepting() {
  if (resume_) core_->loop->Cancel(*resume_);
  if (!listener_.valid()) return;
  core_->loop->Unwatch(listener_.get());
  listener_.reset();
}

void Link::Accept() {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    UniqueFd client(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (client.valid()) {
      OpenStream(std::move(client));
    } else if (errno == EMFILE || errno == ENFILE) {
      Shed();
      return;
    } else if (errno != ECONNABORTED && errno != EINTR && errno != EPROTO) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) PauseAccepting();  // out of memory: again in a while
      return;
    }
  }
}

// No descriptor is left: one kept in reserve takes the client off the queue, so that it learns of it and we do not
// spin.
void Link::Shed() {
  spare_.reset();
  UniqueFd client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (client.valid()) {
    ++shed_;
    CloseWithReset(std::move(client));
  }
  spare_ = OpenSpare();
  if (!spare_.valid()) PauseAccepting();
}

void Link::PauseAccepting() {
  core_->loop->Unwatch(listener_.get());
  if (resume_) core_->loop->Cancel(*resume_);
  resume_ = core_->loop->After(kPause, [this] {
    if (!spare_.valid()) spare_ = OpenSpare();
    Start();
  });
}

void Link::OpenStream(UniqueFd client) {
  bool connecting = false;
  absl::StatusOr<UniqueFd> target = StartConnect(upstream_, &connecting);
  if (!target.ok()) {
    ++(absl::IsResourceExhausted(target.status()) ? shed_ : connect_failures_);
    CloseWithReset(std::move(client));
    return;
  }
  const uint64_t number = opened_++;
  auto stream = std::make_unique<Stream>(core_, this, stats_, std::move(client), *std::move(target), connecting);
  Stream* const raw = stream.get();
  streams_[raw] = {std::move(stream), number};
  Check();
  for (const Live& live : faults_) Equip(live, raw, number);
  raw->Start();
}

void Link::Equip(const Live& live, Stream* stream, uint64_t number) {
  for (const faults::v1::Direction direction : {faults::v1::UPSTREAM, faults::v1::DOWNSTREAM}) {
    auto effect = live.fault->ForStream(direction, number);
    if (effect != nullptr) stream->AddEffect(direction, live.id, std::move(effect));
  }
}

std::vector<Stream*> Link::Streams() const {
  std::vector<Stream*> all;
  all.reserve(streams_.size());
  for (const auto& [stream, open] : streams_) all.push_back(stream);
  return all;
}

absl::StatusOr<uint64_t> Link::Add(std::shared_ptr<LinkFault> fault, int64_t deadline_ns) {
  const int64_t now = core_->clock->Now();
  if (deadline_ns <= now) return absl::InvalidArgumentError(absl::StrCat("link ", name_, ": the deadline has passed"));
  if (!core_->Live(now)) return absl::FailedPreconditionError(absl::StrCat("link ", name_, ": the lease has lapsed"));
  const uint64_t id = next_fault_++;
  const auto timer = core_->loop->At(deadline_ns, [this] { EndLapsed(); });
  faults_.push_back({id, std::move(fault), deadline_ns, timer});
  for (const auto& [stream, open] : streams_) Equip(faults_.back(), stream, open.number);
  return id;
}

absl::Status Link::Remove(uint64_t id) {
  const auto found = std::find_if(faults_.begin(), faults_.end(), [&](const Live& live) { return live.id == id; });
  if (found == faults_.end()) return absl::OkStatus();
  // The streams first: what they let go is reported to the fault while it is still known.
  core_->loop->Cancel(found->timer);
  for (Stream* stream : Streams()) stream->RemoveFault(id);
  std::erase_if(faults_, [&](const Live& live) { return live.id == id; });
  return absl::OkStatus();
}

bool Link::Clear(uint64_t id) const {
  return std::none_of(faults_.begin(), faults_.end(), [&](const Live& live) { return live.id == id; });
}

void Link::EndLapsed() {
  const int64_t now = core_->clock->Now();
  const bool lapsed = !core_->Live(now);
  std::vector<uint64_t> over;
  for (const Live& live : faults_) {
    if (lapsed || live.deadline_ns <= now) over.push_back(live.id);
  }
  for (uint64_t id : over) (void)Remove(id);  // never fails
}

void Link::Released(faults::v1::Direction direction, const DelayLine::Chunk& chunk, int64_t now) {
  if (chunk.bytes == 0) return;
  for (const DelayLine::Share& share : chunk.shares) {
    for (const Live& live : faults_) {
      if (live.id == share.fault) live.fault->OnReleased(direction, chunk.bytes, now - chunk.came);
    }
  }
}

void Link::Closed(Stream* stream) {
  const auto found = streams_.find(stream);
  ended_.push_back(std::move(found->second.stream));
  streams_.erase(found);
  if (ended_.size() > 1) return;
  sweep_ = core_->loop->At(0, [this] {
    ended_.clear();
    if (streams_.empty() && on_idle) on_idle();
  });
}

void Link::AddStats(host::v1::HostStats* stats) {
  const char* const names[2] = {"upstream", "downstream"};
  for (int i = 0; i < 2; ++i) {
    AddSeries(stats, "link_bytes_total", name_, names[i], static_cast<double>(stats_[i].bytes), true);
    AddSeries(stats, "link_held_bytes", name_, names[i], static_cast<double>(stats_[i].held), false);
    if (stats_[i].passive_ns.count() == 0) continue;
    AddSeries(stats, "link_added_latency_us", name_, names[i],
              static_cast<double>(stats_[i].passive_ns.Quantile(0.5)) / 1000, false);
    stats_[i].passive_ns.Clear();
  }
  AddSeries(stats, "link_connections", name_, "", static_cast<double>(streams_.size()), false);
  AddSeries(stats, "link_connections_total", name_, "", static_cast<double>(opened_), true);
  AddSeries(stats, "link_connect_failures_total", name_, "", static_cast<double>(connect_failures_), true);
  AddSeries(stats, "link_shed_total", name_, "", static_cast<double>(shed_), true);
}

}  // namespace squall

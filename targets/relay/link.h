// One link of the relay: a listener, the target behind it, and the streams between. Transparent until a fault is added.
//
//   Link link(&core, "im/0", std::move(listener), upstream);
//   link.Start();
//   link.Add(fault, deadline_ns);
#ifndef TARGETS_RELAY_LINK_H_
#define TARGETS_RELAY_LINK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "faults/core/unique_fd.h"
#include "faults/host.pb.h"
#include "faults/seams/link.h"
#include "targets/host/address.h"
#include "targets/relay/core.h"
#include "targets/relay/stream.h"

namespace squall {

// One thread: the core's loop. A connection that the target refuses is reset; so is one for which this process has no
// descriptors left (it is shed, and counted).
class Link : public LinkSeam, public StreamOwner {
 public:
  // `listener`: bound and listening. The core outlives the link.
  Link(RelayCore* core, std::string name, UniqueFd listener, SocketAddress upstream);
  ~Link() override;

  void Start();
  void StopAccepting();  // open streams go on
  const std::string& name() const { return name_; }
  size_t open() const { return streams_.size(); }
  // Appends the link's series; latencies are those since the last call.
  void AddStats(host::v1::HostStats* stats);
  std::function<void()> on_idle;  // after a stream ended, if none is left

  // LinkSeam. FailedPrecondition: the lease has lapsed. InvalidArgument: the deadline has passed.
  absl::StatusOr<uint64_t> Add(std::shared_ptr<LinkFault> fault, int64_t deadline_ns) override;
  absl::Status Remove(uint64_t id) override;
  bool Clear(uint64_t id) const override;

  // StreamOwner.
  void Check() override {
    if (!faults_.empty()) EndLapsed();
  }
  void Released(faults::v1::Direction direction, const DelayLine::Chunk& chunk, int64_t now) override;
  void ConnectFailed() override { ++connect_failures_; }
  void Closed(Stream* stream) override;

 private:
  struct Live {
    uint64_t id;
    std::shared_ptr<LinkFault> fault;
    int64_t deadline_ns;
    EventLoop::TimerId timer;
  };
  struct Open {
    std::unique_ptr<Stream> stream;
    uint64_t number;
  };
  void Accept();
  void OpenStream(UniqueFd client);
  void Shed();
  void PauseAccepting();
  void EndLapsed();
  void Equip(const Live& live, Stream* stream, uint64_t number);
  std::vector<Stream*> Streams() const;

  RelayCore* const core_;
  const std::string name_;
  UniqueFd listener_;
  UniqueFd spare_;  // given up for a moment to accept and shed when descriptors run out
  const SocketAddress upstream_;
  std::vector<Live> faults_;
  uint64_t next_fault_ = 1;
  std::unordered_map<Stream*, Open> streams_;
  std::vector<std::unique_ptr<Stream>> ended_;  // deleted by the next timer
  std::optional<EventLoop::TimerId> sweep_;
  std::optional<EventLoop::TimerId> resume_;
  uint64_t opened_ = 0;
  uint64_t connect_failures_ = 0;
  uint64_t shed_ = 0;
  LaneStats stats_[2];
};

}  // namespace squall

#endif  // TARGETS_RELAY_LINK_H_

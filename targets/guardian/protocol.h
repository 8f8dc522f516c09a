// One protobuf message a packet, with descriptors beside it (SCM_RIGHTS), over a SOCK_SEQPACKET pair: how agent,
// guardian and fault hosts talk.
//
//   auto pair = MakeChannel();                                   // two ends, close-on-exec
//   RETURN_IF_ERROR(SendPacket(pair->first.get(), request));     // never blocks
//   host::v1::HostMessage message;
//   absl::Status got = ReceivePacket(fd, &message);              // never blocks
//   if (WouldBlock(got)) ...  // nothing there now
//   if (ChannelClosed(got)) ...  // the other side is gone
#ifndef TARGETS_GUARDIAN_PROTOCOL_H_
#define TARGETS_GUARDIAN_PROTOCOL_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "faults/core/unique_fd.h"
#include "google/protobuf/message_lite.h"

namespace squall {

inline constexpr size_t kMaxPacketBytes = 128 * 1024;
inline constexpr size_t kMaxPacketFds = 8;

// A connected pair of SOCK_SEQPACKET sockets, both close-on-exec.
absl::StatusOr<std::pair<UniqueFd, UniqueFd>> MakeChannel();

// Sends one message; the descriptors stay the caller's. Retries EINTR. Waits at most `wait_ns` for room.
// InvalidArgument: the message is empty (it would read as end of stream), over kMaxPacketBytes, or carries too many
// descriptors; nothing was sent. WouldBlock: no room, nothing was sent. ChannelClosed: the other side is gone.
absl::Status SendPacket(int fd, const google::protobuf::MessageLite& message, absl::Span<const int> fds = {},
                        int64_t wait_ns = 0);

// Receives one message and the descriptors beside it (close-on-exec; those that came without `fds` are closed). Waits
// at most `wait_ns` for one. WouldBlock: none. ChannelClosed: the other side is gone and all it sent was read.
// DataLoss: one packet was read but is no such message, or its descriptors did not arrive (out of descriptors).
absl::Status ReceivePacket(int fd, google::protobuf::MessageLite* message, std::vector<UniqueFd>* fds = nullptr,
                           int64_t wait_ns = 0);

bool WouldBlock(const absl::Status& status);     // Unavailable
bool ChannelClosed(const absl::Status& status);  // OutOfRange

}  // namespace squall

#endif  // TARGETS_GUARDIAN_PROTOCOL_H_

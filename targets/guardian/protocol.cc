#include "targets/guardian/protocol.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "faults/core/status_macros.h"

namespace squall {
namespace {

absl::Status FromErrno(int error, const char* what) {
  if (error == EAGAIN || error == EWOULDBLOCK) return absl::UnavailableError(absl::StrCat(what, ": would block"));
  if (error == EPIPE || error == ECONNRESET || error == ENOTCONN) {
    return absl::OutOfRangeError(absl::StrCat(what, ": the channel is closed"));
  }
  return absl::InternalError(absl::StrCat(what, ": ", strerror(error)));
}

// Until the descriptor is ready or the time is over; whoever called tries again and finds out.
void WaitFor(int fd, short events, int64_t wait_ns) {
  pollfd entry{fd, events, 0};
  const timespec limit{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
  ppoll(&entry, 1, &limit, nullptr);
}

union ControlBuffer {
  cmsghdr align;
  char bytes[CMSG_SPACE(kMaxPacketFds * sizeof(int))];
};

void TakeDescriptors(msghdr* header, std::vector<UniqueFd>* fds) {
  for (cmsghdr* part = CMSG_FIRSTHDR(header); part != nullptr; part = CMSG_NXTHDR(header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      fds->emplace_back(fd);
    }
  }
}

}  // namespace

absl::StatusOr<std::pair<UniqueFd, UniqueFd>> MakeChannel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair for a channel");
  }
  return std::make_pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

absl::Status SendPacket(int fd, const google::protobuf::MessageLite& message, absl::Span<const int> fds,
                        int64_t wait_ns) {
  const size_t size = message.ByteSizeLong();
  if (size == 0) return absl::InvalidArgumentError("an empty message would read as end of stream");
  if (size > kMaxPacketBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a message of ", size, " bytes exceeds ", kMaxPacketBytes));
  }
  if (fds.size() > kMaxPacketFds) return absl::InvalidArgumentError("too many descriptors for one message");
  std::string bytes = message.SerializeAsString();
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  ControlBuffer control{};
  if (!fds.empty()) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    memcpy(CMSG_DATA(rights), fds.data(), fds.size() * sizeof(int));
  }
  for (bool waited = wait_ns <= 0;;) {
    if (sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return absl::OkStatus();
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || waited) return FromErrno(errno, "sending a packet");
    WaitFor(fd, POLLOUT, wait_ns);
    waited = true;
  }
}

absl::Status ReceivePacket(int fd, google::protobuf::MessageLite* message, std::vector<UniqueFd>* fds,
                           int64_t wait_ns) {
  if (fds != nullptr) fds->clear();
  char bytes[kMaxPacketBytes];
  iovec part{bytes, sizeof(bytes)};
  ControlBuffer control;
  msghdr header{};
  ssize_t got = -1;
  for (bool waited = wait_ns <= 0;;) {
    header = msghdr{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof(control.bytes);
    got = recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got >= 0) break;
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || waited) return FromErrno(errno, "receiving a packet");
    WaitFor(fd, POLLIN, wait_ns);
    waited = true;
  }
  std::vector<UniqueFd> received;
  TakeDescriptors(&header, &received);
  if (got == 0) return FromErrno(EPIPE, "receiving a packet");
  if (header.msg_flags & MSG_TRUNC) return absl::DataLossError("a packet exceeds the size limit");
  if (header.msg_flags & MSG_CTRUNC) return absl::DataLossError("the descriptors beside a packet did not arrive");
  if (!message->ParseFromArray(bytes, static_cast<int>(got))) {
    return absl::DataLossError("a packet is not the message that was expected");
  }
  if (fds != nullptr) *fds = std::move(received);
  return absl::OkStatus();
}

bool WouldBlock(const absl::Status& status) { return status.code() == absl::StatusCode::kUnavailable; }
bool ChannelClosed(const absl::Status& status) { return status.code() == absl::StatusCode::kOutOfRange; }

}  // namespace squall

// A tiny agent for tests: passes guardian.proto requests on from a test, and replies and events back.
//   fake_agent agent --guardian_fd=N --lease_fd=N --control=NAME [--on_term=CODE | --ignore_term] [--stays]
// NAME is an abstract socket. First it sends its lease descriptor, beside a Reply that carries its pid. A Signal to the
// key "@agent" makes it exit with code `signo`. It leaves when the guardian is gone, unless it stays.
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "faults/core/unique_fd.h"
#include "targets/guardian/client.h"
#include "targets/guardian/protocol.h"

namespace squall {
namespace {

int on_term = -1;

UniqueFd Connect(const std::string& name) {
  UniqueFd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path + 1, name.data(), name.size());
  const socklen_t length = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) {
    perror("fake agent: connecting to the test");
    exit(90);
  }
  return fd;
}

void PassOn(GuardianClient& guardian, int control, guardian::v1::Request request) {
  if (request.signal().key() == "@agent") _exit(request.signal().signo());
  const uint64_t id = request.id();
  guardian::v1::Event answer;
  absl::StatusOr<guardian::v1::Reply> reply = guardian.Call(std::move(request));
  if (reply.ok()) {
    *answer.mutable_reply() = *std::move(reply);
  } else {
    answer.mutable_reply()->set_code(static_cast<int>(reply.status().code()));
    answer.mutable_reply()->set_error(std::string(reply.status().message()));
  }
  answer.mutable_reply()->set_id(id);
  (void)SendPacket(control, answer, {}, kSecond);
}

int Main(int argc, char** argv) {
  int guardian_fd = -1, lease_fd = -1;
  bool stays = false;
  std::string name;
  for (int i = 2; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const std::string value(flag.substr(flag.find('=') + 1));
    if (flag.starts_with("--guardian_fd=")) guardian_fd = std::stoi(value);
    if (flag.starts_with("--lease_fd=")) lease_fd = std::stoi(value);
    if (flag.starts_with("--control=")) name = value;
    if (flag.starts_with("--on_term=")) on_term = std::stoi(value);
    if (flag == "--stays") stays = true;
    if (flag == "--ignore_term") signal(SIGTERM, SIG_IGN);
  }
  if (on_term >= 0) signal(SIGTERM, [](int) { _exit(on_term); });
  const UniqueFd control = Connect(name);
  GuardianClient::Events events;
  auto forward = [&](auto set) {
    guardian::v1::Event event;
    set(event);
    (void)SendPacket(control.get(), event, {}, kSecond);
  };
  events.exited = [&](const guardian::v1::Exited& exited) { forward([&](auto& e) { *e.mutable_exited() = exited; }); };
  events.thawed = [&](const guardian::v1::Thawed& thawed) { forward([&](auto& e) { *e.mutable_thawed() = thawed; }); };
  events.host_up = [&](const guardian::v1::HostUp& up, int raw) {
    const UniqueFd fd(raw);
    guardian::v1::Event event;
    *event.mutable_host_up() = up;
    (void)SendPacket(control.get(), event, absl::MakeConstSpan(&raw, 1), kSecond);
  };
  events.gone = [stays] {
    if (!stays) _exit(91);
  };
  GuardianClient guardian(guardian_fd, events);
  guardian::v1::Event hello;
  hello.mutable_reply()->set_pid(getpid());
  (void)SendPacket(control.get(), hello, absl::MakeConstSpan(&lease_fd, 1), kSecond);
  for (;;) {
    pollfd ready[] = {{control.get(), POLLIN, 0}, {guardian.fd(), POLLIN, 0}};
    poll(ready, 2, -1);
    if (ready[1].revents != 0) guardian.OnReadable();
    if (ready[0].revents == 0) continue;
    guardian::v1::Request request;
    const absl::Status got = ReceivePacket(control.get(), &request);
    if (got.ok()) PassOn(guardian, control.get(), std::move(request));
    if (ChannelClosed(got)) return 92;  // the test is gone
  }
}

}  // namespace
}  // namespace squall

int main(int argc, char** argv) { return squall::Main(argc, argv); }

#include "harness/cli/test/attach_rig.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "faults/core/clock.h"
#include "gtest/gtest.h"
#include "targets/process/ports.h"

namespace squall {
namespace {
constexpr char kSquall[] = "harness/cli/squall";
constexpr char kRedis[] = "targets/redis/redis-server";
}  // namespace

AttachRig::AttachRig(std::vector<std::string> flags) : directory_(ShortDirectory()) {
  target_port_ = HeldPort::Reserve()->port();
  const std::string target = absl::StrCat("127.0.0.1:", target_port_);
  std::vector<std::string> argv = {OurProgram(kSquall),
                                   "agent",
                                   "--name=rig",
                                   "--role=cache",
                                   absl::StrCat("--socket=", directory_, "/a.sock"),
                                   absl::StrCat("--directory=", directory_),
                                   absl::StrCat("--link=in=127.0.0.1:0,", target),
                                   absl::StrCat("--port=port=", target),
                                   "--ready_tcp=port"};
  argv.insert(argv.end(), flags.begin(), flags.end());
  for (const std::string& argument :
       {std::string("--"), OurProgram(kRedis), std::string("--port"), absl::StrCat(target_port_), std::string("--bind"),
        std::string("127.0.0.1"), std::string("--save"), std::string("")}) {
    argv.push_back(argument);
  }
  program_ = std::make_unique<Program>(std::move(argv), directory_);
  guardian_pid_ = program_->pid();  // `squall agent` becomes the guardian
  EXPECT_TRUE(Eventually([this] {
    const Ended listed = Squall({"list"});
    const std::string key = "link.in.address  127.0.0.1:";
    const size_t at = listed.out.find(key);
    return at != std::string::npos &&
           absl::SimpleAtoi(listed.out.substr(at + key.size(), listed.out.find('\n', at) - at - key.size()),
                            &link_port_);
  })) << program_->err();
  EXPECT_TRUE(Eventually([this] { return PingThroughLink() >= 0; }));
  agent_ = Child("squall");
  target_ = Child("redis-server");
  EXPECT_GT(agent_, 0);
  EXPECT_GT(target_, 0);
}

AttachRig::~AttachRig() {
  const pid_t stray_relay = relay();
  for (const pid_t pid : {agent_, stray_relay, target_}) {
    if (pid > 0 && Alive(pid)) Kill(pid);
  }
}

Ended AttachRig::Squall(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), OurProgram(kSquall));
  arguments.push_back(absl::StrCat("--agent=", directory_, "/a.sock"));
  return RunProgram(std::move(arguments), directory_);
}

pid_t AttachRig::Child(const std::string& command) const {
  for (const pid_t pid : Descendants(guardian_pid_)) {
    if (CommandOf(pid) == command) return pid;
  }
  return 0;
}

pid_t AttachRig::relay() const { return Child("squall-relay"); }

void AttachRig::Kill(pid_t pid) const {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return;
  syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
  close(pidfd);
}

double AttachRig::Ping(int port) const {
  const RealClock clock;
  const int64_t start = clock.Now();
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<uint16_t>(port));
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) return -1;
  if (send(fd.get(), "PING\r\n", 6, MSG_NOSIGNAL) != 6) return -1;
  pollfd readable{fd.get(), POLLIN, 0};
  char answer[16];
  if (poll(&readable, 1, 20'000) != 1 || recv(fd.get(), answer, sizeof(answer), 0) < 5) return -1;
  return static_cast<double>(clock.Now() - start) / kMillisecond;
}

}  // namespace squall

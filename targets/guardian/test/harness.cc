#include "targets/guardian/test/harness.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "faults/core/os.h"
#include "gtest/gtest.h"
#include "targets/guardian/protocol.h"
#include "targets/guardian/tree.h"

namespace squall {
namespace {

int harnesses = 0;  // with the time, for names that differ also between PID namespaces

void Pause(int64_t ns) {
  const timespec limit{ns / kSecond, ns % kSecond};
  ppoll(nullptr, 0, &limit, nullptr);
}

UniqueFd ListenAt(const std::string& name) {
  UniqueFd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path + 1, name.data(), name.size());
  const socklen_t length = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length), 0) << strerror(errno);
  EXPECT_EQ(listen(fd.get(), 1), 0);
  return fd;
}

}  // namespace

bool Eventually(const std::function<bool()>& condition, int64_t within_ns) {
  const RealClock clock;
  for (const int64_t until = clock.Now() + within_ns;;) {
    if (condition()) return true;
    if (clock.Now() > until) return false;
    Pause(2 * kMillisecond);
  }
}

char StateOf(pid_t pid) {
  ProcessInfo info;
  return ReadProcess(pid, &info) ? info.state : 0;
}
bool Alive(pid_t pid) {
  const char state = StateOf(pid);
  return state != 0 && state != 'Z' && state != 'X';
}
bool Stopped(pid_t pid) { return StateOf(pid) == 'T'; }

std::string ReadAll(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string Runfile(const std::string& path) {
  const char* root = getenv("TEST_SRCDIR");
  return root == nullptr ? path : absl::StrCat(root, "/squall/", path);
}

Harness::Harness(HarnessOptions options) {
  EXPECT_TRUE(BecomeSubreaper().ok());
  const std::string name = absl::StrCat("squall-test-", getpid(), "-", ++harnesses, "-", clock.Now());
  directory_ = absl::StrCat(::testing::TempDir(), "/", name);
  mkdir(directory_.c_str(), 0700);
  const UniqueFd listener = ListenAt(name);
  GuardianLaunch launch;
  launch.guardian = options.guardian.empty() ? Runfile("targets/guardian/squall-guardian") : options.guardian;
  launch.attach = options.attach;
  launch.env = options.env;
  launch.agent_argv = {Runfile("targets/guardian/test/fake_agent"), "agent", "--control=" + name};
  launch.agent_argv.insert(launch.agent_argv.end(), options.agent_flags.begin(), options.agent_flags.end());
  absl::StatusOr<RunningGuardian> started = StartGuardian(launch);
  EXPECT_TRUE(started.ok()) << started.status();
  if (!started.ok()) return;
  guardian = *std::move(started);
  pollfd waiting[] = {{listener.get(), POLLIN, 0}, {guardian->pidfd(), POLLIN, 0}};
  poll(waiting, 2, static_cast<int>(kPatience / kMillisecond));
  if (waiting[0].revents == 0) return;  // the guardian failed or died; the test looks at its exit code
  control_.reset(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  guardian::v1::Event hello;
  std::vector<UniqueFd> fds;
  const absl::Status got = ReceivePacket(control_.get(), &hello, &fds, kPatience);
  if (!got.ok() || fds.empty()) return;
  agent = hello.reply().pid();
  absl::StatusOr<LeasePage> page = LeasePage::Map(fds[0].release());
  EXPECT_TRUE(page.ok());
  lease = *std::move(page);
}

Harness::~Harness() {
  control_.reset();
  guardian.reset();
  EXPECT_TRUE(KillTree(kPatience).ok());
}

std::optional<guardian::v1::Event> Harness::Receive(int64_t within_ns) {
  guardian::v1::Event event;
  std::vector<UniqueFd> fds;
  if (!ReceivePacket(control_.get(), &event, &fds, within_ns).ok()) return std::nullopt;
  if (!fds.empty()) host_channel = std::move(fds[0]);
  return event;
}

guardian::v1::Reply Harness::Call(guardian::v1::Request request) {
  request.set_id(next_id_++);
  guardian::v1::Reply lost;
  lost.set_code(static_cast<int>(absl::StatusCode::kUnavailable));
  lost.set_error("no answer reached the test");
  if (!SendPacket(control_.get(), request, {}, kPatience).ok()) return lost;
  while (std::optional<guardian::v1::Event> event = Receive(kPatience)) {
    if (event->has_reply() && event->reply().id() == request.id()) return event->reply();
    queued_.push_back(*std::move(event));
  }
  return lost;
}

std::optional<guardian::v1::Event> Harness::Next(guardian::v1::Event::EventCase kind, int64_t within_ns) {
  for (const int64_t until = clock.Now() + within_ns;;) {
    std::optional<guardian::v1::Event> event;
    if (!queued_.empty()) {
      event = std::move(queued_.front());
      queued_.pop_front();
    } else {
      event = Receive(std::max<int64_t>(until - clock.Now(), 1));
    }
    if (!event.has_value()) return std::nullopt;
    if (event->event_case() == kind) return event;
  }
}

guardian::v1::Reply Harness::Spawn(const std::string& key, std::vector<std::string> what, bool ready) {
  guardian::v1::Request request;
  guardian::v1::Spawn& spawn = *request.mutable_spawn();
  spawn.set_key(key);
  spawn.add_argv(Runfile("targets/guardian/test/target"));
  for (std::string& argument : what) spawn.add_argv(std::move(argument));
  spawn.set_output(Output(key));
  guardian::v1::Reply reply = Call(request);
  EXPECT_TRUE(!ready || reply.code() != 0 || !FirstLine(key).empty()) << key << " did not get ready";
  return reply;
}

guardian::v1::Reply Harness::SpawnHost(const std::string& key, bool outlives_agent, bool respawn) {
  guardian::v1::Request request;
  guardian::v1::SpawnHost& spawn = *request.mutable_spawn_host();
  spawn.set_key(key);
  spawn.add_argv(Runfile("targets/guardian/test/target"));
  spawn.add_argv("host");
  spawn.set_output(Output(key));
  spawn.set_outlives_agent(outlives_agent);
  spawn.set_respawn(respawn);
  guardian::v1::Listener& listener = *spawn.add_listeners();
  listener.set_name("im/0");
  listener.set_address("127.0.0.1:0");
  return Call(request);
}

guardian::v1::Reply Harness::Signal(const std::string& key, int signo) {
  guardian::v1::Request request;
  request.mutable_signal()->set_key(key);
  request.mutable_signal()->set_signo(signo);
  return Call(request);
}

guardian::v1::Reply Harness::Hang(const std::string& key, int64_t for_ns) {
  guardian::v1::Request request;
  request.mutable_hang()->set_key(key);
  request.mutable_hang()->set_deadline_ns(clock.Now() + for_ns);
  return Call(request);
}

guardian::v1::Reply Harness::Thaw(const std::string& key) {
  guardian::v1::Request request;
  request.mutable_thaw()->set_key(key);
  return Call(request);
}

guardian::v1::Reply Harness::End() {
  guardian::v1::Request request;
  request.mutable_end();
  return Call(request);
}

void Harness::ExitAgent(int code) {
  guardian::v1::Request request;
  request.mutable_signal()->set_key("@agent");
  request.mutable_signal()->set_signo(code);
  EXPECT_TRUE(SendPacket(control_.get(), request).ok());
}

std::string Harness::Output(const std::string& key) const {
  return absl::StrCat(directory_, "/", absl::StrReplaceAll(key, {{"/", "_"}}), ".log");
}

std::string Harness::FirstLine(const std::string& key) const {
  std::string text;
  Eventually([&] {
    text = ReadAll(Output(key));
    return text.find('\n') != std::string::npos;
  });
  return text;
}

void Harness::Kill(pid_t pid) {
  const UniqueFd pidfd(RealOs()->PidfdOpen(pid));
  EXPECT_TRUE(pidfd.valid());
  EXPECT_EQ(RealOs()->SendSignal(pidfd.get(), SIGKILL), 0);
}

std::vector<pid_t> Harness::Survivors() const {
  std::vector<pid_t> all = DescendantsOf(getpid());
  all.erase(std::remove_if(all.begin(), all.end(), [](pid_t pid) { return !Alive(pid); }), all.end());
  return all;
}

}  // namespace squall

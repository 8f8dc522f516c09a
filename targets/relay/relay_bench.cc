// What the relay costs: throughput and latency beside a direct connection, delay accuracy beside a timer.
//
//   relay_bench [--rounds=N] [--json=FILE]
//
// The relay is the program itself; server and client are threads here. Peer and relay take turns within each round, and
// the figures are medians of rounds: ratios hold on a noisy machine, absolute figures do not.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "targets/host/testing/host_process.h"
#include "targets/host/testing/sockets.h"
#include "targets/load/histogram.h"

namespace squall::testing {
namespace {

constexpr size_t kStreamBytes = 256 << 20;
constexpr int kExchanges = 3000;
constexpr double kMicro = 1000.0;

class Figures {
 public:
  // Of each round; the figure is their median.
  void Add(const std::string& name, double value) { rounds_[name].push_back(value); }
  std::map<std::string, double> Medians() const {
    std::map<std::string, double> medians;
    for (auto [name, values] : rounds_) {
      std::sort(values.begin(), values.end());
      medians[name] = values[values.size() / 2];
    }
    return medians;
  }
  void Print() const {
    std::printf("%-36s %12s %12s %12s\n", "figure", "median", "least", "most");
    for (const auto& [name, values] : rounds_) {
      std::printf("%-36s %12.3f %12.3f %12.3f\n", name.c_str(), Medians().at(name),
                  *std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end()));
    }
  }

 private:
  std::map<std::string, std::vector<double>> rounds_;
};

// Sends kStreamBytes and ends.
void Source(int fd) {
  const std::string block(1 << 20, 'x');
  for (size_t sent = 0; sent < kStreamBytes; sent += block.size()) Write(fd, block);
}

// MB/s from the first byte to the last.
double Fetch(int port) {
  UniqueFd client = Dial(port);
  std::vector<char> buffer(256 << 10);
  size_t all = 0;
  int64_t first = 0;
  while (true) {
    const ssize_t got = read(client.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    if (first == 0) first = Now();
    all += got;
  }
  if (all != kStreamBytes) {
    std::fprintf(stderr, "relay_bench: %zu bytes came of %zu\n", all, kStreamBytes);
    std::exit(1);
  }
  return static_cast<double>(all) / 1e6 / (static_cast<double>(Now() - first) / kSecond);
}

Histogram PingPong(int fd, int count) {
  const std::string message(64, 'p');
  Histogram times;
  for (int i = 0; i < count; ++i) {
    const int64_t start = Now();
    Write(fd, message);
    if (Read(fd, message.size()).size() != message.size()) std::exit(1);
    times.Add(Now() - start);
  }
  return times;
}

// How late a timer of this machine is: what any delay is measured against.
Histogram TimerLateness(int64_t wait_ns, int count) {
  const UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  Histogram late;
  for (int i = 0; i < count; ++i) {
    const int64_t due = Now() + wait_ns;
    const timespec timeout{wait_ns / kSecond, wait_ns % kSecond};
    epoll_event event;
    epoll_pwait2(epoll.get(), &event, 1, &timeout, nullptr);
    late.Add(Now() - due);
  }
  return late;
}

struct Setup {
  Server source{Source};
  Server echo{Echo};
  UniqueFd source_listener = Listen();
  UniqueFd echo_listener = Listen();
  HostProcess relay;

  explicit Setup(const std::string& program)
      : relay(program, {{"source/0", source_listener.get()}, {"echo/0", echo_listener.get()}},
              {"--upstream=source/0=" + source.address(), "--upstream=echo/0=" + echo.address()}) {}
};

void MustArm(Setup& setup, const std::string& id, int64_t latency_ns, const std::string& object) {
  host::v1::HostRequest request;
  auto* arm = request.mutable_arm();
  arm->set_instance(id);
  arm->set_object(object);
  arm->set_site(id);
  arm->set_deadline_ns(Now() + 120 * kSecond);
  auto* delay = arm->mutable_fault()->mutable_delay();
  delay->set_direction(faults::v1::DOWNSTREAM);
  delay->mutable_latency()->set_seconds(latency_ns / kSecond);
  delay->mutable_latency()->set_nanos(static_cast<int32_t>(latency_ns % kSecond));
  const auto reply = setup.relay.client().Call(request);
  if (reply.ok()) return;
  std::fprintf(stderr, "relay_bench: %s\n", std::string(reply.status().message()).c_str());
  std::exit(1);
}

void Throughput(Setup& setup, int round, Figures* figures) {
  const double direct = Fetch(setup.source.port());
  const double relayed = Fetch(PortOf(setup.source_listener.get()));
  figures->Add("direct_throughput_mb_s", direct);
  figures->Add("relay_throughput_mb_s", relayed);
  figures->Add("relay_throughput_ratio", relayed / direct);
  for (const int64_t ms : {100, 300}) {
    const std::string id = "stream" + std::to_string(ms) + "." + std::to_string(round);
    MustArm(setup, id, ms * kMillisecond, "source/0");
    const double delayed = Fetch(PortOf(setup.source_listener.get()));
    (void)setup.relay.Lift(id);
    figures->Add("delay_" + std::to_string(ms) + "ms_throughput_mb_s", delayed);
    figures->Add("delay_" + std::to_string(ms) + "ms_throughput_ratio", delayed / relayed);
  }
}

void Latency(Setup& setup, Figures* figures) {
  UniqueFd direct = Dial(setup.echo.port());
  UniqueFd relayed = Dial(PortOf(setup.echo_listener.get()));
  Histogram by_direct, by_relay;
  for (int turn = 0; turn < 10; ++turn) {
    by_direct.Merge(PingPong(direct.get(), kExchanges / 10));
    by_relay.Merge(PingPong(relayed.get(), kExchanges / 10));
  }
  for (const auto& [q, name] : {std::pair(0.5, "p50"), std::pair(0.99, "p99")}) {
    const double base = static_cast<double>(by_direct.Quantile(q)) / kMicro;
    const double with = static_cast<double>(by_relay.Quantile(q)) / kMicro;
    figures->Add(std::string("direct_latency_") + name + "_us", base);
    figures->Add(std::string("relay_latency_") + name + "_us", with);
    figures->Add(std::string("relay_added_latency_") + name + "_us", with - base);
  }
}

void DelayAccuracy(Setup& setup, int round, Figures* figures) {
  for (const auto& [ms, count] : {std::pair(1, 300), std::pair(10, 60), std::pair(100, 8)}) {
    const std::string delay = std::to_string(ms) + "ms";
    const std::string id = delay + "." + std::to_string(round);
    UniqueFd client = Dial(PortOf(setup.echo_listener.get()));
    PingPong(client.get(), 10);
    const Histogram floor = TimerLateness(ms * kMillisecond, count);
    MustArm(setup, id, ms * kMillisecond, "echo/0");
    Histogram late;
    for (int i = 0; i < count; ++i) {
      const int64_t start = Now();
      Write(client.get(), "x");
      Read(client.get(), 1);
      const int64_t off = Now() - start - ms * kMillisecond;
      if (off < 0) {
        std::fprintf(stderr, "relay_bench: %s came %ld ns early\n", delay.c_str(), static_cast<long>(-off));
        std::exit(1);
      }
      late.Add(off);
    }
    (void)setup.relay.Lift(id);
    for (const auto& [q, name] : {std::pair(0.5, "p50"), std::pair(0.99, "p99")}) {
      figures->Add("delay_" + delay + "_late_" + name + "_us", static_cast<double>(late.Quantile(q)) / kMicro);
      figures->Add("timer_floor_" + delay + "_" + name + "_us", static_cast<double>(floor.Quantile(q)) / kMicro);
    }
  }
}

// Autogroup gives each session the same share, whatever the nice value: without this we measure our neighbours.
void RaiseShare() {
  std::ofstream group("/proc/self/autogroup");
  group << "-10" << std::flush;
  if (!group.good()) std::printf("note: this session's CPU share could not be raised; expect noise\n");
}

int Main(int argc, char** argv) {
  int rounds = 5;
  std::string json;
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--rounds=") && absl::SimpleAtoi(argument, &rounds) && rounds > 0) continue;
    if (absl::ConsumePrefix(&argument, "--json=")) {
      json = std::string(argument);
    } else if (argument == "--json" && i + 1 < argc) {
      json = argv[++i];
    } else {
      std::fprintf(stderr, "relay_bench: bad argument %s\n", argv[i]);
      return 2;
    }
  }
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  const std::string folder = std::string(self, std::max<ssize_t>(length, 0));
  RaiseShare();
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  Setup setup(folder.substr(0, folder.rfind('/')) + "/squall-relay");
  Figures figures;
  for (int round = 0; round < rounds; ++round) {
    Throughput(setup, round, &figures);
    Latency(setup, &figures);
    DelayAccuracy(setup, round, &figures);
  }
  figures.Print();
  if (json.empty()) return 0;
  std::ofstream file(json);
  const char* separator = "{\n";
  for (const auto& [name, value] : figures.Medians()) {
    file << separator << "  \"" << name << "\": " << value;
    separator = ",\n";
  }
  file << "\n}\n";
  file.close();
  return file.good() ? 0 : 1;
}

}  // namespace
}  // namespace squall::testing

int main(int argc, char** argv) { return squall::testing::Main(argc, argv); }

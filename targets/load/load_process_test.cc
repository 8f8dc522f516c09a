// The program itself.
#include <string>

#include "gtest/gtest.h"
#include "targets/host/testing/host_process.h"
#include "targets/host/testing/sockets.h"

namespace squall {
namespace {

using testing::HostProcess;
using testing::Now;

constexpr char kLoad[] = "targets/load/squall-load";

double Series(const HostProcess& host, const std::string& metric) {
  for (const auto& one : host.stats.series()) {
    if (one.metric() == metric && one.object() == "web") return one.value();
  }
  return -1;
}

template <typename Condition>
bool Eventually(HostProcess* host, Condition condition) {
  const int64_t until = Now() + 10 * kSecond;
  while (!condition() && Now() < until) host->client().OnReadable();
  return condition();
}

absl::Status StartWeb(HostProcess* host, const std::string& address) {
  host::v1::HostRequest request;
  request.mutable_start_load()->set_name("web");
  request.mutable_start_load()->set_address(address);
  request.mutable_start_load()->set_connections(10);
  request.mutable_start_load()->set_rate(100);
  request.mutable_start_load()->set_send("hello\n");
  request.mutable_start_load()->set_expect("hello");
  return host->client().Call(request).status();
}

absl::Status ArmSpike(HostProcess* host, const std::string& instance, double multiplier, int64_t for_ns) {
  host::v1::HostRequest request;
  request.mutable_arm()->set_instance(instance);
  request.mutable_arm()->set_object("web");
  request.mutable_arm()->set_deadline_ns(Now() + for_ns);
  request.mutable_arm()->set_site("spike");
  request.mutable_arm()->mutable_fault()->mutable_load_spike()->set_multiplier(multiplier);
  return host->client().Call(request).status();
}

TEST(LoadProcessTest, ALoadRunsAndASpikeMultipliesItUntilItsDeadline) {
  testing::Server server(testing::Echo);
  HostProcess host(kLoad, {}, {});
  ASSERT_TRUE(StartWeb(&host, server.address()).ok());
  EXPECT_EQ(StartWeb(&host, server.address()).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(Eventually(&host, [&] { return Series(host, "load_ok_total") >= 5; }));
  ASSERT_TRUE(ArmSpike(&host, "a", 3, 500 * kMillisecond).ok());
  EXPECT_TRUE(Eventually(&host, [&] { return Series(host, "load_multiplier") == 3; }));
  EXPECT_TRUE(Eventually(&host, [&] { return Series(host, "load_multiplier") == 1 && !host.ended.empty(); }));
  ASSERT_EQ(host.ended.size(), 1);
  EXPECT_EQ(host.ended[0].why(), "deadline");
  EXPECT_TRUE(host.ended[0].witness().effective());
  EXPECT_TRUE(host.ended[0].witness().gone());
  EXPECT_NEAR(static_cast<double>(host.ended[0].witness().count()), 100, 5);
  EXPECT_FALSE(ArmSpike(&host, "b", 0, kSecond).ok());
}

TEST(LoadProcessTest, ItEndsWithTheAgentAndWithTheGuardian) {
  testing::Server server(testing::Echo);
  HostProcess first(kLoad, {}, {});
  ASSERT_TRUE(StartWeb(&first, server.address()).ok());
  first.CloseControl();
  EXPECT_EQ(first.Wait(10 * kSecond), 0);
  HostProcess second(kLoad, {}, {});
  ASSERT_TRUE(StartWeb(&second, server.address()).ok());
  second.CloseGuardian();
  EXPECT_EQ(second.Wait(10 * kSecond), 0);
}

TEST(LoadProcessTest, BadArgumentsEndItWithTwo) {
  EXPECT_EQ(HostProcess(kLoad, {}, {"--nonsense"}).Wait(10 * kSecond), 2);
}

}  // namespace
}  // namespace squall

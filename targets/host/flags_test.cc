#include "targets/host/flags.h"

#include <netinet/in.h>

#include <vector>

#include "gtest/gtest.h"
#include "targets/host/address.h"

namespace squall {
namespace {

absl::StatusOr<HostFlags> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "host");
  return ParseHostFlags(static_cast<int>(arguments.size()), arguments.data());
}

TEST(HostFlagsTest, AllThatTheGuardianWritesIsRead) {
  const auto flags = Parse({"--upstream=im/0=127.0.0.1:80", "--control_fd=3", "--lease_fd=4", "--guardian_fd=5",
                            "--listener=im/0=6", "--listener=im/1=7"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->control_fd, 3);
  EXPECT_EQ(flags->lease_fd, 4);
  EXPECT_EQ(flags->guardian_fd, 5);
  ASSERT_EQ(flags->listeners.size(), 2);
  EXPECT_EQ(flags->listeners[1], (std::pair<std::string, int>("im/1", 7)));
  EXPECT_EQ(flags->upstreams[0], (std::pair<std::string, std::string>("im/0", "127.0.0.1:80")));
}

TEST(HostFlagsTest, WhatIsWrongIsNamed) {
  for (const char* bad : {"--listener=im/0", "--listener==3", "--listener=im/0=x", "--control_fd=-1",
                          "--control_fd=", "--verbose", "im/0", "--upstream=a"}) {
    const auto flags = Parse({"--control_fd=3", "--lease_fd=4", "--guardian_fd=5", bad});
    ASSERT_FALSE(flags.ok()) << bad;
    EXPECT_NE(flags.status().message().find(bad), std::string::npos) << flags.status();
  }
  EXPECT_FALSE(Parse({"--control_fd=3", "--lease_fd=4"}).ok());
  EXPECT_FALSE(Parse({"--control_fd=3", "--lease_fd=4", "--guardian_fd=5", "--listener=a=6", "--listener=a=7"}).ok());
}

TEST(ParseAddressTest, NumericAddressesOfBothFamiliesAreTaken) {
  const auto v4 = ParseAddress("127.0.0.1:8080");
  ASSERT_TRUE(v4.ok());
  EXPECT_EQ(v4->family(), AF_INET);
  EXPECT_EQ(ntohs(reinterpret_cast<const sockaddr_in*>(v4->get())->sin_port), 8080);
  const auto v6 = ParseAddress("[::1]:65535");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ(v6->family(), AF_INET6);
}

TEST(ParseAddressTest, NamesAndBadPortsAreRefused) {
  for (const char* bad : {"", ":", "localhost:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:-1",
                          "::1:80", "[::1]", "[]:1", "127.0.0.1:80x", "127.0.0.256:1"}) {
    EXPECT_FALSE(ParseAddress(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace squall

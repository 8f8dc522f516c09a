#include "targets/process/ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace squall {
namespace {

UniqueFd Listen(int port, bool reuse) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (reuse) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 || listen(fd.get(), 8) != 0) {
    fd.reset();
  }
  return fd;
}

TEST(HeldPortTest, PortsAreDistinct) {
  std::vector<HeldPort> held;
  std::set<int> numbers;
  for (int i = 0; i < 200; ++i) {
    auto port = HeldPort::Reserve();
    ASSERT_TRUE(port.ok()) << port.status();
    numbers.insert(port->port());
    held.push_back(*std::move(port));
  }
  EXPECT_EQ(numbers.size(), 200u);
  EXPECT_EQ(held[0].address(), "127.0.0.1:" + std::to_string(held[0].port()));
}

TEST(HeldPortTest, AServerCanListenOnItAgainAndAgainAndNobodyElseGetsIt) {
  auto port = HeldPort::Reserve();
  ASSERT_TRUE(port.ok());
  for (int incarnation = 0; incarnation < 3; ++incarnation) {
    EXPECT_FALSE(Answers(port->address())) << "a held port does not accept";
    UniqueFd server = Listen(port->port(), true);
    ASSERT_TRUE(server.valid()) << incarnation;
    EXPECT_TRUE(Answers(port->address()));
  }
  EXPECT_FALSE(Listen(port->port(), false).valid());
}

TEST(AddressTest, OnlyNumericAddressesWithAPortPass) {
  for (const char* good : {"127.0.0.1:1", "10.0.0.1:65535"}) EXPECT_TRUE(IsAddress(good)) << good;
  for (const char* bad : {"", ":", "localhost:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
                          "127.0.0.1:-1", "1.2.3:80", "127.0.0.1:80x"}) {
    EXPECT_FALSE(IsAddress(bad)) << bad;
    EXPECT_FALSE(Answers(bad)) << bad;
  }
}

}  // namespace
}  // namespace squall

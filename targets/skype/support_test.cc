#include "targets/skype/support.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace skype {
namespace {

TEST(OfflineMessagesTest, HandsOverWhatWaitsOnceAndInOrder) {
  OfflineMessagesService service;
  v1::LeaveRequest leave;
  leave.set_to("anna");
  for (const char* text : {"one", "two"}) {
    leave.set_text(text);
    v1::LeaveReply reply;
    ASSERT_TRUE(service.Leave(nullptr, &leave, &reply).ok());
    EXPECT_TRUE(reply.kept());
  }
  v1::PollRequest poll;
  poll.set_client("anna");
  v1::PollReply first, second;
  ASSERT_TRUE(service.Poll(nullptr, &poll, &first).ok());
  ASSERT_EQ(first.messages_size(), 2);
  EXPECT_EQ(first.messages(0), "one");
  ASSERT_TRUE(service.Poll(nullptr, &poll, &second).ok());
  EXPECT_EQ(second.messages_size(), 0);
  EXPECT_EQ(service.polls(), 2);
}

TEST(OfflineMessagesTest, ABoxIsBoundedAndSaysSo) {
  OfflineMessagesService service;
  v1::LeaveRequest leave;
  leave.set_to("anna");
  int kept = 0;
  for (int i = 0; i < 150; ++i) {
    v1::LeaveReply reply;
    ASSERT_TRUE(service.Leave(nullptr, &leave, &reply).ok());
    kept += reply.kept();
  }
  EXPECT_EQ(kept, 100);
  leave.clear_to();
  v1::LeaveReply reply;
  EXPECT_EQ(service.Leave(nullptr, &leave, &reply).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(BootstrapTest, ListsEveryAddressOnceInTheOrderOfRegistration) {
  BootstrapService service;
  v1::RegisterReply none;
  for (const char* address : {"127.0.0.1:3", "127.0.0.1:1", "127.0.0.1:3"}) {
    v1::Host host;
    host.set_address(address);
    host.set_kind(v1::HOST_KIND_SUPERNODE);
    ASSERT_TRUE(service.Register(nullptr, &host, &none).ok());
  }
  v1::HostsReply reply;
  ASSERT_TRUE(service.Hosts(nullptr, nullptr, &reply).ok());
  ASSERT_EQ(reply.hosts_size(), 2);
  EXPECT_EQ(reply.hosts(0).address(), "127.0.0.1:3");
  EXPECT_EQ(reply.hosts(1).address(), "127.0.0.1:1");
}

TEST(BootstrapTest, RegisteringAgainTellsTheNewVersion) {
  BootstrapService service;
  v1::RegisterReply none;
  v1::Host host;
  host.set_address("127.0.0.1:3");
  for (const char* version : {"5.0.0.152", "5.0.0.156"}) {
    host.set_version(version);
    ASSERT_TRUE(service.Register(nullptr, &host, &none).ok());
  }
  v1::HostsReply reply;
  ASSERT_TRUE(service.Hosts(nullptr, nullptr, &reply).ok());
  ASSERT_EQ(reply.hosts_size(), 1);
  EXPECT_EQ(reply.hosts(0).version(), "5.0.0.156");
}

TEST(BootstrapTest, RefusesAHostWithoutAddressAndMoreThanItCanHold) {
  BootstrapService service;
  v1::RegisterReply none;
  v1::Host host;
  EXPECT_EQ(service.Register(nullptr, &host, &none).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  for (int i = 0; i < 10000; ++i) {
    host.set_address(absl::StrCat("host-", i));
    ASSERT_TRUE(service.Register(nullptr, &host, &none).ok());
  }
  host.set_address("one more");
  EXPECT_EQ(service.Register(nullptr, &host, &none).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(service.size(), 10000);
}

}  // namespace
}  // namespace skype

#include "harness/controller/address.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "gtest/gtest.h"
#include "harness/api/agent.grpc.pb.h"

namespace squall {
namespace {

std::string Scratch(const std::string& name) { return ::testing::TempDir() + "/" + name; }

std::string PrivateDirectory() {  // short: a socket's path is at most 107 bytes
  std::string path = "/tmp/squall-test-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

std::string TokenFile(const std::string& name, const std::string& token, mode_t mode) {
  const std::string path = Scratch(name);
  std::ofstream(path) << token << "\n";
  chmod(path.c_str(), mode);
  return path;
}

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

TEST(Address, TakesUnixPathsAndGuardedLoopback) {
  EXPECT_EQ(ParseAddress("unix:/run/x.sock", "")->grpc, "unix:/run/x.sock");
  EXPECT_EQ(ParseAddress("/run/x.sock", "")->path, "/run/x.sock");
  const std::string token = TokenFile("good", kToken, 0600);
  EXPECT_EQ(ParseAddress("localhost:7400", token)->grpc, "127.0.0.1:7400");
  EXPECT_EQ(ParseAddress("[::1]:7400", token)->token, kToken);
}

TEST(Address, RefusesEveryOtherPlace) {
  const std::string token = TokenFile("good2", kToken, 0600);
  for (const char* place : {"0.0.0.0:7400", "10.0.0.1:7400", "example.org:7400", "[::]:7400", "127.0.0.2:7400"}) {
    EXPECT_TRUE(absl::IsPermissionDenied(ParseAddress(place, token).status())) << place;
  }
  for (const char* nonsense : {"", "7400", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", "unix:relative"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseAddress(nonsense, token).status())) << nonsense;
  }
}

TEST(Address, LoopbackNeedsAPrivateLongToken) {
  EXPECT_TRUE(absl::IsPermissionDenied(ParseAddress("127.0.0.1:1", "").status()));
  EXPECT_TRUE(absl::IsNotFound(ParseAddress("127.0.0.1:1", Scratch("missing")).status()));
  EXPECT_TRUE(absl::IsPermissionDenied(ParseAddress("127.0.0.1:1", TokenFile("open", kToken, 0644)).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseAddress("127.0.0.1:1", TokenFile("short", "abc", 0600)).status()));
}

// A service whose only handler says whether the caller was authorised.
class Guarded : public agent::v1::AgentLocal::Service {
 public:
  explicit Guarded(Address address) : address_(std::move(address)) {}
  grpc::Status List(grpc::ServerContext* context, const agent::v1::ListRequest*, agent::v1::ListReply*) override {
    return Authorize(address_, *context);
  }

 private:
  const Address address_;
};

grpc::Status Call(const Address& as) {
  const auto stub = agent::v1::AgentLocal::NewStub(Dial(as));
  grpc::ClientContext context;
  Authenticate(as, &context);
  agent::v1::ListReply reply;
  return stub->List(&context, agent::v1::ListRequest(), &reply);
}

TEST(Serve, TcpRefusesCallersWithoutTheToken) {
  Address address = *ParseAddress("127.0.0.1:0", TokenFile("t", kToken, 0600));
  Guarded service(address);
  int port = 0;
  const auto server = Serve(address, {&service}, &port);
  ASSERT_TRUE(server.ok()) << server.status();
  address.grpc = "127.0.0.1:" + std::to_string(port);
  EXPECT_TRUE(Call(address).ok());
  for (const std::string& wrong : {std::string(), std::string(kToken) + "x", std::string(32, 'a')}) {
    Address stranger = address;
    stranger.token = wrong;
    EXPECT_EQ(Call(stranger).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  }
}

TEST(Serve, TheSocketAndItsDirectoryArePrivate) {
  const std::string directory = PrivateDirectory();
  const Address address = *ParseAddress(directory + "/inner/s.sock", "");
  Guarded service(address);
  const auto server = Serve(address, {&service}, nullptr);
  ASSERT_TRUE(server.ok()) << server.status();
  struct stat info{};
  ASSERT_EQ(stat(address.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat((directory + "/inner").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_TRUE(Call(address).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(Serve(address, {&service}, nullptr).status())) << "a live socket is not taken over";
}

TEST(Serve, RefusesADirectoryThatOthersMayEnter) {
  const std::string directory = PrivateDirectory();
  chmod(directory.c_str(), 0755);
  Guarded service((Address()));
  EXPECT_TRUE(absl::IsPermissionDenied(Serve(*ParseAddress(directory + "/s.sock", ""), {&service}, nullptr).status()));
}

TEST(Serve, ReplacesAStaleSocket) {
  const std::string directory = PrivateDirectory();
  const Address address = *ParseAddress(directory + "/s.sock", "");
  std::ofstream(address.path) << "left over";
  Guarded service(address);
  EXPECT_TRUE(Serve(address, {&service}, nullptr).ok());
}

}  // namespace
}  // namespace squall

// Client and server of the control channel, over a real one; the server runs on a thread of its own.
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "targets/guardian/protocol.h"
#include "targets/host/client.h"
#include "targets/host/server.h"

namespace squall {
namespace {

// What the test's fault does, seen from outside.
struct Ledger {
  std::atomic<int> armed{0};
  std::atomic<int> lifted{0};
  std::atomic<int> failing_lifts{0};
};

class LedgerKind : public FaultKind {
 public:
  explicit LedgerKind(Ledger* ledger) : ledger_(ledger) {}
  absl::StatusOr<ArmedFault> Arm(const Seams&, const ArmContext&) const override {
    ++ledger_->armed;
    Ledger* const ledger = ledger_;
    auto gone = std::make_shared<bool>(false);
    return ArmedFault(
        [ledger, gone] {
          if (ledger->failing_lifts > 0) {
            --ledger->failing_lifts;
            return absl::InternalError("not now");
          }
          if (!std::exchange(*gone, true)) ++ledger->lifted;
          return absl::OkStatus();
        },
        [gone] {
          faults::v1::Witness witness;
          witness.set_effective(true);
          witness.set_gone(*gone);
          witness.set_count(7);
          return witness;
        });
  }

 private:
  Ledger* const ledger_;
};

class HostTest : public ::testing::Test {
 protected:
  HostTest() : lease_(*LeasePage::Create()), loop_(&clock_) {
    lease_.Extend(INT64_MAX);
    auto channel = *MakeChannel();
    client_ = std::make_unique<HostClient>(
        std::move(channel.first),
        HostClient::Events{.stats = [this](const host::v1::HostStats& stats) { series_ += stats.series_size(); },
                           .ended = [this](const host::v1::HostFaultEnded& ended) { ended_.push_back(ended); },
                           .gone = [this] { ++gone_; }});
    server_ = std::make_unique<HostServer>(HostServer::Options{
        .loop = &loop_,
        .clock = &clock_,
        .lease = &lease_,
        .control_fd = channel.second.release(),
        .make = [this](const faults::v1::Fault& fault) -> absl::StatusOr<std::unique_ptr<FaultKind>> {
          if (!fault.has_delay()) return absl::InvalidArgumentError("delay: is missing");
          return std::make_unique<LedgerKind>(&ledger_);
        },
        .seams = [](const std::string& object) -> absl::StatusOr<Seams> {
          if (object != "l/0") return absl::NotFoundError(absl::StrCat("no link ", object));
          return Seams{};
        },
        .stats =
            [this](host::v1::HostStats* stats) {
              for (int i = 0; i < series_each_; ++i) stats->add_series()->set_metric("figure");
            },
        .start_load = nullptr,
        .gone = [this] { server_gone_ = true; }});
    thread_ = std::thread([this] { loop_.Run(); });
  }
  ~HostTest() override {
    std::promise<void> done;
    loop_.Post([&] {
      server_.reset();
      done.set_value();
    });
    done.get_future().wait();
    loop_.Stop();
    thread_.join();
  }

  absl::StatusOr<host::v1::HostReply> Arm(const std::string& id, int64_t for_ns = 60 * kSecond,
                                          const std::string& object = "l/0") {
    host::v1::HostRequest request;
    request.mutable_arm()->set_instance(id);
    request.mutable_arm()->set_object(object);
    request.mutable_arm()->set_deadline_ns(clock_.Now() + for_ns);
    request.mutable_arm()->mutable_fault()->mutable_delay();
    return client_->Call(request);
  }
  absl::StatusOr<host::v1::HostReply> Lift(const std::string& id) {
    host::v1::HostRequest request;
    request.mutable_lift()->set_instance(id);
    return client_->Call(request);
  }
  absl::StatusOr<host::v1::HostReply> Witness(const std::string& id) {
    host::v1::HostRequest request;
    request.mutable_witness()->set_instance(id);
    return client_->Call(request);
  }
  template <typename Condition>
  bool Eventually(Condition condition) {
    const int64_t until = clock_.Now() + 5 * kSecond;
    while (!condition() && clock_.Now() < until) {
      client_->OnReadable();
      std::this_thread::yield();
    }
    return condition();
  }

  Ledger ledger_;
  std::vector<host::v1::HostFaultEnded> ended_;
  int series_ = 0;
  int gone_ = 0;
  std::atomic<int> series_each_{1};
  std::atomic<bool> server_gone_{false};
  RealClock clock_;
  LeasePage lease_;
  EventLoop loop_;
  std::unique_ptr<HostClient> client_;
  std::unique_ptr<HostServer> server_;
  std::thread thread_;
};

TEST_F(HostTest, ArmingTwiceArmsOnce) {
  const auto first = Arm("run/a/0");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = Arm("run/a/0");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->at_ns(), first->at_ns());
  EXPECT_EQ(ledger_.armed, 1);
}

TEST_F(HostTest, LiftingTwiceLiftsOnceAndKeepsTheWitness) {
  ASSERT_TRUE(Arm("a").ok());
  const auto first = Lift("a");
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->witness().gone());
  EXPECT_EQ(first->witness().count(), 7);
  const auto second = Lift("a");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->witness().count(), 7);
  EXPECT_EQ(second->at_ns(), first->at_ns());
  EXPECT_EQ(ledger_.lifted, 1);
  EXPECT_TRUE(Witness("a")->witness().gone());
}

TEST_F(HostTest, ALateArmAfterTheLiftIsRefused) {
  ASSERT_TRUE(Lift("never armed").ok());
  EXPECT_EQ(Arm("never armed").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ledger_.armed, 0);
  ASSERT_TRUE(Arm("a").ok());
  ASSERT_TRUE(Lift("a").ok());
  EXPECT_EQ(Arm("a").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ledger_.armed, 1);
}

TEST_F(HostTest, BadRequestsAreRefusedAndSayWhy) {
  EXPECT_EQ(Arm("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Arm("a", -1).status().message(), "deadline_ns: has passed");
  EXPECT_EQ(Arm("a", 16 * 60 * kSecond).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Arm("a", kSecond, "elsewhere").status().message(), "no link elsewhere");
  EXPECT_EQ(client_->Call({}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Witness("unknown").status().code(), absl::StatusCode::kNotFound);
  host::v1::HostRequest request;
  request.mutable_start_load()->set_name("web");
  EXPECT_EQ(client_->Call(request).status().code(), absl::StatusCode::kUnimplemented);
  request.mutable_arm()->set_instance("a");
  request.mutable_arm()->set_deadline_ns(clock_.Now() + kSecond);
  EXPECT_EQ(client_->Call(request).status().message(), "delay: is missing");
  EXPECT_EQ(ledger_.armed, 0);
}

TEST_F(HostTest, TheDeadlineEndsAFaultAndSaysSo) {
  ASSERT_TRUE(Arm("a", 100 * kMillisecond).ok());
  ASSERT_TRUE(Arm("b").ok());
  ASSERT_TRUE(Eventually([&] { return !ended_.empty(); }));
  EXPECT_EQ(ended_[0].instance(), "a");
  EXPECT_EQ(ended_[0].why(), "deadline");
  EXPECT_TRUE(ended_[0].witness().gone());
  EXPECT_EQ(ledger_.lifted, 1);
}

TEST_F(HostTest, ALapsedLeaseEndsAllFaultsAndArmsNoNewOnes) {
  ASSERT_TRUE(Arm("a").ok());
  ASSERT_TRUE(Arm("b").ok());
  lease_.Extend(clock_.Now() + 50 * kMillisecond);
  ASSERT_TRUE(Eventually([&] { return ended_.size() == 2; }));
  EXPECT_EQ(ended_[0].why(), "lease");
  EXPECT_EQ(ledger_.lifted, 2);
  EXPECT_EQ(Arm("c").status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(HostTest, AClosedChannelEndsAllFaults) {
  ASSERT_TRUE(Arm("a").ok());
  ASSERT_TRUE(Arm("b").ok());
  client_ = std::make_unique<HostClient>(UniqueFd(), HostClient::Events{});
  const int64_t until = clock_.Now() + 5 * kSecond;
  while (!server_gone_ && clock_.Now() < until) std::this_thread::yield();
  EXPECT_TRUE(server_gone_);
  EXPECT_EQ(ledger_.lifted, 2);
}

TEST_F(HostTest, ALiftThatFailsIsToldAndTriedAgain) {
  ASSERT_TRUE(Arm("a", 300 * kMillisecond).ok());
  ledger_.failing_lifts = 2;
  EXPECT_EQ(Lift("a").status().message(), "not now");
  ASSERT_TRUE(Eventually([&] { return !ended_.empty(); }));  // at the deadline; the first try fails
  EXPECT_EQ(ledger_.lifted, 1);
}

TEST_F(HostTest, StatisticsComeByThemselvesAndInPackets) {
  series_each_ = 5'000;  // more than one packet holds
  ASSERT_TRUE(Eventually([&] { return series_ >= 10'000; })) << series_;
}

TEST_F(HostTest, AnAgentThatDoesNotReadStopsNothing) {
  series_each_ = 400;
  ASSERT_TRUE(Arm("a", 700 * kMillisecond).ok());
  const int64_t until = clock_.Now() + 5 * kSecond;
  while (ledger_.lifted == 0 && clock_.Now() < until) std::this_thread::yield();  // the channel fills meanwhile
  EXPECT_EQ(ledger_.lifted, 1);
  EXPECT_TRUE(Eventually([&] { return ended_.size() == 1; }));
  EXPECT_TRUE(Arm("b").ok());
}

TEST_F(HostTest, TheClientLearnsThatTheHostIsGone) {
  loop_.Post([this] { server_.reset(); });
  ASSERT_TRUE(Eventually([&] { return gone_ > 0; }));
  client_->OnReadable();
  EXPECT_EQ(gone_, 1);
  EXPECT_EQ(Arm("a").status().code(), absl::StatusCode::kUnavailable);
}

TEST(HostClientTest, AHostThatDoesNotAnswerIsGivenUpOn) {
  auto channel = *MakeChannel();
  HostClient client(std::move(channel.first), {});
  host::v1::HostRequest request;
  request.mutable_witness()->set_instance("a");
  EXPECT_EQ(client.Call(request).status().code(), absl::StatusCode::kDeadlineExceeded);
  // Its late answer is not taken for the next one's.
  host::v1::HostMessage late;
  late.mutable_reply()->set_id(1);
  ASSERT_TRUE(SendPacket(channel.second.get(), late).ok());
  late.mutable_reply()->set_id(2);
  late.mutable_reply()->set_at_ns(5);
  ASSERT_TRUE(SendPacket(channel.second.get(), late).ok());
  const auto reply = client.Call(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  EXPECT_EQ(reply->at_ns(), 5);
}

}  // namespace
}  // namespace squall

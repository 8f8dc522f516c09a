// A running controller, agents started by hand, and a plan whose role attaches.
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "harness/cli/test/program.h"

namespace squall {
namespace {

constexpr char kSquall[] = "harness/cli/squall";
constexpr char kRedis[] = "targets/redis/redis-server";
constexpr char kPlan[] = "harness/cli/test/attach.yaml";

class Attach : public ::testing::Test {
 protected:
  Attach() : directory_(ShortDirectory()), address_(absl::StrCat("unix:", directory_, "/c/controller.sock")) {
    controller_ = std::make_unique<Program>(
        std::vector<std::string>{OurProgram(kSquall), "controller", absl::StrCat("--listen=", address_)});
    EXPECT_TRUE(Eventually([&] { return controller_->out().find("listening") != std::string::npos; }))
        << controller_->err();
  }
  std::unique_ptr<Program> Agent(const std::string& name) {
    const std::string place = absl::StrCat(directory_, "/", name);
    return std::make_unique<Program>(std::vector<std::string>{
        OurProgram(kSquall), "agent", "--test", absl::StrCat("--name=", name), "--role=cache", "--socket=none",
        absl::StrCat("--directory=", directory_), absl::StrCat("--controller=", address_), "--", OurProgram(kRedis),
        "--port", "0", "--unixsocket", place + ".sock", "--save", ""});
  }
  Ended Run() {
    return RunProgram({OurProgram(kSquall), "run", OurProgram(kPlan), "--seed=1",
                       absl::StrCat("--controller=", address_), absl::StrCat("--report_dir=", directory_, "/report")});
  }

  const std::string directory_, address_;
  std::unique_ptr<Program> controller_;
};

TEST_F(Attach, APlanRunsOverTwoAgentsOfOneRole) {
  const auto first = Agent("a"), second = Agent("b");
  const Ended ended = Run();
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err << first->err();
  EXPECT_NE(ended.out.find("PASS"), std::string::npos) << ended.out;
  const Ended again = Run();  // the controller and the agents are free for the next one
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  for (const auto* agent : {first.get(), second.get()}) {
    EXPECT_FALSE(Descendants(agent->pid()).empty()) << "targets live on after a run";
    const_cast<Program*>(agent)->Signal(SIGTERM);
    const_cast<Program*>(agent)->Wait();
  }
}

TEST_F(Attach, TooFewAgentsIsAborted) {
  const auto only = Agent("a");
  const Ended ended = Run();
  EXPECT_EQ(ended.code, 4) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("ABORTED"), std::string::npos) << ended.out;
  only->Signal(SIGTERM);
  only->Wait();
}

TEST_F(Attach, ABadPlanIsRefusedByTheController) {
  const Ended ended = RunProgram({OurProgram(kSquall), "run", "/dev/null", absl::StrCat("--controller=", address_)});
  EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
}

}  // namespace
}  // namespace squall

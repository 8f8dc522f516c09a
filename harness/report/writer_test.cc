#include "harness/report/writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/report/events.h"
#include "harness/report/json.h"
#include "harness/report/sample/report.h"
#include "nlohmann/json.hpp"

namespace squall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Names(const std::string& dir) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string FreshDir() {
  std::string dir = ::testing::TempDir() + "/" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(dir);
  return dir;
}

struct Record {
  double t_s;
  std::string kind, subject, detail;
};

TEST(WriteReport, MakesTheDirectoryAndLeavesThreeFilesAndNothingElse) {
  const std::string dir = FreshDir() + "/deep/er";
  const std::vector<Record> events = {{-0.5, "phase", "", "starting"}, {12.004, "fault_armed", "trigger", "im/0"}};
  ASSERT_TRUE(WriteReport(dir, SampleReport(), SampleCharts(), EventLines(events)).ok());
  EXPECT_THAT(Names(dir), ElementsAre("events.jsonl", "report.html", "report.json"));
  EXPECT_EQ(ReadFile(dir + "/report.json"), ReportJson(SampleReport()));
  EXPECT_THAT(ReadFile(dir + "/report.html"), HasSubstr("</html>"));
  EXPECT_EQ(ReadFile(dir + "/events.jsonl"),
            "{\"t_s\":-0.5,\"kind\":\"phase\",\"subject\":\"\",\"detail\":\"starting\"}\n"
            "{\"t_s\":12.004,\"kind\":\"fault_armed\",\"subject\":\"trigger\",\"detail\":\"im/0\"}\n");
}

TEST(WriteReport, ReplacesAnOlderReportAndLeavesOtherFilesAlone) {
  const std::string dir = FreshDir();
  ASSERT_TRUE(WriteReport(dir, SampleReport(), {}, {"{}"}).ok());
  std::ofstream(dir + "/supernode-0.log") << "hello";
  report::v1::RunReport second = SampleReport();
  second.set_run_id("second");
  ASSERT_TRUE(WriteReport(dir, second, {}, {}).ok());
  EXPECT_THAT(Names(dir), ElementsAre("events.jsonl", "report.html", "report.json", "supernode-0.log"));
  EXPECT_THAT(ReadFile(dir + "/report.json"), HasSubstr("\"run_id\": \"second\""));
  EXPECT_EQ(ReadFile(dir + "/events.jsonl"), "");
  EXPECT_EQ(ReadFile(dir + "/supernode-0.log"), "hello");
}

TEST(WriteReport, SaysWhichPathIsTaken) {
  const std::string dir = FreshDir();
  std::filesystem::create_directories(dir + "/taken/report.html");
  const absl::Status directory = WriteReport(dir + "/taken", SampleReport(), {}, {});
  EXPECT_EQ(directory.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(directory.message()), HasSubstr("taken/report.html"));
  EXPECT_FALSE(std::filesystem::exists(dir + "/taken/report.json")) << "report.json stands only where the others do";
  EXPECT_THAT(Names(dir + "/taken"), ElementsAre("events.jsonl", "report.html")) << "no temporary file stays";

  std::ofstream(dir + "/file") << "x";
  EXPECT_EQ(WriteReport(dir + "/file", SampleReport(), {}, {}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(WriteReport("", SampleReport(), {}, {}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(WriteReport, DoesNotWriteThroughALink) {
  const std::string dir = FreshDir();
  std::filesystem::create_directories(dir);
  std::ofstream(dir + "/precious") << "keep";
  std::filesystem::create_symlink("precious", dir + "/report.json");
  ASSERT_TRUE(WriteReport(dir, SampleReport(), {}, {}).ok());
  EXPECT_EQ(ReadFile(dir + "/precious"), "keep");
  EXPECT_FALSE(std::filesystem::is_symlink(dir + "/report.json"));
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
  const std::string dir = FreshDir();
  std::filesystem::create_directories(dir);
  ASSERT_TRUE(WriteFileAtomically(dir + "/report.json", "old").ok());
  // A limit on file size stands in for the full disk: the write fails half way.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status status = WriteFileAtomically(dir + "/report.json", std::string(10000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_EQ(ReadFile(dir + "/report.json"), "old");
  EXPECT_THAT(Names(dir), ElementsAre("report.json"));
}

TEST(EventLine, IsOneLineOfValidJsonWhateverTheText) {
  const std::string line = EventLine(std::nan(""), "k", "a\nb\xFF", "\"\\");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  ASSERT_FALSE(parsed.is_discarded());
  EXPECT_TRUE(parsed["t_s"].is_null());
  EXPECT_EQ(parsed["subject"], "a\nb\xEF\xBF\xBD");
}

}  // namespace
}  // namespace squall

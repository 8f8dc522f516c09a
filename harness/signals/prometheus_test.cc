#include "harness/signals/prometheus.h"

#include <cmath>
#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace squall {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

PrometheusSample One(const std::string& text) {
  const PrometheusText parsed = ParsePrometheus(text);
  EXPECT_EQ(parsed.bad_lines, 0) << parsed.first_error;
  EXPECT_THAT(parsed.samples, SizeIs(1));
  return parsed.samples.empty() ? PrometheusSample() : parsed.samples[0];
}

TEST(PrometheusTest, ReadsTheExampleOfTheFormat) {
  const PrometheusText text = ParsePrometheus(R"(# HELP http_requests_total The total number of HTTP requests.
# TYPE http_requests_total counter
http_requests_total{method="post",code="200"} 1027 1395066363000
http_requests_total{method="post",code="400"}    3 1395066363000

# Escaping in label values:
msdos_file_access_time_seconds{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9

# Minimalistic line:
metric_without_timestamp_and_labels 12.47

# A weird metric from before the epoch:
something_weird{problem="division by zero"} +Inf -3982045

# TYPE http_request_duration_seconds histogram
http_request_duration_seconds_bucket{le="0.05"} 24054
http_request_duration_seconds_bucket{le="+Inf"} 144320
http_request_duration_seconds_sum 53423
http_request_duration_seconds_count 144320

# TYPE rpc_duration_seconds summary
rpc_duration_seconds{quantile="0.99"} 76656
rpc_duration_seconds_sum 1.7560473e+07
rpc_duration_seconds_count 2693
)");
  EXPECT_EQ(text.bad_lines, 0) << text.first_error;
  ASSERT_THAT(text.samples, SizeIs(12));
  EXPECT_EQ(text.samples[0].metric, "http_requests_total");
  EXPECT_THAT(text.samples[0].labels, ElementsAre(Pair("code", "200"), Pair("method", "post")));
  EXPECT_EQ(text.samples[0].value, 1027);
  EXPECT_EQ(text.samples[0].timestamp_ms, 1395066363000);
  EXPECT_TRUE(text.samples[0].cumulative);
  EXPECT_EQ(text.samples[2].labels.at("path"), "C:\\DIR\\FILE.TXT");
  EXPECT_EQ(text.samples[2].labels.at("error"), "Cannot find file:\n\"FILE.TXT\"");
  EXPECT_FALSE(text.samples[3].cumulative);
  EXPECT_TRUE(std::isinf(text.samples[4].value));
  EXPECT_EQ(text.samples[4].timestamp_ms, -3982045);
  for (int i = 5; i <= 8; ++i) EXPECT_TRUE(text.samples[i].cumulative) << text.samples[i].metric;
  EXPECT_FALSE(text.samples[9].cumulative);  // a quantile is a gauge
  EXPECT_TRUE(text.samples[10].cumulative);
  EXPECT_TRUE(text.samples[11].cumulative);
}

TEST(PrometheusTest, UglyButLegalLinesAreRead) {
  EXPECT_TRUE(std::isnan(One("x NaN").value));
  EXPECT_EQ(One("x -Inf").value, -INFINITY);
  EXPECT_EQ(One("x{} 1").value, 1);
  EXPECT_EQ(One("x{a=\"1\",} 2").value, 2);
  EXPECT_EQ(One("  x  {  a = \"1\" , b=\"\" }\t3  ").labels.size(), 2);
  EXPECT_EQ(One("x{a=\"}\"} 4").labels.at("a"), "}");
  EXPECT_EQ(One("x{a=\"\\q\"} 5").labels.at("a"), "\\q");
  EXPECT_EQ(One("x 6\r\n").value, 6);
  EXPECT_EQ(One("ns:x 7").metric, "ns:x");
  EXPECT_EQ(One("x 1e999").value, INFINITY);
  EXPECT_TRUE(One("jobs_total 8").cumulative);
  EXPECT_FALSE(One("# TYPE jobs_total gauge\njobs_total 8").cumulative);
  EXPECT_FALSE(One("thread_count 8").cumulative);
}

TEST(PrometheusTest, ABadLineIsCountedAndTheOthersStand) {
  for (const std::string bad : {"x", "x{", "x{a", "x{a=", "x{a=1} 2", "x{a=\"1} 2", "x{a=\"1\" b=\"2\"} 3", "x{a=\"1\"",
                                "x{a=\"1\",a=\"2\"} 3", "x{=\"1\"} 2", "x one", "x 1 2 3", "x 1 2.5", "1x 2", "{} 1",
                                "x{a=\"\\", "x{,} 1", "\xff\xfe 1", "x 1 99999999999999999999"}) {
    const PrometheusText text = ParsePrometheus("before 1\n" + bad + "\nafter 2\n");
    EXPECT_EQ(text.bad_lines, 1) << bad;
    EXPECT_THAT(text.first_error, HasSubstr("line 2: ")) << bad;
    EXPECT_THAT(text.samples, SizeIs(2)) << bad;
  }
  EXPECT_EQ(ParsePrometheus("x{a=\"1} 2").first_error, "line 1: label `a` has no closing quote");
}

TEST(PrometheusTest, NothingIsNoSampleAndNoError) {
  for (const std::string text : {"", "\n\n\n", "# just a comment", "# TYPE", "# TYPE x", "#", "   "}) {
    const PrometheusText parsed = ParsePrometheus(text);
    EXPECT_THAT(parsed.samples, IsEmpty());
    EXPECT_EQ(parsed.bad_lines, 0) << text;
  }
}

TEST(PrometheusTest, SizesAreBounded) {
  EXPECT_EQ(ParsePrometheus("x{a=\"" + std::string(9000, 'y') + "\"} 1").bad_lines, 1);
  std::string many;
  for (int i = 0; i < 100'001; ++i) many += "x 1\n";
  const PrometheusText text = ParsePrometheus(many);
  EXPECT_THAT(text.samples, SizeIs(100'000));
  EXPECT_EQ(text.bad_lines, 1);
}

TEST(PrometheusTest, RandomBytesNeverCrash) {
  std::mt19937 random(20101222);
  const std::string alphabet = "ax{}=\",\\n 1.eE+-#\n\t\r\0TYPE\xc3\xff";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t n = random() % 60; n > 0; --n) text += alphabet[random() % alphabet.size()];
    const PrometheusText parsed = ParsePrometheus(text);
    EXPECT_EQ(parsed.bad_lines > 0, !parsed.first_error.empty());
  }
}

}  // namespace
}  // namespace squall

#include "harness/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "harness/report/sample/report.h"
#include "nlohmann/json.hpp"

namespace squall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

int Count(absl::string_view text, absl::string_view what) {
  return static_cast<int>(std::vector<std::string>(absl::StrSplit(text, what)).size()) - 1;
}

// The page without its embedded files: what comes from the report.
std::string Body(const std::string& page) {
  const size_t begin = page.find("<body>");
  const size_t end = page.find("<script>", begin);
  return page.substr(begin, end == std::string::npos ? end : end - begin);
}

std::string Data(const std::string& page) {
  const std::string open = "<script id=\"run-data\" type=\"application/json\">";
  const size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

// Every string field of a message, and of those inside it, becomes `text`.
void FillStrings(google::protobuf::Message* message, const std::string& text) {
  const auto* reflection = message->GetReflection();
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const auto* field = message->GetDescriptor()->field(i);
    const bool is_string = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING;
    const bool is_message = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
    if (field->is_repeated()) {
      for (int j = 0; j < reflection->FieldSize(*message, field); ++j) {
        if (is_string) reflection->SetRepeatedString(message, field, j, text);
        if (is_message) FillStrings(reflection->MutableRepeatedMessage(message, field, j), text);
      }
    } else if (is_string) {
      reflection->SetString(message, field, text);
    } else if (is_message) {
      FillStrings(reflection->MutableMessage(message, field), text);
    }
  }
}

TEST(ReportHtml, OpensWithVerdictReasonAndWhatFailed) {
  const std::string page = ReportHtml(SampleReport(), SampleCharts());
  const size_t headline = page.find("2 of 4 invariants were violated");
  const size_t reason = page.find("pool_floor and recovery were violated");
  const size_t when = page.find("<dt>When</dt><dd>17.3 s</dd>");
  const size_t how_much = page.find("<dt>By how much</dt><dd>10 supernodes</dd>");
  const size_t fault = page.find("<dt>Fault before it</dt><dd>trigger (delay on link im), live since 12.0 s</dd>");
  const size_t repeat = page.find("squall run examples/skype_2010/outage.yaml --seed 18446744073709551557");
  const size_t charts = page.find("<h2 id=\"charts\">");
  EXPECT_LT(headline, reason);
  EXPECT_LT(reason, when);
  EXPECT_LT(when, how_much);
  EXPECT_LT(how_much, fault);
  EXPECT_LT(fault, repeat);
  EXPECT_LT(repeat, charts);
  EXPECT_NE(charts, std::string::npos);
}

TEST(ReportHtml, LoadsNothingFromAnywhere) {
  const std::string page = ReportHtml(SampleReport(), SampleCharts());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr(" src=")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, HasSubstr("var uPlot="));
}

TEST(ReportHtml, SaysEverythingWithoutScripts) {
  const std::string body = Body(ReportHtml(SampleReport(), SampleCharts()));
  for (const char* text : {"crash_wave_share", "the invariant `recovery` never recovered", "1408 replies held",
                           "supernode/23", "signal 6", "variants/supernode/version", "HOLDS", "VIOLATED", "VACUOUS",
                           "the kernel counted 3 % fewer", "lowest 2 at", "took effect"}) {
    EXPECT_THAT(body, HasSubstr(text));
  }
}

TEST(ReportHtml, HostileTextStaysText) {
  const std::string evil = "</script></title></code><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\xFF";
  report::v1::RunReport report = SampleReport();
  FillStrings(&report, evil);
  report.mutable_invariants(0)->set_expression(evil);
  std::vector<ChartData> charts = {{evil, evil, {{0, 1}, {1, 2}}}};
  const std::string hostile = ReportHtml(report, charts);
  const std::string tame = ReportHtml(SampleReport(), {SampleCharts()[0]});
  EXPECT_THAT(hostile, AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("<img"))));
  EXPECT_THAT(hostile, HasSubstr("&lt;/script&gt;"));
  EXPECT_THAT(Body(hostile), Not(HasSubstr("\xFF")));
  // Not one more script, title or event handler than in a tame page.
  for (const char* token : {"<script", "</script", "</title", "</style", "<h1", "<svg", "<iframe"}) {
    EXPECT_EQ(Count(hostile, token), Count(tame, token)) << token;
  }
  const auto data = nlohmann::json::parse(Data(hostile), nullptr, false);
  ASSERT_FALSE(data.is_discarded());
  EXPECT_THAT(data["charts"][0]["name"].get<std::string>(), HasSubstr("</script>"));
}

TEST(ReportHtml, GivesTheChartsBandsStepsAndViolations) {
  const auto data = nlohmann::json::parse(Data(ReportHtml(SampleReport(), SampleCharts())));
  ASSERT_THAT(data["charts"], SizeIs(3));
  EXPECT_EQ(data["bands"][0], (nlohmann::json{{"name", "trigger"}, {"from", 12.004}, {"to", 18.01}}));
  EXPECT_EQ(data["bands"][1]["to"], data["to"]) << "a fault that was not lifted lasts to the end";
  EXPECT_THAT(data["steps"], SizeIs(3)) << "a step that was not reached has no mark";
  EXPECT_EQ(data["violations"][0]["t"], 17.3);
  EXPECT_TRUE(data["charts"][1]["v"][610].is_null()) << "a gap is drawn as a gap";
}

TEST(ReportHtml, ShowsAReportWithNothingInIt) {
  const std::string page = ReportHtml(report::v1::RunReport(), {});
  EXPECT_THAT(page, HasSubstr("ERROR"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  const std::string empty_chart = ReportHtml(report::v1::RunReport(), {{"pool", "", {}}});
  EXPECT_THAT(empty_chart, HasSubstr("No data."));
  EXPECT_FALSE(nlohmann::json::parse(Data(empty_chart), nullptr, false).is_discarded());
}

TEST(ReportHtml, TellsStatesByWordAndSignNotByColourAlone) {
  const std::string page = ReportHtml(SampleReport(), {});
  EXPECT_THAT(page, HasSubstr("<span aria-hidden=\"true\">✗</span> VIOLATED"));
  EXPECT_THAT(page, HasSubstr("<span aria-hidden=\"true\">✓</span> HOLDS"));
}

TEST(ReportHtml, ChartsHaveANameAndASummaryForThoseWhoDoNotSeeThem) {
  const std::string page = ReportHtml(SampleReport(), SampleCharts());
  EXPECT_EQ(Count(Body(page), "role=\"img\" aria-labelledby="), 3);
  EXPECT_THAT(page, HasSubstr("Starts at 24; lowest 2 at 23.5 s; highest 24 at 0.0 s; ends at 8."));
}

TEST(Thin, KeepsEnds_PeaksAndGaps) {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 10000; ++i) points.emplace_back(i, 1);
  points[5001].second = 99;
  points[7003].second = -99;
  points[8000].second = std::numeric_limits<double>::quiet_NaN();
  const auto thin = Thin(points, 100);
  EXPECT_LE(thin.size(), 100);
  EXPECT_EQ(thin.front(), points.front());
  EXPECT_EQ(thin.back(), points.back());
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(), [](auto& a, auto& b) { return a.first < b.first; }));
  auto has = [&](double t) {
    return std::any_of(thin.begin(), thin.end(), [&](auto& point) { return point.first == t; });
  };
  EXPECT_TRUE(has(5001));
  EXPECT_TRUE(has(7003));
  EXPECT_TRUE(has(8000));
}

TEST(Thin, LeavesShortChartsAlone) {
  const std::vector<std::pair<double, double>> points = {{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(Thin(points, 4), points);
  EXPECT_EQ(Thin({}, 4), (std::vector<std::pair<double, double>>{}));
}

}  // namespace
}  // namespace squall

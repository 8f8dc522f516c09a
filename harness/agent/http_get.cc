#include "harness/agent/http_get.h"

#include <http_parser.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace squall {
namespace {

struct Parsed {
  std::string body;
  bool complete = false;
  bool broken = false;
  unsigned status = 0;
};

Parsed Parse(std::string_view answer, bool eof) {
  Parsed parsed;
  http_parser parser;
  http_parser_init(&parser, HTTP_RESPONSE);
  parser.data = &parsed;
  http_parser_settings settings;
  http_parser_settings_init(&settings);
  settings.on_body = [](http_parser* p, const char* at, size_t size) {
    static_cast<Parsed*>(p->data)->body.append(at, size);
    return 0;
  };
  settings.on_message_complete = [](http_parser* p) {
    static_cast<Parsed*>(p->data)->complete = true;
    return 0;
  };
  http_parser_execute(&parser, &settings, answer.data(), answer.size());
  if (eof && !parsed.complete) http_parser_execute(&parser, &settings, nullptr, 0);
  parsed.broken = HTTP_PARSER_ERRNO(&parser) != HPE_OK && !parsed.complete;
  parsed.status = parser.status_code;
  return parsed;
}

}  // namespace

std::string HttpGetRequest(std::string_view host, std::string_view path) {
  return absl::StrCat("GET ", absl::string_view(path.data(), path.size()),
                      " HTTP/1.1\r\nHost: ", absl::string_view(host.data(), host.size()),
                      "\r\nConnection: close\r\nAccept: text/plain\r\n\r\n");
}

bool HttpAnswerComplete(std::string_view so_far, bool eof) {
  const Parsed parsed = Parse(so_far, eof);
  return parsed.complete || parsed.broken;
}

absl::StatusOr<std::string> HttpBody(std::string_view answer) {
  Parsed parsed = Parse(answer, /*eof=*/true);
  if (!parsed.complete) return absl::DataLossError("not a complete HTTP answer");
  if (parsed.status != 200) return absl::UnavailableError(absl::StrCat("HTTP status ", parsed.status));
  return std::move(parsed.body);
}

}  // namespace squall

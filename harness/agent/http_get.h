// GET over an Exchange: the request's bytes, when the answer is whole, and its body.
#ifndef HARNESS_AGENT_HTTP_GET_H_
#define HARNESS_AGENT_HTTP_GET_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace squall {

std::string HttpGetRequest(std::string_view host, std::string_view path);
// For Exchange::Complete.
bool HttpAnswerComplete(std::string_view so_far, bool eof);
// The body of a complete 200 answer; Unavailable names any other status, DataLoss what cannot be parsed.
absl::StatusOr<std::string> HttpBody(std::string_view answer);

}  // namespace squall

#endif  // HARNESS_AGENT_HTTP_GET_H_

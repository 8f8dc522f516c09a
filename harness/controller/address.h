// Where controllers and agents listen and dial: a unix socket, or loopback TCP with a token file. Nothing else is
// accepted until mutual TLS is there.
//
//   ASSIGN_OR_RETURN(Address address, ParseAddress("unix:/run/squall/controller.sock", ""));
//   ASSIGN_OR_RETURN(Address address, ParseAddress("127.0.0.1:7400", "/etc/squall/token"));
#ifndef HARNESS_CONTROLLER_ADDRESS_H_
#define HARNESS_CONTROLLER_ADDRESS_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace squall {

struct Address {
  std::string grpc;   // as gRPC wants it: "unix:/path" or "127.0.0.1:7400"
  std::string path;   // of the unix socket; "" for TCP
  std::string token;  // shared secret for TCP; "" for unix
};

// `text`: "/path", "unix:/path", "127.0.0.1:PORT", "[::1]:PORT" or "localhost:PORT". A token file must be private (no
// access for group and others) and hold at least 32 characters. Errors: InvalidArgument, PermissionDenied, NotFound.
absl::StatusOr<Address> ParseAddress(const std::string& text, const std::string& token_file);

// Refuses a caller without the token. For every handler's first line.
grpc::Status Authorize(const Address& address, const grpc::ServerContext& context);
// Adds the token to a call.
void Authenticate(const Address& address, grpc::ClientContext* context);

std::shared_ptr<grpc::Channel> Dial(const Address& address);

// Starts the server: for a unix path, in a directory that only this user may enter (made 0700 if missing, refused if
// others may), the socket 0600; a stale socket is replaced, a live one refused. `port` gets the TCP port if asked as 0.
absl::StatusOr<std::unique_ptr<grpc::Server>> Serve(const Address& address, const std::vector<grpc::Service*>& services,
                                                    int* port);

}  // namespace squall

#endif  // HARNESS_CONTROLLER_ADDRESS_H_

// skype_support: the servers for offline messages and the host list, with gRPC health. See README.md for the flags.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "targets/skype/flags.h"
#include "targets/skype/metrics_server.h"
#include "targets/skype/net.h"
#include "targets/skype/support.h"

int main(int argc, char** argv) {
  skype::Flags flags(argc, argv);
  const int port = static_cast<int>(flags.Int("port", 0, 0, 65535));
  const int metrics_port = static_cast<int>(flags.Int("metrics_port", 0, 0, 65535));
  skype::CheckOrExit(flags);

  skype::PrepareProcess();
  skype::Loop loop;
  skype::OnTermination(loop, [&] { loop.Stop(); });

  skype::OfflineMessagesService messages;
  skype::BootstrapService bootstrap;
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  int bound = 0;
  builder.AddListeningPort(absl::StrCat("127.0.0.1:", port), grpc::InsecureServerCredentials(), &bound);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(&messages);
  builder.RegisterService(&bootstrap);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || bound == 0) {
    std::fprintf(stderr, "cannot listen on 127.0.0.1:%d\n", port);
    return 1;
  }

  skype::MetricsServer metrics(&loop, [&](skype::MetricsText& out) {
    out.Counter("polls_total", static_cast<double>(messages.polls()));
    out.Gauge("hosts_listed", static_cast<double>(bootstrap.size()));
  });
  if (const absl::Status status = metrics.Listen(metrics_port); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  skype::PrintLine(absl::StrCat("ready port=", bound, " metrics_port=", metrics.port()));
  loop.Run();
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  return 0;
}

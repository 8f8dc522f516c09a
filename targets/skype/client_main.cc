// skype_client: the client software of one computer, acting as a supernode. See README.md for the flags.
//
// The bug of version 5.0.0.152: a reply to the poll for offline messages that comes later than 1 s crashes the program.
// Not every copy has the conditions for it: --vulnerable says whether this one has.
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "targets/skype/bootstrap_client.h"
#include "targets/skype/flags.h"
#include "targets/skype/metrics_server.h"
#include "targets/skype/net.h"
#include "targets/skype/poller.h"
#include "targets/skype/population.h"
#include "targets/skype/supernode.h"

namespace skype {
namespace {

struct Options {
  SupernodeOptions node;
  int metrics_port;
  std::string support, bootstrap, version;
  bool vulnerable, mega;
  double drain_s;
};

Options ReadFlags(Flags& flags) {
  Options o;
  o.node.port = static_cast<int>(flags.Int("port", 0, 0, 65535));
  o.metrics_port = static_cast<int>(flags.Int("metrics_port", 0, 0, 65535));
  o.support = flags.Text("support", "");
  o.bootstrap = flags.Text("bootstrap", "");
  o.version = flags.Text("version", kFixedVersion);
  o.vulnerable = flags.YesNo("vulnerable", false);
  o.mega = flags.OneOf("role", "supernode", {"supernode", "mega"}) == "mega";
  o.drain_s = flags.Number("drain_s", 0, 0, 3600);
  o.node.seed = flags.Int("seed", 1, 0, INT64_MAX);
  o.node.index = flags.Int("index", 0, 0, 1000000);
  o.node.away_s = flags.Number("away_s", 25, 0.1, 3600);
  const double normal_users = flags.Number("normal_users", 50, 1, 15000);
  const double lookups_per_s = flags.Number("lookups_per_s", 0.1, 0.001, 100);
  const double headroom = flags.Number("headroom", o.mega ? 90 : 3, 0.1, 1e6);
  const double spread = flags.Number("limit_spread", o.mega ? 0 : 0.5, 0, 1);
  AdmissionOptions& a = o.node.admission;
  a.limit = flags.Number("limit", DrawLimit(headroom, normal_users * lookups_per_s, spread, o.node.seed, o.node.index),
                         0.1, 1e9);
  a.depth_s = flags.Number("depth_s", 4, 0.1, 3600);
  a.login_cost = flags.Number("login_cost", 5, 0, 1e6);
  a.refusal_cost = flags.Number("refusal_cost", 0.05, 0, 1e6);
  a.slots = static_cast<int>(flags.Int("slots", static_cast<int64_t>((o.mega ? 8 : 2.5) * normal_users), 1, 15000));
  a.shed = flags.YesNo("shed", o.mega);
  return o;
}

void Collect(const Supernode& node, const Poller* poller, MetricsText& out) {
  const Admission& a = node.admission();
  out.Gauge("in_role", node.in_role() ? 1 : 0);
  out.Gauge("users", a.users());
  out.Gauge("load_level", a.Level(Loop::Now()));
  out.Gauge("load_depth", a.depth());
  out.Gauge("load_limit", a.limit());
  out.Counter("load_units_total", a.units_total());
  out.Counter("logins_total", a.logins_total());
  out.Counter("lookups_total", a.lookups_total());
  out.Counter("rejected_total", a.full_total(), "why=\"full\"");
  out.Counter("rejected_total", a.shed_total(), "why=\"shed\"");
  out.Counter("role_drops_total", node.drops_total());
  out.Counter("protocol_errors_total", node.protocol_errors_total());
  out.Counter("polls_total", poller != nullptr ? poller->sent() : 0);
  out.Counter("polls_failed_total", poller != nullptr ? poller->failed() : 0);
  out.Counter("polls_late_total", poller != nullptr ? poller->late() : 0);
}

// Another program may hold the port for a moment after a restart.
absl::Status OpenWithin(Supernode& node, int64_t patience) {
  const int64_t deadline = Loop::Now() + patience;
  for (;;) {
    const absl::Status status = node.Open();
    if (status.ok() || Loop::Now() > deadline) return status;
    const timespec pause{0, 100 * kMillisecond};
    nanosleep(&pause, nullptr);
  }
}

int Main(int argc, char** argv) {
  Flags flags(argc, argv);
  const Options options = ReadFlags(flags);
  CheckOrExit(flags);
  PrepareProcess();
  Loop loop;
  Supernode node(&loop, options.node);
  OnTermination(loop, [&] { node.Drain(options.drain_s, [&] { loop.Stop(); }); });

  std::unique_ptr<Poller> poller;
  MetricsServer metrics(&loop, [&](MetricsText& out) { Collect(node, poller.get(), out); });
  absl::Status status = metrics.Listen(options.metrics_port);
  if (status.ok()) status = OpenWithin(node, 10 * kSecond);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }

  v1::Host self;
  self.set_address(absl::StrCat("127.0.0.1:", node.port()));
  self.set_kind(options.mega ? v1::HOST_KIND_MEGA : v1::HOST_KIND_SUPERNODE);
  self.set_version(options.version);
  std::unique_ptr<Registration> registration;
  const std::string ready = absl::StrFormat("ready port=%d metrics_port=%d version=%s limit=%.1f", node.port(),
                                            metrics.port(), options.version, options.node.admission.limit);
  if (options.bootstrap.empty()) {
    PrintLine(ready);
  } else {
    registration = std::make_unique<Registration>(&loop, options.bootstrap, self, [&] { PrintLine(ready); });
  }
  if (!options.support.empty()) {
    const uint64_t seed = options.node.seed * 1000003 + options.node.index;
    const PollerOptions poll{.address = options.support,
                             .client = self.address(),
                             .first_after_s = Rng(seed, 0x9012).Uniform(0, 2),
                             .seed = seed};
    poller = std::make_unique<Poller>(&loop, poll, [&](int64_t sent, int64_t received) {
      PrintLine(absl::StrFormat("late reply after=%.3f", ToSeconds(received - sent)));
      if (options.version == kBuggyVersion && options.vulnerable) std::abort();
    });
  }
  loop.Run();
  return 0;
}

}  // namespace
}  // namespace skype

int main(int argc, char** argv) { return skype::Main(argc, argv); }

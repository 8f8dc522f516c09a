// skype_users: a population of users in one process. See README.md for the flags.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/skype/bootstrap_client.h"
#include "targets/skype/flags.h"
#include "targets/skype/metrics_server.h"
#include "targets/skype/net.h"
#include "targets/skype/poller.h"
#include "targets/skype/users.h"

namespace skype {
namespace {

struct Options {
  UsersOptions users;
  int metrics_port;
  std::string support, bootstrap;
  size_t min_hosts;
  double hosts_every_s;
};

Options ReadFlags(Flags& flags) {
  Options o;
  o.metrics_port = static_cast<int>(flags.Int("metrics_port", 0, 0, 65535));
  o.support = flags.Text("support", "");
  o.bootstrap = flags.Text("bootstrap", "");
  o.min_hosts = flags.Int("min_hosts", 1, 1, 10000);
  o.hosts_every_s = flags.Number("hosts_every_s", 0.25, 0.05, 60);
  UsersOptions& u = o.users;
  // The share of this process: all users in all populations, so that a plan writes one number.
  const int64_t populations = flags.Int("populations", 1, 1, 1000);
  u.population = flags.Int("population", 0, 0, 1000000);
  const int64_t users = flags.Int("users", 1000, 1, 1000000);
  u.users = users / populations + (static_cast<int64_t>(u.population) < users % populations ? 1 : 0);
  u.slices = static_cast<uint32_t>(flags.Int("slices", 8, 1, 64));
  u.buggy_share = flags.Number("buggy_share", 0.5, 0, 1);
  u.crash_share = flags.Number("crash_share", 0.4, 0, 1);
  u.seed = flags.Int("seed", 1, 0, INT64_MAX);
  u.probes = static_cast<int>(flags.Int("probes_per_try", 5, 1, Users::kMaxProbes));
  u.lookups_per_s = flags.Number("lookups_per_s", 0.1, 0, 100);
  u.login_timeout_s = flags.Number("login_timeout_s", 1, 0.01, 60);
  u.ramp_s = flags.Number("ramp_s", 12, 0, 600);
  u.retry.backoff = flags.OneOf("reconnect", "fixed", {"fixed", "backoff"}) == "backoff";
  u.retry.interval_s = flags.Number("retry_s", 0.5, 0.01, 3600);
  u.retry.base_s = flags.Number("backoff_base", 1, 0.01, 3600);
  u.retry.cap_s = flags.Number("backoff_cap", 32, 0.01, 3600);
  u.retry.first_jitter_s = flags.Number("first_attempt_jitter_s", 0, 0, 3600);
  u.retry.detect_s = flags.Number("detect_s", 8, 0, 3600);
  u.retry.restart_s = flags.Number("restart_s", 0.5, 0, 3600);
  u.retry.restart_mean_s = flags.Number("restart_mean_s", 5, 0, 3600);
  return o;
}

void Collect(Users& users, const std::vector<std::unique_ptr<Poller>>& pollers, MetricsText& out) {
  const Users::Counts& c = users.counts();
  const std::string buggy = absl::StrCat("version=\"", std::string(kBuggyVersion), "\"");
  const std::string fixed = absl::StrCat("version=\"", std::string(kFixedVersion), "\"");
  out.Gauge("users_online", users.online());
  out.Counter("attempts_scheduled_total", c.scheduled);
  out.Counter("attempts_made_total", c.made);
  out.Counter("logins_total", c.logins);
  out.Counter("logical_crashes_total", c.crashes, buggy);
  out.Counter("logical_crashes_total", 0, fixed);  // the fixed version has no path to a crash
  out.Counter("lookups_total", c.lookups);
  out.Counter("lookup_replies_total", c.lookup_replies);
  out.Counter("requests_offered_total", c.lookups + c.made);
  out.Counter("attempts_failed_total", c.refused, "why=\"refused\"");
  out.Counter("attempts_failed_total", c.timed_out, "why=\"timeout\"");
  out.Counter("attempts_failed_total", c.full, "why=\"full\"");
  out.Counter("attempts_failed_total", c.shed, "why=\"shed\"");
  out.Counter("attempts_failed_total", c.broken, "why=\"broken\"");
  out.Counter("orphaned_total", c.orphaned);
  out.Counter("goodbyes_total", c.goodbyes);
  uint64_t polls = 0, late = 0, failed = 0;
  for (const auto& poller : pollers) polls += poller->sent(), late += poller->late(), failed += poller->failed();
  out.Counter("polls_total", polls);
  out.Counter("polls_failed_total", failed);
  out.Counter("polls_late_total", late);
  out.Counter("failed_user_seconds_total", users.FailedUserSeconds());
  out.Gauge("host_list", users.hosts());
  out.Gauge("population_users", users.buggy(), buggy);
  out.Gauge("population_vulnerable", users.vulnerable());
}

int Main(int argc, char** argv) {
  Flags flags(argc, argv);
  const Options options = ReadFlags(flags);
  CheckOrExit(flags);
  if (options.users.users < 1 || options.users.users > 15000) {
    std::fprintf(stderr, "%zu users in one process: want 1 to 15000\n", options.users.users);
    return 2;
  }
  PrepareProcess();
  Loop loop;
  OnTermination(loop, [&] { loop.Stop(); });

  Users users(&loop, options.users);
  std::vector<std::unique_ptr<Poller>> pollers;
  MetricsServer metrics(&loop, [&](MetricsText& out) { Collect(users, pollers, out); });
  if (const absl::Status status = metrics.Listen(options.metrics_port); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }

  if (!options.support.empty()) {
    for (uint32_t slice = 0; slice < options.users.slices; ++slice) {
      const PollerOptions poller{.address = options.support,
                                 .client = absl::StrCat("population-", options.users.population),
                                 .slice = slice,
                                 .first_after_s = 2.0 * slice / options.users.slices,
                                 .seed = options.users.seed ^ (options.users.population * 64 + slice)};
      pollers.push_back(
          std::make_unique<Poller>(&loop, poller, [&, slice](int64_t sent, int64_t) { users.LateReply(slice, sent); }));
    }
  }
  bool started = false;
  const HostWatch watch(&loop, options.bootstrap, options.hosts_every_s, [&](const v1::Host& host) {
    const absl::StatusOr<sockaddr_in> address = ParseAddress(host.address());
    if (!address.ok()) return;
    users.AddHost(*address);
    if (users.hosts() >= options.min_hosts && !std::exchange(started, true)) {
      users.Start();
      PrintLine(absl::StrCat("started users=", options.users.users, " hosts=", users.hosts()));
    }
  });
  PrintLine(absl::StrCat("ready metrics_port=", metrics.port()));
  loop.Run();
  return 0;
}

}  // namespace
}  // namespace skype

int main(int argc, char** argv) { return skype::Main(argc, argv); }

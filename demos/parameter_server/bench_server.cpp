// `ringside bench server`: what a parameter server of processes loses when its servers are killed (nothing),
// and how long it takes to go on.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "bench_run.h"
#include "ringside/base/clock.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "server_trial.h"

namespace ringside {
namespace {

constexpr int64_t kKills = 9;

PsNodeOptions trial_nodes(const BenchOptions& bench) {
  PsNodeOptions node;
  node.run = fmt::format("bench {} {}", ::getpid(), now_ns());
  node.servers = 4;
  node.workers = 2;
  node.every = 5;
  node.backups = bench.backups;
  node.keys = bench.keys;
  return node;
}

// How soon a killed server's keys were read again; the median of the times is that of their ratios to one.
struct FirstPull {
  FirstPull(const ServerTrial& trial, double limit_s)
      : ms(ratio_of(trial.first_pull_ms, std::vector<double>(trial.first_pull_ms.size(), 1))),
        in_time(ms && ms->median <= limit_s * 1000) {}
  std::optional<RatioInterval> ms;
  bool in_time;
};

Json first_pull_json(const ServerTrial& trial, const FirstPull& first, double limit_s) {
  if (!first.ms) return nullptr;
  return {{"median_ms", first.ms->median},  {"low_ms", first.ms->low},
          {"high_ms", first.ms->high},      {"confidence", first.ms->confidence},
          {"each_ms", trial.first_pull_ms}, {"limit_ms", limit_s * 1000},
          {"in_time", first.in_time},       {"old_reads", trial.old_reads}};
}

std::string first_pull_text(const ServerTrial& trial, const FirstPull& first, double limit_s) {
  if (!first.ms) return tr("no server was killed");
  std::string text =
      tr("first good pull of its range after {:.0f} ms [{:.0f}, {:.0f}], longest {:.0f}, {} kills",
         first.ms->median, first.ms->low, first.ms->high, std::ranges::max(trial.first_pull_ms),
         trial.first_pull_ms.size());
  if (trial.old_reads > 0) text += tr("; {} reads lacked an acknowledged push", trial.old_reads);
  return text + (first.in_time ? tr("; under {} s", limit_s) : tr("; TOO LATE: over {} s", limit_s));
}

Json throughput_json(const Throughput& one) {
  return {{"seconds", one.seconds}, {"pushes", one.pushes}, {"pulls", one.pushes}, {"bytes", one.bytes}};
}

std::string throughput_text(const Throughput& one) {
  const double s = std::max(one.seconds, 1e-9);
  return tr("{} pushes and as many pulls a second, {} a second at the workers",
            format_count(int64_t(double(one.pushes) / s)), format_bytes(double(one.bytes) / s));
}

Json fields_of(const PsNodeOptions& node, const ServerTrial& trial, const Json& first_pull) {
  return {{"servers", node.servers},
          {"workers", node.workers},
          {"backups", node.backups},
          {"ranges", node.ranges},
          {"keys", node.keys},
          {"staleness", node.staleness},
          {"dead_ms", node.dead},
          {"first_pull", first_pull},
          {"still_ms", trial.still_ms},
          {"scheduler",
           {{"away_ms", trial.scheduler_away_ms},
            {"longest_pause_ms", trial.longest_pause_ms},
            {"went_on", trial.went_on}}},
          {"tcp", throughput_json(trial.tcp)},
          {"inproc", throughput_json(trial.inproc)},
          {"acknowledged", trial.acknowledged},
          {"lost", trial.lost},
          {"twice", trial.twice},
          {"ranges_lost", trial.ranges_lost}};
}

std::string text_of(const PsNodeOptions& node, const ServerTrial& trial, const std::string& first_pull,
                    size_t width) {
  const std::pair<std::string, std::string> rows[] = {
      {"server killed", first_pull},
      {"", tr("a server counts as dead after {} ms of silence", node.dead)},
      {"server stopped",
       tr("first good pull after {:.0f} ms; it wakes up later, and serves nothing old", trial.still_ms)},
      {"scheduler killed",
       tr("back after {} ms; no worker waited longer than {} ms then; {}", trial.scheduler_away_ms,
          trial.longest_pause_ms, trial.went_on ? tr("training went on") : tr("TRAINING STOPPED"))},
      {"over tcp", throughput_text(trial.tcp)},
      {"between threads", throughput_text(trial.inproc)},
      {"acknowledged", tr("{} pushes: {} lost, {} applied twice, {} ranges given up",
                          format_count(trial.acknowledged), trial.lost, trial.twice, trial.ranges_lost)}};
  std::string text;
  for (const auto& [label, content] : rows) text += labelled(label, content, 18, width);
  return text;
}

}  // namespace

BenchResult bench_server(BenchRun& run) {
  const BenchOptions& bench = run.wanted;
  if (!bench.lines.empty()) throw UsageError("bench server takes no '" + as_typed(bench.lines.front()) + "'");
  const PsNodeOptions node = trial_nodes(bench);
  const ServerTrial trial = run_server_trial({.node = node,
                                              .kills = bench.rounds.value_or(kKills),
                                              .seconds = bench.seconds,
                                              .cancelled = [&] { return run.stop(); },
                                              .at =
                                                  [&](const char* what, int64_t done, int64_t of) {
                                                    run.draw({what, done, of});
                                                  }});
  const FirstPull first(trial, bench.limit);
  BenchResult result;
  result.what =
      tr("{} servers, {} workers, k={}, {} ranges of {} keys in all, SSP({}), processes over tcp on "
         "this machine",
         node.servers, node.workers, node.backups, node.ranges, format_count(int64_t(node.keys)),
         node.staleness);
  result.fields = fields_of(node, trial, first_pull_json(trial, first, bench.limit));
  result.text = text_of(node, trial, first_pull_text(trial, first, bench.limit), run.width);
  result.passed = trial.is_right() && first.in_time;
  return result;
}

}  // namespace ringside

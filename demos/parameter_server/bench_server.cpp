// `ringside bench server`: what a parameter server of processes loses when its servers are killed (nothing),
// and how long it takes to go on.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "build_info.h"
#include "interrupt.h"
#include "nodes.h"
#include "progress_line.h"
#include "ringside/base/clock.h"
#include "ringside/base/ratio.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "run_json.h"
#include "server_trial.h"
#include "terminal.h"

namespace ringside {
namespace {

using namespace ps;

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

// The median of the times, as that of their ratios to one.
std::optional<RatioInterval> interval_of(const std::vector<double>& times) {
  if (times.empty()) return std::nullopt;
  return ratio_interval(times, std::vector<double>(times.size(), 1));
}

double longest(const std::vector<double>& times) { return *std::max_element(times.begin(), times.end()); }

bool is_in_time(const ServerTrial& trial, double limit_s) {
  const auto interval = interval_of(trial.first_pull_ms);
  return interval && interval->median <= limit_s * 1000;
}

Json throughput_json(const Throughput& one) {
  return {{"seconds", one.seconds}, {"pushes", one.pushes}, {"pulls", one.pulls}, {"bytes", one.bytes}};
}

Json trial_json(const PsNodeOptions& node, const ServerTrial& trial, double limit_s) {
  const auto interval = interval_of(trial.first_pull_ms);
  Json first = nullptr;
  if (interval)
    first = {{"median_ms", interval->median},
             {"low_ms", interval->low},
             {"high_ms", interval->high},
             {"confidence", interval->confidence},
             {"each_ms", trial.first_pull_ms},
             {"limit_ms", limit_s * 1000},
             {"in_time", is_in_time(trial, limit_s)},
             {"old_reads", trial.old_reads}};
  return {{"bench", "server"},
          {"schema", kJsonSchema},
          {"build", build_json(build_info())},
          {"complete", trial.complete},
          {"servers", node.servers},
          {"workers", node.workers},
          {"backups", node.backups},
          {"ranges", node.ranges},
          {"keys", node.keys},
          {"staleness", node.staleness},
          {"dead_ms", node.dead},
          {"first_pull", first},
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

std::string throughput_text(const Throughput& one) {
  const double s = std::max(one.seconds, 1e-9);
  return tr("{} pushes and as many pulls a second, {} a second at the workers",
            format_count(static_cast<int64_t>(static_cast<double>(one.pushes) / s)),
            format_bytes(static_cast<double>(one.bytes) / s));
}

std::string first_pull_text(const ServerTrial& trial, double limit_s) {
  const auto interval = interval_of(trial.first_pull_ms);
  if (!interval) return tr("no server was killed");
  std::string text =
      tr("first good pull of its range after {:.0f} ms [{:.0f}, {:.0f}], longest {:.0f}, {} kills",
         interval->median, interval->low, interval->high, longest(trial.first_pull_ms),
         trial.first_pull_ms.size());
  if (trial.old_reads > 0) text += tr("; {} reads lacked an acknowledged push", trial.old_reads);
  return text +
         (is_in_time(trial, limit_s) ? tr("; under {} s", limit_s) : tr("; TOO LATE: over {} s", limit_s));
}

void show(const Options& options, const PsNodeOptions& node, const ServerTrial& trial, double seconds,
          std::ostream& out) {
  constexpr size_t kIndent = 18;
  const auto width = static_cast<size_t>(summary_width(options));
  const auto row = [&](const std::string& label, const std::string& text) {
    out << pad(label, kIndent) << wrap(text, width, kIndent) << '\n';
  };
  out << wrap(
             tr("bench server: {} servers, {} workers, k={}, {} ranges of {} keys in all, SSP({}), processes "
                "over tcp on this machine, {}",
                node.servers, node.workers, node.backups, node.ranges,
                format_count(static_cast<int64_t>(node.keys)), node.staleness, format_duration(seconds)),
             width, 0)
      << '\n';
  row("server killed", first_pull_text(trial, options.bench.limit));
  row("", tr("a server counts as dead after {} ms of silence", node.dead));
  row("server stopped",
      tr("first good pull after {:.0f} ms; it wakes up later, and serves nothing old", trial.still_ms));
  row("scheduler killed",
      tr("back after {} ms; no worker waited longer than {} ms then; {}", trial.scheduler_away_ms,
         trial.longest_pause_ms, trial.went_on ? tr("training went on") : tr("TRAINING STOPPED")));
  row("over tcp", throughput_text(trial.tcp));
  row("between threads", throughput_text(trial.inproc));
  row("acknowledged", tr("{} pushes: {} lost, {} applied twice, {} ranges given up",
                         format_count(trial.acknowledged), trial.lost, trial.twice, trial.ranges_lost));
  if (!trial.complete) out << tr("INCOMPLETE: interrupted; the figures cover what was done until then\n");
}

}  // namespace

ExitCode bench_server(const Options& options, std::ostream& out) {
  if (!options.bench.lines.empty())
    throw UsageError("bench server takes no '" + options.bench.lines.front() + "'");
  const int64_t start = now_ns();
  const InterruptScope interrupt;
  ProgressLine progress(can_redraw_stderr() && !options.quiet, std::cerr);
  const PsNodeOptions node = trial_nodes(options.bench);
  const ServerTrial trial = run_server_trial({.node = node,
                                              .kills = options.bench.rounds.value_or(kKills),
                                              .seconds = options.bench.seconds,
                                              .cancelled = [&] { return interrupt.interrupted(); },
                                              .at =
                                                  [&](const char* what, int64_t done, int64_t of) {
                                                    progress.draw({what, done, of}, stderr_width());
                                                  }});
  progress.clear();
  if (options.json)
    write_json(trial_json(node, trial, options.bench.limit), out);
  else
    show(options, node, trial, static_cast<double>(now_ns() - start) * 1e-9, out);
  if (!trial.complete) return ExitCode::kInterrupted;
  const bool good = trial.is_right() && is_in_time(trial, options.bench.limit);
  return good ? ExitCode::kOk : ExitCode::kCheckFailed;
}

}  // namespace ringside

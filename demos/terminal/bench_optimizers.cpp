// `ringside bench optimizers`: one fused pass of each elementwise optimizer, in turns with the machine's own
// triad and with torch's loop.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "build_info.h"
#include "commands.h"
#include "interrupt.h"
#include "memory_passes.h"
#include "progress_line.h"
#include "ringside/base/median.h"
#include "ringside/base/ratio.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "ringside/base/vectors.h"
#include "run_json.h"
#include "terminal.h"
#include "torch_loops.h"
#include "turns.h"

namespace ringside {
namespace {

constexpr int64_t kPassRounds = 11;

struct PassRow {
  std::string name, title;
  int64_t bytes = 0;                                              // a parameter
  std::vector<double> triad_ms = {}, own_ms = {}, torch_ms = {};  // of each round; torch's may be missing
  bool streaming = false;                                         // the triad's stores
};

struct Passes {
  std::vector<PassRow> rows;
  bool complete = true;
  double seconds = 0;
};

std::vector<Optimizer> chosen_optimizers(const BenchOptions& bench) {
  std::vector<Optimizer> optimizers;
  for (const std::string& name : bench.lines) {
    Optimizer one = make_optimizer({.name = name});
    if (!one.is_elementwise())
      throw UsageError("bench optimizers: " + name +
                       " is not elementwise, so it has no fused pass of its own");
    optimizers.push_back(std::move(one));
  }
  if (!optimizers.empty()) return optimizers;
  for (const OptimizerSpec& spec : optimizer_specs())
    if (spec.granularity == Granularity::kElement) optimizers.emplace_back(spec, OptimizerConfig{});
  return optimizers;
}

// The sides of one optimizer in turns: both triads, the pass, torch's loop.
Turns row_turns(PassRow& row, const Optimizer& optimizer, const BenchOptions& bench, Triad& triad,
                TurnsOptions options) {
  FusedPass own(optimizer, bench.parameters);
  std::vector<std::function<void()>> sides = {[&] { triad.run(bench.threads, false); },
                                              [&] { own.run(bench.threads); }};
  const size_t streams = sides.size();
  if (Triad::can_stream()) sides.emplace_back([&] { triad.run(bench.threads, true); });
  const size_t torch = sides.size();
  if (auto loop = torch_loop(row.name, bench.parameters, bench.tensor, bench.threads))
    sides.push_back(std::move(loop));
  Turns turns = take_turns(sides, options);
  row.triad_ms = turns.ms[0];
  row.own_ms = turns.ms[1];
  if (torch < sides.size()) row.torch_ms = turns.ms[torch];
  if (streams < torch && !row.own_ms.empty() && median(turns.ms[streams]) < median(row.triad_ms)) {
    row.triad_ms = turns.ms[streams];
    row.streaming = true;
  }
  return turns;
}

Passes time_passes(const Options& options) {
  const BenchOptions& bench = options.bench;
  const std::vector<Optimizer> optimizers = chosen_optimizers(bench);
  const int64_t start = now_ns(), rounds = bench.rounds.value_or(kPassRounds);
  InterruptScope interrupt;
  ProgressLine progress(can_redraw_stderr() && !options.quiet, std::cerr);
  Triad triad(bench.parameters);
  Passes passes;
  for (const Optimizer& optimizer : optimizers) {
    Progress now{optimizer.spec().name, std::ssize(passes.rows), std::ssize(optimizers)};
    progress.draw(now, stderr_width());
    PassRow row{optimizer.spec().name, optimizer.spec().title, bytes_per_parameter(optimizer)};
    const Turns turns = row_turns(row, optimizer, bench, triad,
                                  {.rounds = rounds,
                                   .warm_up = bench.warm_up,
                                   .stop = [&] { return interrupt.interrupted(); },
                                   .after_turn = [&] { progress.draw(now, stderr_width()); }});
    passes.rows.push_back(std::move(row));
    if (!(passes.complete = turns.complete)) break;
  }
  passes.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  return passes;
}

double gb_per_s(int64_t bytes, int64_t parameters, const std::vector<double>& ms) {
  return static_cast<double>(bytes * parameters) / median(ms) * 1e-6;
}

// Bytes a second of the pass, in units of the triad's.
RatioInterval of_triad(const PassRow& row) {
  RatioInterval ratio = ratio_interval(row.triad_ms, row.own_ms);
  const double bytes = static_cast<double>(row.bytes) / kTriadBytes;
  for (double* value : {&ratio.median, &ratio.low, &ratio.high}) *value *= bytes;
  return ratio;
}

Json pass_ratio_json(const RatioInterval& ratio) {
  return {
      {"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}, {"confidence", ratio.confidence}};
}

Json pass_json(const PassRow& row, int64_t parameters) {
  Json json = {{"optimizer", row.name}, {"bytes_per_parameter", row.bytes}};
  const bool any = !row.own_ms.empty();
  json["triad_gb_per_s"] = any ? Json(gb_per_s(kTriadBytes, parameters, row.triad_ms)) : Json();
  json["triad_stores"] = row.streaming ? "streaming" : "plain";
  json["gb_per_s"] = any ? Json(gb_per_s(row.bytes, parameters, row.own_ms)) : Json();
  json["of_triad"] = any ? pass_ratio_json(of_triad(row)) : Json();
  json["torch_loop_takes"] =
      row.torch_ms.empty() ? Json() : pass_ratio_json(ratio_interval(row.torch_ms, row.own_ms));
  json["triad_ms"] = row.triad_ms;
  json["round_ms"] = row.own_ms;
  json["torch_ms"] = row.torch_ms;
  return json;
}

Json passes_json(const Options& options, const Passes& m) {
  Json rows = Json::array();
  for (const PassRow& row : m.rows) rows.push_back(pass_json(row, options.bench.parameters));
  return {{"bench", "optimizers"},
          {"schema", kJsonSchema},
          {"build", build_json(build_info())},
          {"complete", m.complete},
          {"parameters", options.bench.parameters},
          {"torch_tensor", options.bench.tensor},
          {"threads", options.bench.threads},
          {"vectors", to_string(vectors_in_use())},
          {"last_level_cache_bytes", last_level_cache_bytes()},
          {"warm_up_rounds", options.bench.warm_up},
          {"optimizers", rows}};
}

std::string percents(const RatioInterval& ratio) {
  return fmt::format("{:.0f} % [{:.0f}, {:.0f}]", 100 * ratio.median, 100 * ratio.low, 100 * ratio.high);
}

std::string about_caches(int64_t parameters) {
  const double cache = static_cast<double>(last_level_cache_bytes());
  const double array = static_cast<double>(parameters) * sizeof(float);
  if (cache == 0) return tr("An array has {}.", format_bytes(array));
  if (array < 4 * cache)
    return tr("An array has {}. STREAM asks for 4 times the last cache's {}: here caches help.",
              format_bytes(array), format_bytes(cache));
  return tr("An array has {}, {:.1f} times the last cache's {}.", format_bytes(array), array / cache,
            format_bytes(cache));
}

void show_pass_rows(const Options& options, const Passes& m, std::ostream& out) {
  out << pad("optimizer", 12) << pad_left("bytes", 5) << pad_left("GB/s", 8) << pad_left("triad", 8) << "  "
      << pad("of the triad", 20) << "torch's loop takes\n";
  for (const PassRow& row : m.rows) {
    if (row.own_ms.empty()) continue;
    out << pad(row.name, 12) << pad_left(std::to_string(row.bytes), 5)
        << pad_left(fmt::format("{:.1f}", gb_per_s(row.bytes, options.bench.parameters, row.own_ms)), 8)
        << pad_left(fmt::format("{:.1f}", gb_per_s(kTriadBytes, options.bench.parameters, row.triad_ms)), 8)
        << "  " << pad(percents(of_triad(row)), 20)
        << (row.torch_ms.empty() ? "-"
                                 : tr("{} times as long", to_text(ratio_interval(row.torch_ms, row.own_ms))))
        << '\n';
  }
}

std::string about_torch(const Passes& m, const BuildInfo& build, int64_t tensor) {
  if (!build.libtorch)
    return tr("This build is without LibTorch: no loop of torch's stands beside the passes.");
  std::vector<std::string> missing;
  for (const PassRow& row : m.rows)
    if (!row.own_ms.empty() && row.torch_ms.empty()) missing.push_back(row.title);
  std::string text =
      tr("torch's loop is torch::optim of LibTorch {}, with as many threads, over tensors of at most {} "
         "elements. Python's default loop makes the same calls.",
         *build.libtorch, format_count(tensor));
  if (!missing.empty()) text += ' ' + tr("LibTorch's C++ lacks {}.", join(missing));
  return text;
}

void show_passes(const Options& options, const Passes& m, std::ostream& out) {
  const auto width = static_cast<size_t>(summary_width(options));
  const auto paragraph = [&](const std::string& text) { out << wrap(text, width, 0) << '\n'; };
  const size_t rounds = m.rows.empty() ? 0 : m.rows.front().own_ms.size();
  paragraph(tr("bench optimizers: {} parameters in fp32, threads: {}, vectors: {}, {} rounds in turns, {}",
               format_count(options.bench.parameters), options.bench.threads, to_string(vectors_in_use()),
               rounds, format_duration(m.seconds)));
  show_pass_rows(options, m, out);
  paragraph(tr(
      "Bytes are of one parameter: gradient and weight are read, the weight is written, each state is read "
      "and "
      "written. The triad a = b + s c counts 12 an element. Ratios are medians over the rounds, with their "
      "interval."));
  paragraph(about_caches(options.bench.parameters));
  const BuildInfo build = build_info();
  paragraph(about_torch(m, build, options.bench.tensor));
  paragraph(tr("{}, commit {}, {}", build.cpu, build.commit, build.compiler));
  if (!m.complete) out << tr("INCOMPLETE: interrupted; the figures cover the rounds until then") << '\n';
}

}  // namespace

ExitCode bench_optimizers(const Options& options, std::ostream& out) {
  const Passes passes = time_passes(options);
  if (options.json)
    write_json(passes_json(options, passes), out);
  else
    show_passes(options, passes, out);
  return passes.complete ? ExitCode::kOk : ExitCode::kInterrupted;
}

}  // namespace ringside

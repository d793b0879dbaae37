// `ringside bench optimizers`: one fused pass of each elementwise optimizer, in turns with the machine's own
// triad and with torch's loop.
#include <fmt/format.h>

#include <algorithm>

#include "bench_run.h"
#include "build_info.h"
#include "memory_passes.h"
#include "ringside/base/median.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/base/vectors.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "table_text.h"
#include "torch_loops.h"

namespace ringside {
namespace {

constexpr int64_t kPassRounds = 11;

struct PassRow {
  std::string name, title;
  int64_t bytes = 0;                                              // a parameter
  std::vector<double> triad_ms = {}, own_ms = {}, torch_ms = {};  // of each round; torch's may be missing
  bool streaming = false;                                         // the triad's stores

  // Bytes a second of the pass, in units of the triad's.
  auto of_triad() const { return ratio_of(triad_ms, own_ms, double(bytes) / kTriadBytes); }
  auto torch_takes() const { return ratio_of(torch_ms, own_ms); }
};

std::vector<Optimizer> chosen_optimizers(const BenchOptions& bench) {
  std::vector<Optimizer> optimizers;
  for (const std::string& name : bench.lines) {
    std::vector<std::string> known;
    for (const OptimizerSpec& spec : optimizer_specs()) known.push_back(spec.name);
    if (std::ranges::count(known, name) == 0)
      throw UsageError("bench optimizers: " + no_such("optimizer", name, known));
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

// One optimizer in turns: both triads, the pass, torch's loop.
PassRow timed_pass(BenchRun& run, const Optimizer& optimizer, Triad& triad, const Progress& now) {
  const BenchOptions& bench = run.wanted;
  PassRow row{optimizer.spec().name, optimizer.spec().title, bytes_per_parameter(optimizer)};
  FusedPass own(optimizer, bench.parameters);
  std::vector<std::function<void()>> sides = {[&] { triad.run(bench.threads, false); },
                                              [&] { own.run(bench.threads); },
                                              [&] { triad.run(bench.threads, Triad::can_stream()); }};
  if (auto loop = torch_loop(row.name, bench.parameters, bench.tensor, bench.threads))
    sides.push_back(std::move(loop));
  RoundsMs ms = run.in_turns(sides, kPassRounds, now);
  row.streaming = Triad::can_stream() && !ms[0].empty() && median(ms[2]) < median(ms[0]);
  row.triad_ms = ms[row.streaming ? 2 : 0], row.own_ms = ms[1];
  if (ms.size() > 3) row.torch_ms = ms[3];
  return row;
}

std::optional<double> gb_per_s(int64_t bytes, int64_t parameters, const std::vector<double>& ms) {
  if (ms.empty()) return std::nullopt;
  return double(bytes * parameters) / median(ms) * 1e-6;
}

Json pass_json(const PassRow& row, int64_t parameters) {
  const auto speed = [&](int64_t bytes, const std::vector<double>& ms) {
    return or_null(gb_per_s(bytes, parameters, ms));
  };
  return {{"optimizer", row.name},
          {"bytes_per_parameter", row.bytes},
          {"triad_gb_per_s", speed(kTriadBytes, row.triad_ms)},
          {"triad_stores", row.streaming ? "streaming" : "plain"},
          {"gb_per_s", speed(row.bytes, row.own_ms)},
          {"of_triad", ratio_json(row.of_triad())},
          {"torch_loop_takes", ratio_json(row.torch_takes())},
          {"triad_ms", row.triad_ms},
          {"round_ms", row.own_ms},
          {"torch_ms", row.torch_ms}};
}

std::string pass_table(const std::vector<PassRow>& rows, int64_t parameters, size_t width) {
  std::vector<std::vector<std::string>> lines;
  for (const PassRow& row : rows) {
    const auto of_triad = row.of_triad();
    if (!of_triad) continue;
    lines.push_back({row.name, std::to_string(row.bytes),
                     fmt::format("{:.1f}", *gb_per_s(row.bytes, parameters, row.own_ms)),
                     fmt::format("{:.1f}", *gb_per_s(kTriadBytes, parameters, row.triad_ms)),
                     fmt::format("{:.0f} % [{:.0f}, {:.0f}]", 100 * of_triad->median, 100 * of_triad->low,
                                 100 * of_triad->high),
                     row.torch_ms.empty() ? "-" : tr("{} times as long", ratio_text(row.torch_takes()))});
  }
  return table_text({"optimizer", " bytes", " GB/s", " triad", "of the triad", "torch's loop takes"}, lines,
                    int(width));
}

std::string about_caches(int64_t parameters) {
  const double cache = double(last_level_cache_bytes());
  const double array = double(parameters) * sizeof(float);
  if (cache == 0) return tr("An array has {}.", format_bytes(array));
  if (array < 4 * cache)
    return tr("An array has {}. STREAM asks for 4 times the last cache's {}: here caches help.",
              format_bytes(array), format_bytes(cache));
  return tr("An array has {}, {:.1f} times the last cache's {}.", format_bytes(array), array / cache,
            format_bytes(cache));
}

std::string about_torch(const std::vector<PassRow>& rows, int64_t tensor) {
  const BuildInfo build = build_info();
  if (!build.libtorch)
    return tr("This build is without LibTorch: no loop of torch's stands beside the passes.");
  std::vector<std::string> missing;
  for (const PassRow& row : rows)
    if (!row.own_ms.empty() && row.torch_ms.empty()) missing.push_back(row.title);
  std::string text =
      tr("torch's loop is torch::optim of LibTorch {}, with as many threads, over tensors of at most {} "
         "elements. Python's default loop makes the same calls.",
         *build.libtorch, format_count(tensor));
  if (!missing.empty()) text += ' ' + tr("LibTorch's C++ lacks {}.", join(missing));
  return text;
}

}  // namespace

BenchResult bench_optimizers(BenchRun& run) {
  const BenchOptions& bench = run.wanted;
  const std::vector<Optimizer> optimizers = chosen_optimizers(bench);
  Triad triad(bench.parameters);
  std::vector<PassRow> rows;
  for (const Optimizer& optimizer : optimizers) {
    const Progress now{optimizer.spec().name, std::ssize(rows), std::ssize(optimizers)};
    rows.push_back(timed_pass(run, optimizer, triad, now));
    if (run.stop()) break;
  }
  BenchResult result;
  result.what = tr("{} parameters in fp32, threads: {}, vectors: {}, {} rounds in turns",
                   format_count(bench.parameters), bench.threads, to_string(vectors_in_use()),
                   rows.front().own_ms.size());
  result.fields = {
      {"parameters", bench.parameters},
      {"torch_tensor", bench.tensor},
      {"threads", bench.threads},
      {"vectors", to_string(vectors_in_use())},
      {"last_level_cache_bytes", last_level_cache_bytes()},
      {"warm_up_rounds", bench.warm_up},
      {"optimizers", array_of(rows, [&](const PassRow& row) { return pass_json(row, bench.parameters); })}};
  result.text = pass_table(rows, bench.parameters, run.width);
  for (const std::string& paragraph :
       {tr("Bytes are of one parameter: gradient and weight are read, the weight is written, each state is "
           "read and written. The triad a = b + s c counts 12 an element. Ratios are medians over the "
           "rounds, with their interval."),
        about_caches(bench.parameters), about_torch(rows, bench.tensor)})
    result.text += wrap(paragraph, run.width, 0) + '\n';
  return result;
}

}  // namespace ringside

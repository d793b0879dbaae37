// `ringside bench norms`: forward and backward of layer norm and RMS norm, in turns with LibTorch's and with
// the machine's own triad.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "build_info.h"
#include "commands.h"
#include "interrupt.h"
#include "memory_passes.h"
#include "norm_passes.h"
#include "progress_line.h"
#include "ringside/base/clock.h"
#include "ringside/base/median.h"
#include "ringside/base/ratio.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"
#include "run_json.h"
#include "terminal.h"
#include "turns.h"

namespace ringside {
namespace {

constexpr int64_t kNormRounds = 15;
// Forward reads x and writes y, backward reads x and dy and writes dx. Weights and statistics stay in the
// caches.
constexpr int64_t kNormBytes = 5 * 4;
constexpr int64_t kCellsATurn = int64_t{1} << 20;  // a smaller norm is done several times

struct NormShape {
  int64_t rows, width;
};
constexpr NormShape kShapes[] = {{512, 128}, {1024, 512}, {2048, 1024}, {4096, 1024}};

struct NormTimes {
  std::string norm;
  NormShape shape;
  int64_t times = 1;                                              // a turn
  std::vector<double> own_ms = {}, torch_ms = {}, triad_ms = {};  // of each round; torch's may be missing
  double cells() const { return static_cast<double>(times * shape.rows * shape.width); }
};

struct NormBench {
  std::vector<NormTimes> rows;
  bool complete = true;
  double seconds = 0;
};

std::vector<std::string> chosen_norms(const BenchOptions& bench) {
  const std::vector<std::string> all = {"layer", "rms"};
  for (const std::string& name : bench.lines)
    if (std::ranges::find(all, name) == all.end())
      throw UsageError("bench norms: no norm '" + name + "'" + suggestion(name, all) +
                       " There are: " + join(all));
  return bench.lines.empty() ? all : bench.lines;
}

// The sides of one norm in turns: the engine's, LibTorch's, the triad over as many cells.
Turns norm_turns(NormTimes& row, const TurnsOptions& options) {
  const auto [own, torch] = norm_passes(row.norm, row.shape.rows, row.shape.width, row.times);
  Triad triad(row.shape.rows * row.shape.width);
  std::vector<std::function<void()>> sides = {own, [&] {
                                                for (int64_t i = 0; i < row.times; ++i) triad.run(1, false);
                                              }};
  if (torch) sides.push_back(torch);
  Turns turns = take_turns(sides, options);
  row.own_ms = turns.ms[0];
  row.triad_ms = turns.ms[1];
  if (torch) row.torch_ms = turns.ms[2];
  return turns;
}

NormBench measure_norms(const Options& options) {
  const int64_t start = now_ns();
  InterruptScope interrupt;
  ProgressLine progress(can_redraw_stderr() && !options.quiet, std::cerr);
  NormBench bench;
  const std::vector<std::string> norms = chosen_norms(options.bench);
  for (const std::string& norm : norms)
    for (const NormShape& shape : kShapes) {
      if (!bench.complete) break;
      NormTimes row{norm, shape, std::max<int64_t>(1, kCellsATurn / (shape.rows * shape.width))};
      const Progress now{norm, std::ssize(bench.rows), std::ssize(norms) * std::ssize(kShapes)};
      bench.complete = norm_turns(row, {.rounds = options.bench.rounds.value_or(kNormRounds),
                                        .warm_up = options.bench.warm_up,
                                        .stop = [&] { return interrupt.interrupted(); },
                                        .after_turn = [&] { progress.draw(now, stderr_width()); }})
                           .complete;
      bench.rows.push_back(std::move(row));
    }
  bench.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  return bench;
}

// Of the floor: the time that the triad takes for as many bytes.
RatioInterval of_the_floor(const NormTimes& row) {
  RatioInterval ratio = ratio_interval(row.own_ms, row.triad_ms);
  for (double* value : {&ratio.median, &ratio.low, &ratio.high}) *value *= double{kTriadBytes} / kNormBytes;
  return ratio;
}

Json norm_ratio_json(const RatioInterval& ratio) {
  return {
      {"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}, {"confidence", ratio.confidence}};
}

Json norm_json(const NormTimes& row) {
  const bool any = !row.own_ms.empty();
  const bool both = any && !row.torch_ms.empty();
  return {{"norm", row.norm},
          {"rows", row.shape.rows},
          {"width", row.shape.width},
          {"times", row.times},
          {"ns_per_cell", any ? Json(1e6 * median(row.own_ms) / row.cells()) : Json()},
          {"of_the_floor", any ? norm_ratio_json(of_the_floor(row)) : Json()},
          {"torch_takes", both ? norm_ratio_json(ratio_interval(row.torch_ms, row.own_ms)) : Json()},
          {"round_ms", row.own_ms},
          {"torch_ms", row.torch_ms},
          {"triad_ms", row.triad_ms}};
}

Json norms_document(const Options& options, const NormBench& bench) {
  Json rows = Json::array();
  for (const NormTimes& row : bench.rows) rows.push_back(norm_json(row));
  return {{"bench", "norms"},
          {"schema", kJsonSchema},
          {"build", build_json(build_info())},
          {"complete", bench.complete},
          {"bytes_per_cell", kNormBytes},
          {"warm_up_rounds", options.bench.warm_up},
          {"norms", rows}};
}

void show_norms(const Options& options, const NormBench& bench, std::ostream& out) {
  const auto width = static_cast<size_t>(summary_width(options));
  const auto paragraph = [&](const std::string& text) { out << wrap(text, width, 0) << '\n'; };
  paragraph(tr("bench norms: forward and backward in fp32, one thread, {} rounds in turns, {}",
               bench.rows.empty() ? 0 : bench.rows.front().own_ms.size(), format_duration(bench.seconds)));
  out << pad("norm", 7) << pad("rows x H", 13) << pad_left("ns a cell", 9) << "  " << pad("of the floor", 20)
      << "LibTorch takes\n";
  for (const NormTimes& row : bench.rows) {
    if (row.own_ms.empty()) continue;
    out << pad(row.norm, 7) << pad(fmt::format("{} x {}", row.shape.rows, row.shape.width), 13)
        << pad_left(fmt::format("{:.3f}", 1e6 * median(row.own_ms) / row.cells()), 9) << "  "
        << pad(to_text(of_the_floor(row)), 20)
        << (row.torch_ms.empty() ? "-"
                                 : tr("{} times as long", to_text(ratio_interval(row.torch_ms, row.own_ms))))
        << '\n';
  }
  paragraph(
      tr("The floor is the time that the triad takes for the 20 bytes of a cell: x and y forward, x, dy and "
         "dx backward. "
         "Both sides have their outputs from one allocator, which reuses freed memory. LibTorch's layer norm "
         "is its "
         "fused kernel; its RMS norm is the operations of Hugging Face's models. Ratios are medians over the "
         "rounds, "
         "with their interval."));
  const BuildInfo build = build_info();
  paragraph(tr("LibTorch {}, {}, commit {}, {}", build.libtorch.value_or("none"), build.cpu, build.commit,
               build.compiler));
  if (!bench.complete) out << tr("INCOMPLETE: interrupted; the figures cover the rounds until then") << '\n';
}

}  // namespace

ExitCode bench_norms(const Options& options, std::ostream& out) {
  const NormBench bench = measure_norms(options);
  if (options.json)
    write_json(norms_document(options, bench), out);
  else
    show_norms(options, bench, out);
  return bench.complete ? ExitCode::kOk : ExitCode::kInterrupted;
}

}  // namespace ringside
